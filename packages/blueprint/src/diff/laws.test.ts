// Laws of the diff: a model compared with itself has no change, a rename loses nothing, and no change of a model's
// member is missed. The test changes each member, one at a time.
import { readdirSync, readFileSync } from "node:fs";
import type { Expression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { BackgroundPart } from "../model/background.ts";
import type { Entity, Field, FieldType, Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import { protect } from "./protect.ts";
import {
  currentUser,
  fieldOf,
  grant,
  hasRole,
  literal,
  op,
  sampleAction,
  sampleEntity,
  sampleField,
  sampleModel,
  sampleWorkflow,
  yes,
} from "./testing/samples.ts";

const status: FieldType = { kind: "enum", values: ["draft", "active", "sold"] };
const _none = { min: null, max: null, pattern: null };
const objectType: FieldType = {
  kind: "object",
  fields: [
    { name: "street", type: { kind: "string" }, optional: false, limits: { min: "1", max: "80", pattern: "^a" } },
  ],
};
const part = (name: string, to: string): BackgroundPart => ({
  name,
  declaration: { run: "x" },
  egress: [{ to, entity: "listing" }],
});
const price = fieldOf({ kind: "int" }, "price");

const listing: Entity = sampleEntity(
  "listing",
  [
    sampleField(
      "title",
      { kind: "string" },
      {
        limits: { min: "1", max: "80", pattern: "^[a-z]+$" },
        searchable: true,
        was: "name",
        label: "Title",
        help: "What it is",
      },
    ),
    sampleField("slug", { kind: "slug", from: "title" }),
    sampleField("status", status, { default: { kind: "literal", value: "draft" } }),
    sampleField("price", { kind: "int" }, { optional: true, limits: { min: "0", max: "10", pattern: null } }),
    sampleField("fee", { kind: "decimal", precision: 10, scale: 2 }),
    sampleField("cost", { kind: "money", currency: "EUR", scale: 2 }, { internal: true }),
    sampleField(
      "owner_id",
      { kind: "user_ref", onDelete: "restrict" },
      { default: { kind: "current_user_id" }, immutable: true, pii: true },
    ),
    sampleField("shop_id", { kind: "ref", entity: "shop", onDelete: "cascade" }, { optional: true }),
    sampleField(
      "org_id",
      { kind: "org_ref", onDelete: "restrict" },
      { default: { kind: "current_org" }, writer: "service", declared: false },
    ),
    sampleField("tag_ids", { kind: "refs", entity: "shop" }),
    sampleField("options", { kind: "enum_set", values: ["a", "b"] }),
    sampleField("address", objectType),
    sampleField("words", { kind: "list", of: { kind: "string" } }),
    sampleField("texts", { kind: "i18n", of: { kind: "text" } }),
    sampleField("place", { kind: "vector", dimensions: 3 }),
    sampleField("photo", { kind: "image", mime: ["image/png"], maxBytes: 1000 }),
    sampleField("scan", { kind: "file", mime: ["application/pdf"], maxBytes: null }),
    sampleField("number", { kind: "sequence", prefix: "L-" }),
    sampleField("code", { kind: "secret" }, { deprecated: "use number" }),
    sampleField("half", {
      kind: "computed",
      expression: { kind: "operation", type: { kind: "int" }, operator: "/", args: [price, literal(2)] },
    }),
    sampleField("due", { kind: "date" }, { default: { kind: "today" } }),
  ],
  {
    was: "offer",
    uniques: [["title"], ["slug", "shop_id"]],
    indexes: [["price"], ["status", "price"]],
    checks: [{ name: "priced", condition: op(">", price, literal(0)) }],
    relations: [{ name: "tags", entity: "shop", by: { kind: "refs", field: "tag_ids" } }],
    orgField: "org_id",
    softDelete: true,
    retentionDays: 30,
    stateMachine: {
      field: "status",
      initial: "draft",
      edges: [{ name: "publish", from: ["draft"], to: "active", require: ["price"], emit: "listing.publish" }],
    },
    seed: [{ title: "first" }],
    realtime: true,
    label: "Listing",
    help: "Something for sale",
    permissions: [
      grant("user", "create", yes, { fields: ["title"], set: [{ field: "owner_id", value: currentUser }] }),
      grant("public", "read", op("==", fieldOf(status, "status"), literal("active")), {
        fields: ["title", "price"],
        limit: 20,
      }),
      grant("owner", "transition:publish", op("==", fieldOf({ kind: "uuid" }, "owner_id", "old"), currentUser)),
    ],
  },
);
const shop: Entity = sampleEntity("shop", [sampleField("name", { kind: "string" })], {
  relations: [
    { name: "listings", entity: "listing", by: { kind: "referrer", field: "shop_id" } },
    { name: "tagged", entity: "listing", by: { kind: "refs_inverse", field: "tag_ids" } },
  ],
});
const base: Model = sampleModel(
  [listing, shop],
  {
    modules: ["auth", "users", "storage"],
    userFields: [sampleField("phone", { kind: "phone" }, { optional: true, pii: true })],
    background: {
      events: [{ name: "listing.seen", payload: [sampleField("by", { kind: "uuid" })], help: "Somebody looked." }],
      workers: [sampleWorkflow("label", { egress: [{ to: "http", entity: "listing" }] })],
      workflows: [sampleWorkflow("tell", { egress: [{ to: "email", entity: "listing" }] })],
      schedules: [
        { name: "nightly", cron: "0 2 * * *", timezone: "UTC", run: "label", overlap: "skip", catchUp: "none" },
      ],
      actions: [sampleAction("buy", { user: yes })],
      inboundWebhooks: [part("paid", "http")],
      outboundWebhooks: part("out", "webhook"),
      integrations: [part("shipping", "http")],
      retentionDays: 30,
    },
    tests: { users: [], rows: [], expect: [] },
  },
  { support: ["user"], lead: ["support", "user"] },
);

test("a model compared with itself has no change, and touches nothing", () => {
  expect(diffModels(base, base)).toEqual([]);
  expect(diffModels(structuredClone(base), base)).toEqual([]);
  expect(protect(base, base, "ai")).toEqual([]);
});

type Path = readonly (string | number)[];

/** Members whose change has no effect, and the reason. */
const silent: readonly RegExp[] = [
  /^tests/, // change nothing that is served
  /\.was$/, // only has an effect in a rename
  /\.declared$/, // whether a field of every record is also declared; its meaning is compared
  /\.relations(\.\d+\.(entity|by).*)?$/, // follow from the fields that define them, whose names are reported
  /^roles\.\d+\.builtin$/, // can't be different in a text
  /^background\.outboundWebhooks\.egress/, // follows from the events in it
  /^background\.(workers|workflows)\.\d+\.egress/, // follows from the steps
  /^background\.\w+(\.\d+)?\.name$/, // reported as one removed and one added part, below
];

const isSold = op("==", fieldOf({ kind: "text" }, "title"), literal("sold"));
const alternatives: Readonly<Record<string, readonly unknown[]>> = {
  audit: ["writes", "all"],
  writer: ["caller", "service"],
  onDelete: ["restrict", "cascade"],
  operation: ["delete", "restore"],
  kind: [],
  orgField: [null],
  role: ["admin"],
  when: [isSold],
  if: [isSold],
  lookup: [{}],
  forEach: [{ items: { kind: "literal", value: [] }, parallelMax: 1 }],
  output: [{ kind: "literal", value: 1 }],
};

/** The model with each of its leaves changed, one at a time. */
function* mutations(value: unknown, path: Path = []): Generator<{ path: Path; value: unknown }> {
  const name = String(path.at(-1) ?? "");
  if (isExpression(value)) {
    yield {
      path,
      value: value.type.kind === "bool" ? op("&&", value, hasRole("support"), op("!=", price, literal(3))) : literal(7),
    };
  } else if (name in alternatives) {
    for (const other of alternatives[name] ?? [])
      if (JSON.stringify(other) !== JSON.stringify(value)) yield { path, value: other };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* mutations(item, [...path, index]);
    if (value.length > 0) yield { path, value: value.slice(1) };
  } else if (value !== null && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) yield* mutations(item, [...path, key]);
  } else yield { path, value: another(value, name) };
}

function isExpression(value: unknown): value is Expression {
  return value !== null && typeof value === "object" && "type" in value && "kind" in value;
}

function another(value: unknown, name: string): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value === "string") return /^\d+$/.test(value) ? String(Number(value) + 1) : `${value}x`;
  if (name === "default") return { kind: "literal", value: "x" };
  if (name === "fields") return ["title"];
  if (name === "stateMachine") return { field: "name", initial: "a", edges: [] };
  return /Days|Bytes|limit/.test(name) ? 5 : name === "min" || name === "max" ? "5" : "something";
}

function withChange(value: unknown, [head, ...rest]: Path, change: unknown): unknown {
  if (head === undefined) return change;
  if (Array.isArray(value)) return value.map((item, index) => (index === head ? withChange(item, rest, change) : item));
  return { ...(value as object), [head]: withChange((value as Record<string, unknown>)[head], rest, change) };
}

test("no change of a model's member is missed", () => {
  const unseen: string[] = [];
  let count = 0;
  for (const { path, value } of mutations(base)) {
    const place = path.join(".");
    if (silent.some((one) => one.test(place))) continue;
    count++;
    const changed = withChange(base, path, value) as Model;
    const found = diffModels(base, changed);
    if (found.length === 0) unseen.push(`${place} = ${JSON.stringify(value)}`);
    for (const change of found) {
      expect(change.classes.length, place).toBeGreaterThan(0);
      expect(change.classes.includes("safe") && change.classes.length > 1, place).toBe(false);
      expect(change.classes.includes("loosens_access"), place).toBe(change.witness !== undefined);
    }
    expect(new Set(found.map((one) => `${one.kind} ${one.path}`)).size, place).toBe(found.length);
  }
  console.info(`members of a model, each changed: ${count}`);
  expect(unseen).toEqual([]);
  expect(count).toBeGreaterThan(300);
});

const everyType: readonly FieldType[] = [
  ...(
    [
      "string",
      "text",
      "markdown",
      "email",
      "url",
      "phone",
      "color",
      "int",
      "bigint",
      "float",
      "percent",
      "date",
      "time",
    ] as const
  ).map((kind) => ({ kind })),
  ...(
    [
      "datetime",
      "duration",
      "timezone",
      "bool",
      "country",
      "currency",
      "locale",
      "json",
      "point",
      "uuid",
      "secret",
    ] as const
  ).map((kind) => ({ kind })),
  ...listing.fields
    .map((field) => field.type)
    .filter((type) => "values" in type || "of" in type || "fields" in type || "onDelete" in type),
  ...listing.fields
    .map((field) => field.type)
    .filter((type) =>
      ["slug", "decimal", "money", "vector", "image", "file", "sequence", "computed", "refs"].includes(type.kind),
    ),
];

test("every change of a type is reported and classified", () => {
  const counts: Record<string, number> = {};
  for (const from of everyType) {
    for (const to of everyType) {
      if (from.kind === to.kind) continue;
      const model = (type: FieldType): Model => sampleModel([sampleEntity("a", [sampleField("x", type)])]);
      const [change, ...more] = diffModels(model(from), model(to));
      expect(more, `${from.kind} to ${to.kind}`).toEqual([]);
      expect(change, `${from.kind} to ${to.kind}`).toMatchObject({ kind: "field_changed", path: "a.x" });
      const grave = change?.classes[0] ?? "";
      counts[grave] = (counts[grave] ?? 0) + 1;
    }
  }
  console.info("changes of type by gravest class:", counts);
});

const folder = new URL("../../../../docs/examples/", import.meta.url);

test.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))(
  "%s compared with itself has no change",
  (name) => {
    const { model } = checkBlueprint(readFileSync(new URL(name, folder), "utf8"));
    expect(model === null ? null : diffModels(model, model)).toEqual([]);
  },
);

describe("renames", () => {
  const withFields = (fields: readonly Field[]): Model => sampleModel([sampleEntity("a", fields)]);

  test("drop nothing and add nothing", () => {
    const renamed = JSON.parse(
      JSON.stringify(base)
        .replaceAll('"price"', '"amount"')
        .replaceAll('"listing"', '"offer"')
        .replaceAll('"listing.created"', '"offer.created"')
        .replaceAll('"shop"', '"store"'),
    ) as Model;
    const after: Model = {
      ...renamed,
      entities: renamed.entities.map((entity) => ({
        ...entity,
        was: entity.name === "offer" ? "listing" : "shop",
        fields: entity.fields.map((field) => (field.name === "amount" ? { ...field, was: "price" } : field)),
      })),
    };
    expect(diffModels(base, after).map((one) => `${one.kind} ${one.path}`)).toEqual([
      "entity_renamed offer",
      "field_renamed offer.amount",
      "entity_renamed store",
    ]);
    expect(diffModels(after, after)).toEqual([]);
  });

  test("are suggested for a drop next to an add of the same form", () => {
    const before = withFields([sampleField("colour", { kind: "string" })]);
    const [, removed] = diffModels(before, withFields([sampleField("color", { kind: "string" })]));
    expect(removed).toMatchObject({ kind: "field_removed", classes: ["destructive", "breaking"] });
    expect(removed?.summary).toContain("If `color` is meant to be the same field, write `was(colour)` on it.");
    const other = sampleModel([sampleEntity("b", [sampleField("colour", { kind: "string" })])]);
    expect(
      diffModels(before, other)
        .map((one) => one.summary)
        .join(" "),
    ).toContain("add `was: a` to it");
  });
});
