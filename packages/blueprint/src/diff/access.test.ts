// Changes of a policy that give somebody access, one by one. `diff/policy.test.ts` shows that all of them are reported.
import type { Expression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import type { Entity, Field, FieldType, Model, Permission } from "../model/model.ts";
import type { Change } from "./change.ts";
import { diffModels } from "./diff.ts";
import {
  currentUser,
  fieldOf,
  grant,
  hasRole,
  literal,
  op,
  sampleEntity,
  sampleField,
  sampleModel,
  yes,
} from "./testing/samples.ts";

const status: FieldType = { kind: "enum", values: ["draft", "active"] };
const uuid: FieldType = { kind: "user_ref", onDelete: "restrict" };
const fields: readonly Field[] = [
  sampleField("status", status),
  sampleField("price", { kind: "int" }, { optional: true }),
  sampleField("owner_id", uuid),
];

const isStatus = (value: string, row = "record"): Expression =>
  op("==", fieldOf(status, "status", row), literal(value));
const isMine = (row = "record"): Expression => op("==", fieldOf(uuid, "owner_id", row), currentUser);

function modelOf(
  permissions: readonly Permission[],
  roles: Record<string, string[]> = { support: [] },
  more: Partial<Entity> = {},
): Model {
  return sampleModel([sampleEntity("listing", fields, { permissions, ...more })], {}, roles);
}

function loosening(before: Model, after: Model): Change[] {
  return diffModels(before, after).filter((change) => change.classes.includes("loosens_access"));
}

describe("a grant is compared with all grants together", () => {
  const mine = grant("user", "read", isMine());

  test.each<[string, Model, Model, boolean]>([
    ["a first one", modelOf([]), modelOf([mine]), true],
    ["of `user`, given to `owner`", modelOf([mine]), modelOf([{ ...mine, role: "owner" }]), false],
    ["of `owner`, given to all", modelOf([{ ...mine, role: "owner" }]), modelOf([{ ...mine, role: "public" }]), false],
    ["for all who are signed in", modelOf([mine]), modelOf([grant("user", "read", yes)]), true],
    [
      "for `support` what `public` has",
      modelOf([grant("public", "read", isStatus("active"))]),
      modelOf([grant("public", "read", isStatus("active")), grant("support", "read", isStatus("active"))]),
      false,
    ],
    [
      "for `support` more than `public` has",
      modelOf([grant("public", "read", isStatus("active"))]),
      modelOf([grant("public", "read", isStatus("active")), grant("support", "read", yes)]),
      true,
    ],
    [
      "taken from `support`, whom `user` stands for",
      modelOf([grant("user", "read", yes), grant("support", "read", yes)], { support: ["user"] }),
      modelOf([grant("user", "read", yes)], { support: ["user"] }),
      false,
    ],
    [
      "a role that inherits",
      modelOf([mine, grant("admin", "read", yes)]),
      modelOf([mine, grant("admin", "read", yes)], { support: ["admin"] }),
      true,
    ],
    [
      "a role that inherits what all have",
      modelOf([grant("public", "read", yes)]),
      modelOf([grant("public", "read", yes)], { support: ["public"] }),
      false,
    ],
    [
      "more fields",
      modelOf([{ ...mine, fields: ["status"] }]),
      modelOf([{ ...mine, fields: ["status", "price"] }]),
      true,
    ],
    ["all fields", modelOf([{ ...mine, fields: ["status"] }]), modelOf([mine]), true],
    ["fewer fields", modelOf([mine]), modelOf([{ ...mine, fields: ["status"] }]), false],
    [
      "fields that another grant shows the same people",
      modelOf([
        { ...mine, fields: ["status"] },
        { ...mine, role: "owner", fields: ["price"] },
      ]),
      modelOf([
        { ...mine, fields: ["status", "price"] },
        { ...mine, role: "owner", fields: ["price"] },
      ]),
      false,
    ],
    [
      "a body that no single grant took",
      modelOf([
        grant("user", "create", yes, { fields: ["status"] }),
        grant("owner", "create", yes, { fields: ["price"] }),
      ]),
      modelOf([
        grant("user", "create", yes, { fields: ["status", "price"] }),
        grant("owner", "create", yes, { fields: ["price"] }),
      ]),
      true,
    ],
    [
      "a value no longer forced",
      modelOf([grant("user", "create", yes, { set: [{ field: "owner_id", value: currentUser }] })]),
      modelOf([grant("user", "create", yes)]),
      true,
    ],
    [
      "a value that was forced on nobody, since another grant is free",
      modelOf([
        grant("user", "create", yes, { set: [{ field: "owner_id", value: currentUser }] }),
        grant("public", "create", yes),
      ]),
      modelOf([grant("user", "create", yes), grant("public", "create", yes)]),
      false,
    ],
    ["a larger page", modelOf([{ ...mine, limit: 10 }]), modelOf([{ ...mine, limit: 20 }]), true],
    ["a page without bound", modelOf([{ ...mine, limit: 10 }]), modelOf([mine]), true],
    ["a smaller page", modelOf([{ ...mine, limit: 20 }]), modelOf([{ ...mine, limit: 10 }]), false],
    [
      "another organization's rows",
      modelOf([mine], {}, { orgField: "owner_id" }),
      modelOf([mine], {}, { orgField: null }),
      true,
    ],
    [
      "rows of one organization alone",
      modelOf([mine], {}, { orgField: null }),
      modelOf([mine], {}, { orgField: "owner_id" }),
      false,
    ],
    [
      "the old row alone",
      modelOf([grant("user", "update", op("&&", isMine("old"), isMine("new")))]),
      modelOf([grant("user", "update", isMine("old"))]),
      true,
    ],
  ])("%s", (_, before, after, expected) => {
    expect(loosening(before, after).length > 0).toBe(expected);
    for (const change of loosening(before, after)) expect(change.witness?.decided).toBe(true);
  });

  test("a removed role no longer excludes its holders", () => {
    const before = modelOf([grant("user", "read", op("!", hasRole("banned")))], { banned: [] });
    const [change] = loosening(before, modelOf([grant("user", "read", yes)], {}));
    expect(change).toMatchObject({ path: "listing.permissions.user.read", witness: { decided: true } });
  });

  test("two roles that only give access together are reported with the last one", () => {
    const both = [grant("public", "read", op("&&", hasRole("a"), hasRole("b")))];
    const roles = { a: [], b: [], c: [], d: [] };
    const changes = loosening(modelOf(both, roles), modelOf(both, { ...roles, c: ["a"], d: ["b"] }));
    expect(changes.map((change) => change.path)).toContain("roles.d");
  });

  test("the witness is a sentence", () => {
    const [change] = loosening(
      modelOf([grant("public", "read", isStatus("active"))]),
      modelOf([grant("public", "read", yes)]),
    );
    expect(change?.witness).toEqual({
      role: "public",
      operation: "read",
      entity: "listing",
      decided: true,
      summary: "`public` can now read a `listing` with status `draft`.",
      record: { status: "draft" },
    });
  });
});

describe("a rule after a change of its fields", () => {
  const rule = grant("public", "read", op("!=", fieldOf(status, "status"), literal("draft")));
  const withFields = (own: readonly Field[], permissions: readonly Permission[]): Model =>
    sampleModel([sampleEntity("listing", own, { permissions })]);

  test("a renamed field is the same field", () => {
    const after = withFields(
      [sampleField("state", status, { was: "status" })],
      [grant("public", "read", op("!=", fieldOf(status, "state"), literal("draft")))],
    );
    const changes = diffModels(withFields([sampleField("status", status)], [rule]), after);
    expect(changes.map((one) => one.kind)).toEqual(["field_renamed"]);
  });

  test("swapping two fields changes a rule with the same text", () => {
    const pair = (was: boolean): Field[] => [
      sampleField("owner_id", uuid, { was: was ? "buyer_id" : null }),
      sampleField("buyer_id", uuid, { was: was ? "owner_id" : null }),
    ];
    const changes = diffModels(
      withFields(pair(false), [grant("user", "read", isMine())]),
      withFields(pair(true), [grant("user", "read", isMine())]),
    );
    expect(changes.map((one) => `${one.kind} ${one.classes[0]}`)).toEqual([
      "field_renamed breaking",
      "field_renamed breaking",
      "permission_changed loosens_access",
    ]);
  });

  test("with a new value, the rules are compared on all values", () => {
    const wider: FieldType = { kind: "enum", values: ["draft", "active", "hidden"] };
    const before = withFields([sampleField("status", status)], [rule]);
    const same = withFields([sampleField("status", wider)], [rule]);
    const other = withFields([sampleField("status", wider)], [grant("public", "read", isStatus("active"))]);
    expect(loosening(before, same)).toEqual([]);
    expect(loosening(before, other)).toEqual([]);
    expect(loosening(other, same)).toHaveLength(1);
  });

  test("a field with another type is a different field", () => {
    const number = grant("public", "read", op(">", fieldOf({ kind: "int" }, "price"), literal(3)));
    const words = grant("public", "read", op("==", fieldOf({ kind: "text" }, "price"), literal("4")));
    const before = withFields([sampleField("price", { kind: "int" })], [number]);
    const [change] = loosening(before, withFields([sampleField("price", { kind: "text" })], [words]));
    expect(change?.witness?.decided).toBe(false);
  });

  test("a rule with the same text is compared again if its fields have other types", () => {
    const pairOf = (type: FieldType): Model =>
      withFields(
        [sampleField("a", type), sampleField("b", type)],
        [grant("public", "read", op("<", fieldOf(type, "a"), fieldOf(type, "b")))],
      );
    const [change] = loosening(pairOf({ kind: "int" }), pairOf({ kind: "text" }));
    expect(change?.witness?.decided).toBe(false);
    expect(loosening(pairOf({ kind: "int" }), pairOf({ kind: "bigint" }))).toEqual([]);
  });

  test("a rule is compared again if its computed fields change", () => {
    const halved = (kind: "int" | "decimal"): Model => {
      const type: FieldType = kind === "int" ? { kind } : { kind, precision: 10, scale: 2 };
      const half: Expression = {
        kind: "operation",
        type: { kind },
        operator: "/",
        args: [fieldOf(type, "a"), literal(2)],
      };
      return withFields([sampleField("a", type)], [grant("public", "read", op(">", half, literal(2)))]);
    };
    expect(loosening(halved("int"), halved("decimal"))).toHaveLength(1);
  });

  test("a computed field shows the fields that it uses", () => {
    const secret = sampleField("cost", { kind: "int" }, { internal: true });
    const computed = sampleField("margin", { kind: "computed", expression: fieldOf({ kind: "int" }, "cost") });
    const before = withFields([secret], [grant("public", "read", yes)]);
    const [change] = loosening(before, withFields([secret, computed], [grant("public", "read", yes)]));
    expect(change).toMatchObject({ kind: "field_added", path: "listing.margin" });
  });
});
