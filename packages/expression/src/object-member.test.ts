// Members of objects: they are named like fields, have the types of JSON, and are null if the value has another type.
import { describe, expect, test } from "vitest";
import { checkRule, checkValue } from "./check.ts";
import { compareRules } from "./compare-rules.ts";
import type { ComparisonTypes } from "./compare-variables.ts";
import type { Value } from "./datum.ts";
import { evaluateValue } from "./evaluate.ts";
import { printExpression } from "./print.ts";
import type { RuleOperation, Scope } from "./scope.ts";
import { sampleSchema } from "./testing/sample-schema.ts";
import type { Expression } from "./tree.ts";

const scope: Scope = { schema: sampleSchema, record: "listing", operation: "read" };

function check(text: string, operation: RuleOperation = "read", record = "listing"): string {
  const { expression, problems } = checkRule([text], { schema: sampleSchema, record, operation });
  return expression === null
    ? problems.map((one) => `${one.code} ${one.start}-${one.end}`).join("; ")
    : printExpression(expression);
}

describe("are checked and printed", () => {
  test.each([
    ['address.city == "Berlin"', 'address.city == "Berlin"'],
    ["address.floor + 1 > price && address.kind == active", 'address.floor + 1 > price && address.kind == "active"'],
    ["address.place.lat > 52.5", "address.place.lat > 52.5"],
    ["has(address.since) && address.place != null", "address.since != null && address.place != null"],
    ["address.city.startsWith('B')", 'address.city.startsWith("B")'],
    ["address.cty == 'x'", "unknown_name 8-11"],
    ["address.city.name == 'x'", "unknown_name 13-17"],
    ["address.place.lat.x == 1", "unknown_name 18-19"],
    ["address.since > '2026-01-01'", "type_mismatch 0-28"],
    ["details.city == 'x'", "unknown_name 8-12"],
    ["title.city == 'x'", "unknown_name 6-10"],
  ])("%s", (text, expected) => expect(check(text)).toBe(expected));

  test("are available in every row, in other records, and in sent values", () => {
    expect(check("address.floor > 1", "update")).toBe("old.address.floor > 1 && new.address.floor > 1");
    expect(check("input.address.floor > 1", "create")).toBe("input.address.floor > 1");
    expect(check("listing.address.floor > 1", "read", "comment")).toBe("listing_id.address.floor > 1");
    expect(check("listings.exists(l, l.address.floor > 1)", "read", "shop")).toBe(
      "listings.exists(l, l.address.floor > 1)",
    );
  });
});

describe("are evaluated in memory", () => {
  const made = (text: string, address: Value): Value => {
    const { expression } = checkValue(text, scope, null);
    if (expression === null) throw new Error("it is wrong");
    return evaluateValue(expression, {
      rows: { record: { values: { address } } },
      user: { id: null, email: null, roles: [] },
    });
  };

  test.each<[string, Value, Value]>([
    ["address.city", { city: "Berlin" }, "Berlin"],
    ["address.city", { city: 1 }, null],
    ["address.city", {}, null],
    ["address.city", null, null],
    ["address.city", ["Berlin"], null],
    ["address.floor", { floor: 3 }, 3],
    ["address.floor", { floor: "3" }, 3],
    ["address.floor", { floor: 3.5 }, null],
    ["address.floor", { floor: true }, null],
    ["address.place.lat", { place: { lat: 52.5 } }, 52.5],
    ["address.place.lat", { place: "here" }, null],
    ["address.place == null", { place: null }, true],
    ["address.place == null", { place: {} }, false],
  ])("%s of %j", (text, address, expected) => expect(made(text, address)).toBe(expected));
});

describe("are compared", () => {
  const types: ComparisonTypes = {
    field: () => null,
    profile: () => null,
    rolesOfAll: ["public"],
    rolesOfUsers: ["user"],
  };
  const rule = (text: string): Expression => {
    const { expression } = checkRule([text], scope);
    if (expression === null) throw new Error(`${text} is wrong`);
    return expression;
  };

  test.each([
    ["address.city == 'Berlin'", "address.city == 'Berlin' && price > 1", "tighter"],
    ["address.city == 'Berlin'", "address.city in ['Berlin', 'Bonn']", "looser"],
    ["address.floor > 2", "address.floor >= 2", "looser"],
    ["address.floor > 2", "address.floor >= 3", "same"],
    ["address.floor > 2", "address.place.lat > 2.0", "looser"],
    ["address != null && address.floor > 2", "address.floor > 3", "undecided"],
    ["shop.open && shop.listings.exists(l, l.address.floor > 1)", "shop.open", "looser"],
  ])("%s, then %s: %s", (before, after, kind) => {
    expect(compareRules(rule(before), rule(after), types).kind).toBe(kind);
  });

  test("have a witness with the object", () => {
    const found = compareRules(rule("false"), rule("address.place.lat > 2.0 && address.city == 'Berlin'"), types);
    const address = found.kind === "looser" ? found.witness.context.rows.record?.values["address"] : null;
    expect(address).toMatchObject({ city: "Berlin", place: { lat: expect.any(Number) } });
  });
});
