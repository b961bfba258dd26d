// Each conversion on a real Postgres: its result, and that no value of the type makes it fail.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conversionOf } from "./conversions.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** In the order of the values; undefined if there is no conversion. */
async function convert(from: string, to: string, values: readonly (string | null)[]): Promise<unknown[] | undefined> {
  const conversion = conversionOf(from, to);
  if (conversion === null) return undefined;
  const sql = `select (${conversion.of("v.x")})::text as y, (${conversion.of("v.x")})::${to} is null as none
    from (select x::${from} as x, n from unnest($1::text[]) with ordinality as u (x, n)) v order by v.n`;
  const { rows } = await client.query<{ y: string | null }>(sql, [values]);
  return rows.map(({ y }) => y);
}

describe("converts", () => {
  test.each([
    [
      "text",
      "integer",
      { "42": "42", "-7": "-7", "2147483648": null, "1.0": null, "": null, "٣": null, "99999999999999999999999": null },
    ],
    ["text", "bigint", { "9223372036854775807": "9223372036854775807", "9223372036854775808": null, "+1": null }],
    [
      "text",
      "numeric(5,2)",
      { "1.5": "1.50", "1.555": null, "1000": null, "999.99": "999.99", NaN: null, "1e3": null },
    ],
    ["text", "double precision", { "1.5": "1.5", "1e99": "1e+99", "1e999": null, NaN: null, x: null }],
    ["text", "boolean", { true: "true", false: "false", yes: null }],
    [
      "text",
      "date",
      { "2024-02-29": "2024-02-29", "2023-02-29": null, "2023-13-01": null, "0000-01-01": null, "2024-2-9": null },
    ],
    ["text", "time(6)", { "09:30": "09:30:00", "24:00": null, "23:59:59.123456": "23:59:59.123456" }],
    ["text", "timestamptz", { "2024-02-30T00:00:00Z": null, "2024-02-29 00:00:00": null, now: null, infinity: null }],
    ["text", "interval", { PT1H: "01:00:00", P1W: "7 days", P1M: null, P: null, PT: null, P99999999999D: null }],
    [
      "text",
      "uuid",
      { "0190B3C2-1111-7000-8000-000000000001": "0190b3c2-1111-7000-8000-000000000001", "0190b3c2": null },
    ],
    ["text", "text[]", { a: "{a}", "": '{""}' }],
    ["integer", "numeric(4,2)", { "99": "99.00", "100": null }],
    ["integer", "boolean", { "0": "false", "1": "true", "2": null }],
    ["bigint", "integer", { "1": "1", "2147483648": null, "-9223372036854775808": null }],
    ["bigint", "double precision", { "9007199254740991": "9.007199254740991e+15", "9007199254740993": null }],
    ["numeric(10,4)", "numeric(10,2)", { "1.25": "1.25", "1.255": null }],
    ["numeric(10,2)", "numeric(10,4)", { "1.25": "1.2500", "12345678.9": null }],
    ["numeric(10,2)", "integer", { "3.00": "3", "3.5": null, "99999999": "99999999" }],
    ["numeric(10,2)", "text", { "3": "3.00" }],
    [
      "double precision",
      "integer",
      { "3": "3", "3.5": null, NaN: null, Infinity: null, "1e300": null, "-2147483647": "-2147483647" },
    ],
    ["double precision", "bigint", { "123456789012345": "123456789012345", "1e18": null }],
    [
      "double precision",
      "numeric(10,2)",
      { "0.1": "0.10", "0.125": null, NaN: null, Infinity: null, "1e300": null, "1e-300": null },
    ],
    ["boolean", "integer", { true: "1", false: "0" }],
    ["boolean", "text", { true: "true" }],
    ["date", "timestamptz", { "2024-02-29": expect.stringMatching(/^2024-02-29 00:00:00/) }],
    ["timestamptz", "date", { "2024-02-29T23:59:59-01:00": "2024-03-01" }],
    ["timestamptz", "time(6)", { "2024-02-29T23:59:59.5Z": "23:59:59.5" }],
    ["timestamptz", "text", { "2024-02-29T23:59:59.5Z": "2024-02-29T23:59:59.500000Z" }],
    ["uuid", "text", { "0190b3c2-1111-7000-8000-000000000001": "0190b3c2-1111-7000-8000-000000000001" }],
    ["text[]", "text", { "{a}": "a", "{}": null, "{a,b}": null }],
    ["integer[]", "bigint[]", { "{1,NULL}": "{1,NULL}" }],
    ["integer[]", "jsonb", { "{1,2}": "[1, 2]" }],
    ["jsonb", "text", { '{"a": 1}': '{"a": 1}' }],
  ])("%s to %s", async (from, to, cases: Readonly<Record<string, unknown>>) => {
    await client.query("set timezone = 'UTC'; set datestyle = 'SQL, DMY'; set datestyle = 'ISO'");
    expect(await convert(from, to, [null, ...Object.keys(cases)])).toEqual([null, ...Object.values(cases)]);
  });
});

const all: Readonly<Record<string, readonly string[]>> = {
  text: [
    "",
    "x",
    "-",
    "1",
    "-1.5",
    "1e5",
    "1e400",
    "9".repeat(99),
    "NaN",
    "Infinity",
    "2024-02-30",
    "2024-02-29T12:00:00+14:59",
    "9999-12-31",
    "24:00:00",
    "PT999999H",
    "{}",
    "null",
    "É",
    "00000000-0000-0000-0000-000000000000",
  ],
  integer: ["0", "1", "-2147483648", "2147483647"],
  bigint: ["0", "1", "-9223372036854775808", "9223372036854775807"],
  "numeric(30,10)": ["0", "1", "99999999999999999999", "-0.0000000001"],
  "numeric(4,2)": ["0", "99.99", "-1.5"],
  "double precision": [
    "0",
    "1",
    "NaN",
    "Infinity",
    "-Infinity",
    "1e308",
    "5e-324",
    "9007199254740993",
    "9223372036854775808",
    "-9223372036854775808",
    "0.1",
  ],
  boolean: ["true", "false"],
  date: ["0001-01-01", "9999-12-31"],
  "time(6)": ["00:00", "24:00"],
  timestamptz: ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"],
  interval: ["PT1S", "P10000D"],
  uuid: ["00000000-0000-0000-0000-000000000000"],
  "text[]": ["{}", "{x}", "{x,NULL}", "{NULL}"],
  "integer[]": ["{}", "{1}", "{1,NULL}"],
  "uuid[]": ["{}"],
  jsonb: ["null", "[]", '"x"', "1e400"],
};

test("no value makes a conversion fail, and a total conversion converts every value", async () => {
  let [conversions, values] = [0, 0];
  for (const [from, samples] of Object.entries(all))
    for (const to of Object.keys(all)) {
      const conversion = from === to ? null : conversionOf(from, to);
      if (conversion === null) continue;
      const found = await convert(from, to, samples).catch((error: Error) => {
        throw new Error(`${from} to ${to}: ${error.message}`);
      });
      conversions++;
      values += samples.length;
      if (conversion.total) expect([from, to, found?.includes(null)]).toEqual([from, to, false]);
      expect(conversion.total).toBe(conversion.problem === null);
      if (!conversion.injective) continue;
      const kept = found?.filter((value) => value !== null);
      expect([from, to, new Set(kept).size]).toEqual([from, to, kept?.length]);
    }
  console.log(`conversions: ${conversions}, values: ${values}`);
  expect(conversions).toBeGreaterThan(45);
});
