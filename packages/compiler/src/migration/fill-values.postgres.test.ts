// Fills that calculate values at the limits of their types, on a real Postgres while the old release writes: a fill
// fails on no row, and gives a value that the field can store, or none.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createModelWalk, id, type ModelWalk, modelOf } from "./testing/model-walk.ts";
import { openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
let models: ModelWalk;
beforeAll(async () => {
  walker = await openWalker();
  models = createModelWalk(walker);
});
afterAll(() => walker?.close());

const fields = [
  "whole: int",
  "large: bigint",
  "float: float",
  'exact: "decimal(38, 12)"',
  "at: datetime",
  "long: duration",
];
const nines = `${"9".repeat(26)}.${"9".repeat(12)}`;
const rows = `insert into $.things (id, whole, large, float, exact, at, long) values
  (${id(1)}, -2147483648, -9223372036854775808, 1e308, ${nines}, '9999-12-31T23:59:59Z', 'P999999D'),
  (${id(2)}, 2147483647, 9223372036854775807, 5e-324, -${nines}, '0001-01-01T00:00:00Z', 'PT0S'),
  (${id(3)}, 0, 1, 0, 0.000000000001, '2026-01-31T09:30:00Z', 'PT1H')`;

test.each([
  ["int? fill(whole)", "-2147483648", "2147483647", "0"],
  ["bigint? fill(whole)", "-2147483648", "2147483647", "0"],
  ["int? fill(large)", null, null, "1"],
  ["bigint? fill(large)", "-9223372036854775808", "9223372036854775807", "1"],
  ["bigint? fill(large + 1)", "-9223372036854775807", null, "2"],
  ["float? fill(whole)", "-2147483648", "2147483647", "0"],
  ["float? fill(large * large * large)", "-7.846377169233351e+56", "7.846377169233351e+56", "1"],
  ["decimal(3, 1)? fill(whole)", null, null, "0.0"],
  ["int? fill(float)", null, null, "0"],
  ["float? fill(exact * exact)", "1e+52", "1e+52", "1e-24"],
  ["datetime? fill(at + long)", null, "0001-01-01 00:00:00+00", "2026-01-31 10:30:00+00"],
  ["datetime? fill(at - duration('PT24H'))", "9999-12-30 23:59:59+00", null, "2026-01-30 09:30:00+00"],
  ["duration? fill(at - created_at)", null, null, "2222 days 09:30:00"],
  ["duration? fill(long - duration('PT1H'))", "999998 days 23:00:00", null, "00:00:00"],
])("%s", async (fill, ...expected) => {
  const before = modelOf({ thing: { fields } });
  const after = modelOf({ thing: { fields: [...fields, `made: "${fill}"`] } });
  const names = await models.started(before, rows);
  await models.run(names, "update $.things set created_at = '2020-01-01T00:00:00Z'");
  await models.go(names, before, after, { meanwhile: "update $.things set whole = whole" });
  const found = await models.run(names, "select made::text from $.things order by id");
  expect(found.map(([made]) => made)).toEqual(expected);
});
