// Values of every type on their way in and out, on a real Postgres: a value that the body's schema accepts is stored
// and returned in one form, whatever the session's settings. A value that it refuses never arrives.
import { type Field, type FieldType, patterns } from "@plinth/blueprint";
import { fillTemplate } from "@plinth/bundle";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { bundleFieldOf } from "./requests/queries.ts";
import { catalogOf } from "./sql/catalog.ts";
import { entity, field, literal, modelOf, operation, optional, path } from "./testing/sample-model.ts";
import { apply, firstPlan, provision } from "./testing/sample-schema.ts";

let database: TestDatabase;
let client: pg.Client;

const types: Readonly<Record<string, FieldType>> = {
  string: { kind: "string" },
  url: { kind: "url" },
  phone: { kind: "phone" },
  color: { kind: "color" },
  slug: { kind: "slug", from: null },
  timezone: { kind: "timezone" },
  country: { kind: "country" },
  locale: { kind: "locale" },
  int: { kind: "int" },
  bigint: { kind: "bigint" },
  float: { kind: "float" },
  decimal: { kind: "decimal", precision: 6, scale: 2 },
  fraction: { kind: "decimal", precision: 3, scale: 3 },
  money: { kind: "money", currency: "EUR", scale: 2 },
  yen: { kind: "money", currency: "JPY", scale: 0 },
  percent: { kind: "percent" },
  date: { kind: "date" },
  time: { kind: "time" },
  datetime: { kind: "datetime" },
  duration: { kind: "duration" },
  bool: { kind: "bool" },
  enum_set: { kind: "enum_set", values: ["red", "it's"] },
  json: { kind: "json" },
  object: {
    kind: "object",
    fields: [
      { name: "a", type: { kind: "int" }, optional: false, limits: { min: "0", max: null, pattern: null } },
      { name: "b", type: { kind: "json" }, optional: true, limits: { min: null, max: null, pattern: null } },
    ],
  },
  texts: { kind: "list", of: { kind: "string" } },
  ints: { kind: "list", of: { kind: "int" } },
  bools: { kind: "list", of: { kind: "bool" } },
  decimals: { kind: "list", of: { kind: "decimal", precision: 6, scale: 2 } },
  moments: { kind: "list", of: { kind: "datetime" } },
  dates: { kind: "list", of: { kind: "date" } },
  spans: { kind: "list", of: { kind: "duration" } },
  points: { kind: "list", of: { kind: "point" } },
  i18n: { kind: "i18n", of: { kind: "string" } },
  point: { kind: "point" },
};
const fields: readonly Field[] = Object.entries(types).map(([name, type]) => optional(name, type));
const model = modelOf(entity("thing", { fields }));
const bundle = compileModel(model);
const thing = bundle.entities.find((one) => one.name === "thing")!;
let update: ValidateFunction;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await apply(client, firstPlan(bundle.tables), await provision(client, "wire"));
  await client.query("insert into wire.things (id) values (gen_random_uuid())");
  await client.query(
    "set timezone = 'Asia/Kolkata'; set datestyle = 'SQL, DMY'; set intervalstyle = 'postgres_verbose'",
  );
  update = new Ajv2020({ strict: false, multipleOfPrecision: 6 }).compile(thing.updateSchema);
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** Writes a value as a body contains it, and reads it as a reply contains it: in a record, and alone as in a list. */
async function roundTrip(name: string, value: unknown): Promise<unknown> {
  const one = thing.fields.find((each) => each.name === name)!;
  const sent = one.wire === "string" ? (value as string) : JSON.stringify(value);
  const fill = (hole: string): string => (hole === "value" ? "$1" : "wire.things");
  await client.query(`update wire.things set "${name}" = ${fillTemplate(one.write, fill)}`, [sent]);
  const select = fillTemplate(one.select, fill);
  const { rows } = await client.query<{ whole: string; alone: string }>(
    `select (select row_to_json(x)::text from (select ${select} as value) x) as whole, (${select})::text as alone from wire.things`,
  );
  const { whole, alone } = rows[0]!;
  const { value: within } = JSON.parse(whole) as { value: unknown };
  expect(one.wire === "string" ? alone : JSON.parse(alone)).toEqual(within);
  return within;
}

describe("a value", () => {
  test.each<[string, unknown, unknown?]>([
    ["string", "it's {row} \\ 😀\n"],
    ["url", "https://user.example.com:8080/a?b=c#d"],
    ["phone", "+4930123456"],
    ["color", "#aaBB09"],
    ["slug", "a-1-b"],
    ["timezone", "America/Argentina/Buenos_Aires"],
    ["country", "DE"],
    ["locale", "zh-Hant-TW"],
    ["int", -2147483648],
    ["bigint", "-9223372036854775808"],
    ["bigint", "9223372036854775807"],
    ["float", 5e-324],
    ["float", 1.7976931348623157e308],
    ["float", 0.1],
    ["decimal", "9999.99"],
    ["decimal", "-0.5", "-0.50"],
    ["fraction", "0.125"],
    ["money", "123456789012345678.90"],
    ["yen", "99999999999999999999"],
    ["percent", 33.3333],
    ["percent", 0.0003],
    ["percent", 100],
    ["date", "0001-01-01"],
    ["date", "2024-02-29"],
    ["time", "09:30", "09:30:00"],
    ["time", "23:59:59.000001"],
    ["datetime", "2026-01-31T09:30:00.5+02:00", "2026-01-31T07:30:00.500000Z"],
    ["datetime", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"],
    ["duration", "PT1H30M"],
    ["duration", "P2W", "P14D"],
    ["duration", "P1W2DT36H", "P9DT36H"],
    ["duration", "PT0S"],
    ["duration", "PT90M", "PT1H30M"],
    ["duration", "P1DT0.000001S"],
    ["duration", "PT9999998H60M", "PT9999999H"],
    ["bool", true],
    ["bool", false],
    ["enum_set", ["it's", "red"]],
    ["enum_set", []],
    ["json", "text"],
    ["json", { a: [1, null, { b: '\\ " 😀' }] }],
    ["json", 0],
    ["json", false],
    ["object", { a: 1, b: null }],
    ["texts", ["a", "", "it's", '"', "\\", "{}", "null", "ä"]],
    ["texts", []],
    ["ints", [1, -2, 3]],
    ["bools", [true, false]],
    ["decimals", ["1.5", "-2"], ["1.50", "-2.00"]],
    ["moments", ["2026-01-31T09:30:00Z"], ["2026-01-31T09:30:00.000000Z"]],
    ["dates", ["2026-01-31", "1969-12-31"]],
    ["spans", ["P1D", "PT60M"], ["P1D", "PT1H"]],
    ["points", [{ lat: 1, lng: 2 }]],
    ["i18n", { en: "a", "de-AT": "ä" }],
    ["point", { lat: 52.52, lng: -13.405 }],
  ])("%s: %j is kept", async (name, value, kept = value) => {
    expect(update({ [name]: value }), JSON.stringify(update.errors)).toBe(true);
    const given = await roundTrip(name, value);
    expect(given).toEqual(kept);
    expect(update({ [name]: given }), `what is given back: ${JSON.stringify(given)}`).toBe(true);
  });

  test.each(Object.keys(types))("%s: null is null", async (name) => {
    const one = thing.fields.find((each) => each.name === name)!;
    const fill = (hole: string): string => (hole === "value" ? "$1" : "wire.things");
    await client.query(`update wire.things set "${name}" = ${fillTemplate(one.write, fill)}`, [null]);
    const { rows } = await client.query(
      `select ${fillTemplate(one.select, fill)} as value, "${name}" is null as cleared from wire.things`,
    );
    expect(rows).toEqual([{ value: null, cleared: true }]);
  });

  test.each<[string, unknown]>([
    ["string", "a\u0000"],
    ["url", "javascript:alert(1)"],
    ["url", "https://example.com/a b"],
    ["phone", "030123456"],
    ["color", "red"],
    ["slug", "A--b"],
    ["timezone", "europe"],
    ["country", "XX"],
    ["locale", "english"],
    ["bigint", "9223372036854775808"],
    ["bigint", "-9223372036854775809"],
    ["bigint", "01"],
    ["bigint", "-0"],
    ["bigint", 1],
    ["decimal", "10000"],
    ["decimal", "0.001"],
    ["decimal", "1e2"],
    ["decimal", "NaN"],
    ["fraction", "1.0"],
    ["money", "0.001"],
    ["yen", "0.5"],
    ["percent", 100.1],
    ["percent", -0.1],
    ["percent", 1.00001],
    ["date", "2023-02-29"],
    ["date", "2026-1-1"],
    ["time", "24:00"],
    ["time", "09:30:60"],
    ["duration", "P1M"],
    ["duration", "P1Y"],
    ["duration", "P"],
    ["duration", "PT"],
    ["duration", "P1DT"],
    ["duration", "1 day"],
    ["enum_set", ["red", "red"]],
    ["enum_set", ["blue"]],
    ["json", { a: "\u0000" }],
    ["json", ["\ud800"]],
    ["json", { "\u0000": 1 }],
    ["object", {}],
    ["object", { a: -1 }],
    ["object", { a: 1, c: 2 }],
    ["object", { a: 1, b: "\u0000" }],
    ["texts", ["a", null]],
    ["texts", "a"],
    ["ints", [1.5]],
    ["decimals", [1]],
    ["i18n", { english: "a" }],
    ["i18n", { en: null }],
    ["point", { lat: 91, lng: 0 }],
    ["point", { lat: 1 }],
    ["point", [1, 2]],
  ])("%s: %j is refused", (name, value) => {
    expect(update({ [name]: value })).toBe(false);
  });
});

describe("computed values", () => {
  const computed = (expression: Extract<FieldType, { kind: "computed" }>["expression"]): FieldType => ({
    kind: "computed",
    expression,
  });
  const decimal = { kind: "decimal" } as const;
  const time = { kind: "datetime" } as const;
  const later = {
    ...operation("-", path(time, "ends_at"), path(time, "starts_at")),
    type: { kind: "duration" } as const,
  };
  const half = { ...operation("/", path(decimal, "net"), literal(2)), type: decimal };
  const sample = entity("sample", {
    fields: [
      optional("net", { kind: "decimal", precision: 12, scale: 2 }),
      optional("starts_at", time),
      optional("ends_at", time),
      field("half", computed(half)),
      field("lasts", computed(later)),
      field("open", computed(operation("==", path(time, "ends_at"), literal(null)))),
      // A computed field that uses another one.
      field("quarter", computed({ ...operation("/", path(decimal, "half"), literal(2)), type: decimal })),
    ],
  });
  const catalog = catalogOf(modelOf(sample));
  const source = { name: "sample", table: "samples", catalog };

  test.each([
    ["half", "5.25", "2026-01-31", "2026-02-02", '"2.625"'],
    ["quarter", "5.25", "2026-01-31", "2026-02-02", '"1.3125"'],
    ["quarter", null, null, null, "null"],
    ["lasts", null, "2026-01-31T10:00:00Z", "2026-02-02T11:30:00Z", '"P2DT1H30M"'],
    ["lasts", null, "2026-02-02", null, "null"],
    ["lasts", null, "2026-02-02T11:30:00Z", "2026-02-02T10:00:00Z", '"-PT1H30M"'],
    ["open", null, "2026-01-31", null, "true"],
  ])("%s of %s, %s, %s is %s", async (name, net, starts, ends, json) => {
    const one = bundleFieldOf(sample.fields.find((each) => each.name === name)!, source);
    const select = fillTemplate(one.select, () => "r");
    const { rows } = await client.query<{ value: string }>(
      `select (select row_to_json(x) -> 'value' from (select ${select} as value) x)::text as value
       from (select $1::numeric(12, 2) as net, $2::timestamptz as starts_at, $3::timestamptz as ends_at) r`,
      [net, starts, ends],
    );
    expect(rows[0]?.value).toBe(json);
  });
});

test("the countries are those of ISO 3166-1", () => {
  const country = new RegExp(patterns.country);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const codes = [...letters].flatMap((a) => [...letters].map((b) => a + b)).filter((code) => country.test(code));
  expect(codes).toHaveLength(249);
});
