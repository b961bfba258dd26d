// The view that rules have of a model: the type of each field, the targets of references, relations, users.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { entities } from "../check/testing/sample-entities.ts";
import { expressionSchema } from "./expression-schema.ts";

const fields = [
  ...["string", "text", "markdown", "slug", "email", "url", "phone", "color", "timezone", "country"].map((type) => [
    type,
    "text",
  ]),
  ...["currency", "locale", "sequence(A-)"].map((type) => [type, "text"]),
  ...["int", "bigint"].map((type) => [type, "int"]),
  ["float", "float"],
  ...["decimal(4,2)", "money(EUR)", "percent"].map((type) => [type, "decimal"]),
  ...["bool", "date", "time", "datetime", "duration", "uuid"].map((type) => [type, type]),
  ["enum[a, b]", "enum a|b"],
  ["enum_set[a, b]", "list of enum a|b"],
  ["list<int>", "list of int"],
  ["list<enum[a, b]>", "list of enum a|b"],
  ["list<json>", "opaque list"],
  ...["json", "i18n<text>", "point", "vector(3)", "secret"].map((type) => [
    type,
    `opaque ${/^\w+?(?=<|\(|$)/.exec(type)?.[0]}`,
  ]),
  ["'object{ a: int }'", "opaque object"],
  ["user_ref", "uuid"],
  ["org_ref", "uuid"],
  ["ref(b)", "uuid"],
] as const;

const [a, b] = entities(
  `a:\n${fields.map(([type], index) => `  f${index}: ${type}\n`).join("")}  many: refs(b) as(others)\n  sum: computed(f13 + 1)\nb:\n  n: int\n`,
);
if (a === undefined || b === undefined) throw new Error("two entities were declared");

const schema = expressionSchema({
  entities: [a, b],
  userFields: b.fields.filter((field) => field.name === "n"),
  roles: ["public"],
  rules: new Map([["mine", "true"]]),
  grants: () => null,
});

function shown(type: { kind: string } & Record<string, unknown>): string {
  if (type.kind === "enum") return `enum ${(type["values"] as string[]).join("|")}`;
  if (type.kind === "list") return `list of ${shown(type["of"] as { kind: string } & Record<string, unknown>)}`;
  return type.kind === "opaque" ? `opaque ${type["name"]}` : type.kind;
}

describe("the type of a field in a rule", () => {
  test.each(fields.map(([type, expected], index) => [type, expected, index] as const))(
    "%s is %s",
    (_, expected, index) => {
      const field = schema.records.get("a")?.fields.get(`f${index}`);
      expect(field && shown(field.type as { kind: string } & Record<string, unknown>)).toBe(expected);
    },
  );
});

test("references lead to their records", () => {
  const leads = [...(schema.records.get("a")?.fields ?? [])].flatMap(([name, field]) =>
    field.refersTo === null ? [] : [`${name}: ${field.refersTo}`],
  );
  const at = fields.length - 3;
  expect(leads).toEqual([`f${at}: user`, `f${at + 1}: organization`, `f${at + 2}: b`, "created_by: user"]);
});

test("relations to many are not fields; a computed field is its expression", () => {
  const record = schema.records.get("a");
  expect([...(record?.relations ?? [])]).toEqual([["many", { record: "b" }]]);
  expect([...(schema.records.get("b")?.relations.keys() ?? [])].sort()).toEqual(["as", "others"]);
  expect(record?.fields.has("many")).toBe(false);
  const made = record?.fields.get("sum")?.computed?.();
  expect(typeof made === "object" ? printExpression(made) : made).toMatch(/\w/);
});

test("users with their profile, and organizations", () => {
  expect([...(schema.records.get("user")?.fields.keys() ?? [])]).toEqual(["id", "email", "name", "n"]);
  expect([...(schema.records.get("organization")?.fields.keys() ?? [])]).toEqual([
    "id",
    "name",
    "created_at",
    "updated_at",
  ]);
  expect(schema.organizationRoles).toEqual(["owner", "admin", "member"]);
  expect([schema.roles, schema.rules.get("mine"), schema.grants("a", "read")]).toEqual([["public"], "true", null]);
});
