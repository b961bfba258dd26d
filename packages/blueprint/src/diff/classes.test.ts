// The classes of single changes: options, marks, transitions.
import { describe, expect, test } from "vitest";
import type { Edge, Entity, Field, FieldType, Model, StateMachine } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import {
  currentUser,
  fieldOf,
  grant,
  literal,
  op,
  sampleEntity,
  sampleField,
  sampleModel,
  yes,
} from "./testing/samples.ts";

const status: FieldType = { kind: "enum", values: ["draft", "active", "sold"] };
const price: FieldType = { kind: "int" };
const fields: readonly Field[] = [
  sampleField("status", status),
  sampleField("price", price, { optional: true }),
  sampleField("note", { kind: "text" }, { optional: true, internal: true, pii: true, immutable: true }),
];

function modelOf(more: Partial<Entity> = {}, own: readonly Field[] = fields, rest: Partial<Model> = {}): Model {
  const permissions = [grant("public", "read", yes), grant("user", "update", yes), grant("user", "create", yes)];
  return sampleModel([sampleEntity("listing", own, { permissions, ...more })], rest);
}

function told(before: Model, after: Model): string[] {
  return diffModels(before, after).map((one) => `${one.kind} ${one.path} ${one.classes.join("+")}`);
}

const dated = [
  ...fields,
  sampleField("deleted_at", { kind: "datetime" }, { optional: true, writer: "service", declared: false }),
];
const orgField = sampleField(
  "org_id",
  { kind: "org_ref", onDelete: "restrict" },
  { writer: "service", declared: false, default: { kind: "current_org" } },
);
const above = (least: number) => [{ name: "priced", condition: op(">", fieldOf(price, "price"), literal(least)) }];

describe("options", () => {
  test.each<[string, Model, Model, string[]]>([
    ["soft delete", modelOf(), modelOf({ softDelete: true }, dated), ["entity_changed listing.soft_delete safe"]],
    [
      "no soft delete",
      modelOf({ softDelete: true }, dated),
      modelOf(),
      ["entity_changed listing.soft_delete destructive+breaking"],
    ],
    ["a lock", modelOf(), modelOf({ lock: "seller_id" }), ["entity_changed listing.lock safe"]],
    ["no lock", modelOf({ lock: "seller_id" }), modelOf(), ["entity_changed listing.lock loosens_access"]],
    [
      "an organization",
      modelOf(),
      modelOf({ orgField: "org_id" }, [...fields, orgField]),
      ["entity_changed listing.org_scoped breaking+data_dependent"],
    ],
    [
      "none any more",
      modelOf({ orgField: "org_id" }, [...fields, orgField]),
      modelOf(),
      ["entity_changed listing.org_scoped destructive+loosens_access+breaking"],
    ],
    ["retention", modelOf(), modelOf({ retentionDays: 30 }), ["entity_changed listing.retention destructive"]],
    [
      "shorter retention",
      modelOf({ retentionDays: 30 }),
      modelOf({ retentionDays: 20 }),
      ["entity_changed listing.retention destructive"],
    ],
    [
      "longer retention",
      modelOf({ retentionDays: 30 }),
      modelOf({ retentionDays: 40 }),
      ["entity_changed listing.retention safe"],
    ],
    ["seed", modelOf(), modelOf({ seed: [{ status: "draft" }] }), ["entity_changed listing.seed safe"]],
    ["label", modelOf(), modelOf({ label: "Offer" }), ["entity_changed listing.label safe"]],
    ["an index", modelOf(), modelOf({ indexes: [["price"]] }), ["index_added listing.index(price) online"]],
    [
      "a check",
      modelOf(),
      modelOf({ checks: above(0) }),
      ["check_added listing.checks.priced breaking+data_dependent+online"],
    ],
    [
      "a stricter check",
      modelOf({ checks: above(0) }),
      modelOf({ checks: above(3) }),
      ["check_changed listing.checks.priced breaking+data_dependent+online"],
    ],
    [
      "a check that opens",
      modelOf({ checks: above(3) }),
      modelOf({ checks: above(0) }),
      ["check_changed listing.checks.priced online"],
    ],
    ["a check less", modelOf({ checks: above(3) }), modelOf(), ["check_removed listing.checks.priced safe"]],
    [
      "a lower limit",
      modelOf(),
      modelOf({}, fields, { api: { ...modelOf().api, burst: 1 } }),
      ["api_changed api.burst breaking"],
    ],
    [
      "a higher limit",
      modelOf(),
      modelOf({}, fields, { api: { ...modelOf().api, burst: 1_000 } }),
      ["api_changed api.burst safe"],
    ],
    ["tests", modelOf(), modelOf({}, fields, { tests: { users: [], rows: [], expect: [] } }), []],
  ])("%s", (_, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });
});

const note = (more: Partial<Field>): readonly Field[] =>
  fields.map((one) => (one.name === "note" ? { ...one, ...more } : one));
const referring = (onDelete: "restrict" | "cascade" | "set_null"): readonly Field[] => [
  sampleField("by", { kind: "user_ref", onDelete }, { optional: true }),
];

describe("fields", () => {
  test.each<[string, Model, Model, string]>([
    ["internal taken away", modelOf(), modelOf({}, note({ internal: false })), "listing.note loosens_access"],
    ["pii taken away", modelOf(), modelOf({}, note({ pii: false })), "listing.note loosens_access"],
    ["immutable taken away", modelOf(), modelOf({}, note({ immutable: false })), "listing.note loosens_access"],
    [
      "a secret given up",
      modelOf({}, note({ type: { kind: "secret" }, internal: false })),
      modelOf({}, note({ internal: false })),
      "listing.note unsupported+loosens_access",
    ],
    ["searchable", modelOf(), modelOf({}, note({ searchable: true })), "listing.note backfill"],
    ["deprecated", modelOf(), modelOf({}, note({ deprecated: "old" })), "listing.note safe"],
    [
      "deleted along",
      modelOf({}, referring("restrict")),
      modelOf({}, referring("cascade")),
      "listing.by loosens_access",
    ],
    [
      "no longer deleted along",
      modelOf({}, referring("cascade")),
      modelOf({}, referring("restrict")),
      "listing.by breaking",
    ],
  ])("%s", (_, before, after, expected) => {
    const changes = diffModels(before, after);
    expect(changes.map((one) => `${one.path} ${one.classes.join("+")}`)).toEqual([expected]);
    expect(changes[0]?.witness === undefined).toBe(!expected.includes("loosens_access"));
  });

  test.each<[FieldType, FieldType, string]>([
    [{ kind: "text" }, { kind: "uuid" }, "breaking+data_dependent+rewrite"],
    [{ kind: "json" }, { kind: "int" }, "unsupported"],
    [{ kind: "int" }, { kind: "bigint" }, "breaking+rewrite"],
    [{ kind: "bigint" }, { kind: "int" }, "breaking+data_dependent+rewrite"],
    [{ kind: "email" }, { kind: "text" }, "safe"],
    [{ kind: "text" }, { kind: "email" }, "breaking+data_dependent+online"],
    [{ kind: "uuid" }, { kind: "ref", entity: "listing", onDelete: "restrict" }, "breaking+data_dependent+online"],
    [{ kind: "datetime" }, { kind: "date" }, "destructive+breaking+rewrite"],
    [{ kind: "decimal", precision: 10, scale: 2 }, { kind: "decimal", precision: 12, scale: 2 }, "safe"],
    [
      { kind: "decimal", precision: 10, scale: 2 },
      { kind: "decimal", precision: 8, scale: 2 },
      "breaking+data_dependent+rewrite",
    ],
    [{ kind: "text" }, { kind: "list", of: { kind: "text" } }, "breaking+rewrite"],
    [{ kind: "object", fields: [] }, { kind: "json" }, "safe"],
    [{ kind: "vector", dimensions: 3 }, { kind: "vector", dimensions: 4 }, "unsupported"],
  ])("from %o to %o", (from, to, expected) => {
    const [change] = diffModels(modelOf({}, [sampleField("x", from)]), modelOf({}, [sampleField("x", to)]));
    expect(change?.classes.join("+")).toBe(expected);
  });
});

const edge: Edge = { name: "sell", from: ["active"], to: "sold", require: ["price"], emit: "listing.sell" };
const machine = (more: Partial<StateMachine> = {}): Partial<Entity> => ({
  stateMachine: { field: "status", initial: "draft", edges: [edge], ...more },
  permissions: [grant("user", "transition:sell", op("==", fieldOf({ kind: "uuid" }, "id", "old"), currentUser))],
});
const withEdge = (more: Partial<Edge>): Partial<Entity> => machine({ edges: [{ ...edge, ...more }] });

test.each<[string, Partial<Entity>, Partial<Entity>, string[]]>([
  [
    "a machine",
    { ...machine(), stateMachine: null },
    machine(),
    ["transition_added listing.transitions.status breaking"],
  ],
  [
    "none any more",
    machine(),
    { ...machine(), stateMachine: null },
    ["transition_removed listing.transitions.status loosens_access+breaking"],
  ],
  [
    "another beginning",
    machine(),
    machine({ initial: "active" }),
    ["transition_changed listing.transitions.status loosens_access+breaking"],
  ],
  ["an edge less", machine(), machine({ edges: [] }), ["transition_removed listing.transitions.sell breaking"]],
  [
    "from more states",
    machine(),
    withEdge({ from: ["active", "draft"] }),
    ["transition_changed listing.transitions.sell loosens_access"],
  ],
  [
    "nothing required",
    machine(),
    withEdge({ require: [] }),
    ["transition_changed listing.transitions.sell loosens_access"],
  ],
  [
    "more required",
    machine(),
    withEdge({ require: ["price", "note"] }),
    ["transition_changed listing.transitions.sell breaking"],
  ],
  [
    "another event",
    machine(),
    withEdge({ emit: "listing.sold" }),
    ["transition_changed listing.transitions.sell breaking"],
  ],
])("transitions: %s", (_, before, after, expected) => {
  expect(told(modelOf(before), modelOf(after))).toEqual(expected);
});

test("a first model breaks nothing, including profile fields", () => {
  const first = modelOf({}, fields, { userFields: [sampleField("phone", { kind: "phone" })] });
  const changes = diffModels(null, first);
  expect(changes.map((one) => `${one.kind} ${one.path} ${one.classes.join("+")}`)).toEqual([
    "module_added modules.auth safe",
    "field_added user.phone safe",
    "entity_added listing safe",
  ]);
  expect(changes[1]?.summary).toBe("Add the required field `phone` (phone) to `user`.");
});
