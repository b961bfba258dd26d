// Limits in a position where the notation doesn't allow them: the hint shows the long form, and the language accepts
// it.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

const field = (notation: string): string =>
  `project: demo\nmodules: [auth, users, roles, audit_logs]\nentities:\n  listing:\n    fields:\n      n: ${notation}\n    permissions: { admin: { all: true } }\n`;

test.each([
  ["string(max:)", "{ type: string, max: 80 }"],
  ["string(max)", "{ type: string, max: 80 }"],
  ["string(max: 5)", "{ type: string, max: 5 }"],
  ["'string(min: 1, max: 5)?'", "string(1,5)?"],
  ["string(max=5)", "string(,5)"],
  ["int(max: 5)", "{ type: int, max: 5 }"],
  ["list<string>(5)", "{ type: list<string>, max: 5 }"],
  ["list<string>[5]", "{ type: list<string>, max: 5 }"],
  ["'list<object{ a: int, b: int }>(max: 5)'", '{ type: "list<object{ a: int, b: int }>", max: 5 }'],
])("%s", (notation, longForm) => {
  const hints = checkBlueprint(field(notation)).diagnostics.map((one) => one.hint);
  expect(hints).toEqual([expect.stringContaining(`\`${longForm}\``)]);
  expect(checkBlueprint(field(longForm)).diagnostics).toEqual([]);
});

test.each([
  ['{ type: json, default: { "a\\0b": 1 } }'],
  ['{ type: "list<json>", default: [{ a: { "\\ud800": 1 } }] }'],
])("a key that can't be stored: %s", (notation) => {
  const told = checkBlueprint(field(notation)).diagnostics.map(({ code, hint }) => [code, hint]);
  expect(told).toEqual([["invalid_default", "One of its keys contains a NUL character or half of a surrogate pair."]]);
});
