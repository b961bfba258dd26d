// A refusal by a field's own limits names the limit: a bound, a length, a pattern, whether the body's schema or
// Postgres finds it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell } from "./testing/test-cell.ts";

const blueprint = `
project: limited
modules: [auth]
entities:
  offer:
    fields:
      title: { type: string, optional: true, min: 2, max: 8 }
      code: { type: string, optional: true, pattern: "^[A-Z]{3}$" }
      places: { type: int, optional: true, min: 1, max: 5 }
      big: { type: bigint, optional: true, min: "-5" }
      price: { type: "decimal(10,2)", optional: true, min: "0.50", max: "5.00" }
      cost: { type: "money(EUR)", optional: true, min: "1.00" }
      day: { type: date, optional: true, min: "2024-01-01" }
      clock: { type: time, optional: true, max: "18:00" }
      moment: { type: datetime, optional: true, min: "2024-01-01T00:00:00Z" }
      span: { type: duration, optional: true, max: "PT8H" }
      from: int?
      until: int?
    checks:
      in_order: from <= until
    permissions:
      admin: { all: true }
`;

let cell: TestCell;

beforeAll(async () => {
  cell = await createTestCell();
  const project = await cell.addProject(blueprint);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin", "public"]));
});
afterAll(() => cell?.close());

test.each([
  ["title", "x", "too_short", "It must have at least 2 characters."],
  ["title", "123456789", "too_long", "It may have at most 8 characters."],
  ["code", "abc", "invalid_format", "It must match ^[A-Z]{3}$"],
  ["places", 6, "out_of_range", "It must be <= 5."],
  ["big", "-6", "out_of_range", "It must be at least -5."],
  ["price", "0.49", "out_of_range", "It must be at least 0.50 and at most 5.00."],
  ["price", "5.01", "out_of_range", "It must be at least 0.50 and at most 5.00."],
  ["cost", "0.99", "out_of_range", "It must be at least 1.00."],
  ["day", "2023-12-31", "out_of_range", "It must be at least 2024-01-01."],
  ["clock", "18:01", "out_of_range", "It must be at most 18:00:00."],
  ["moment", "2023-12-31T23:59:59Z", "out_of_range", "It must be at least 2024-01-01T00:00:00Z."],
  ["span", "PT9H", "out_of_range", "It must be at most PT8H."],
])("%s of %j", async (field, value, code, message) => {
  const reply = await cell.send("admin", "POST", "/api/offers", { [field]: value });
  expect([reply.status, reply.json.errors]).toEqual([422, [{ path: `/${field}`, code, message }]]);
});

test("a named check is about the record, in the author's words", async () => {
  const { json } = await cell.send("admin", "POST", "/api/offers", { from: 2, until: 1 });
  const message = 'The record must satisfy the check "in order".';
  expect(json.errors).toEqual([{ path: "", code: "check_failed", message }]);
});

test("what the limits allow is kept with its digits", async () => {
  const { json, status } = await cell.send("admin", "POST", "/api/offers", {
    price: "5.00",
    cost: "1.00",
    code: "ABC",
  });
  expect([status, json.data]).toEqual([201, expect.objectContaining({ price: "5.00", cost: "1.00", code: "ABC" })]);
});
