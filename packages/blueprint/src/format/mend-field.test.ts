// A fix is one small edit: the field is correct, the rest of the text is unchanged, and the result is valid.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { diffModels } from "../diff/diff.ts";
import { blockedFields, mendsOf } from "../diff/mends.ts";
import { type FieldMend, mendField } from "./mend-field.ts";

const blueprint = (...fields: string[]): string => `# A shop.
project: shop
modules: [auth, users, roles]
entities:
  product:
    fields:
      name: string # what it is called
${fields.map((field) => `      ${field}\n`).join("")}    permissions:
      admin: { all: true }
`;

const price = { entity: "product", field: "price" };

function mended(field: string, mend: FieldMend): string | null {
  const before = blueprint(field);
  const after = mendField(before, price, mend);
  if (after === null) return null;
  expect(checkBlueprint(after).diagnostics).toEqual([]);
  const [head = "", tail = ""] = before.split(field);
  expect(after.startsWith(head) && after.endsWith(tail), "nothing else moves").toBe(true);
  return after.slice(head.length, after.length - tail.length);
}

describe("a field in one line", () => {
  test.each<[string, FieldMend, string]>([
    ["price: money(EUR)", { kind: "optional" }, "price: money(EUR)?"],
    ["price: money(EUR) # net", { kind: "default", value: "0.00" }, "price: money(EUR) = 0.00 # net"],
    ["price: money(EUR) unique", { kind: "optional" }, "price: money(EUR)? unique"],
    ["price: string", { kind: "fill", expression: "name" }, "price: string fill(name)"],
    ["price: string(1,9) unique", { kind: "fill", expression: "name" }, "price: string(1,9) fill(name) unique"],
    ["price: enum[low, high]", { kind: "default", value: "low" }, "price: enum[low, high] = low"],
    ['price: "string"', { kind: "optional" }, 'price: "string?"'],
    ["price: { type: int, min: 0 }", { kind: "optional" }, "price: { type: int, min: 0, optional: true }"],
    ["price: { type: int, min: 0 }", { kind: "default", value: "5" }, "price: { type: int, min: 0, default: 5 }"],
    ["price: enum[low]", { kind: "as_in", text: blueprint("price: enum[low, high]") }, "price: enum[low, high]"],
  ])("%s, %j", (field, mend, expected) => expect(mended(field, mend)).toBe(expected));
});

test("a field over several lines gets a new line", () => {
  expect(mended("price:\n        type: int\n        min: 0", { kind: "default", value: "0" })).toBe(
    "price:\n        type: int\n        min: 0\n        default: 0",
  );
});

test("an existing modifier, or a missing field, changes nothing", () => {
  expect(mendField(blueprint("price: int?"), price, { kind: "optional" })).toBeNull();
  expect(mendField(blueprint("price: int = 1"), price, { kind: "default", value: "2" })).toBeNull();
  expect(mendField(blueprint("cost: int"), price, { kind: "optional" })).toBeNull();
  expect(mendField("entities: [", price, { kind: "optional" })).toBeNull();
});

test.each<[string | null, string, FieldMend["kind"][]]>([
  [null, "price: int", ["default", "fill", "optional"]],
  [null, "price: int?", []],
  ["price: int?", "price: int", ["fill", "optional"]],
  ["price: enum[low, high]", "price: enum[low]", ["as_in"]],
  ["price: string(1,90)", "price: string(1,9)", ["as_in"]],
  ["price: decimal(9,2)", "price: int", ["as_in"]],
  ["price: int", "price: int = 4", []],
])("from %s to %s, it offers %j", (before, after, offered) => {
  const [old, now] = [before === null ? [] : [before], [after]].map(
    (fields) => checkBlueprint(blueprint(...fields)).model,
  );
  if (!old || !now) throw new Error("invalid");
  expect(diffModels(old, now).flatMap(mendsOf)).toEqual(offered);
});

test("a step's violation names the field in the table that it reads", () => {
  const [old, now] = [blueprint("price: int?"), blueprint("price: int", "price_net: int")].map(
    (text) => checkBlueprint(text).model,
  );
  if (!old || !now) throw new Error("invalid");
  const found = (table: string, violation: string) =>
    blockedFields(diffModels(old, now), { table, violation }, (entity) => `${entity}s`).map(({ field }) => field);
  expect(found("products", "no value for price")).toEqual(["price"]);
  expect(found("products", "no value for price_net")).toEqual(["price_net"]);
  expect(found("orders", "no value for price")).toEqual([]);
});
