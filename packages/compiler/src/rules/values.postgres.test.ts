// Values of expressions: the evaluator in memory and Postgres give the same results, to the last digit.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import { fillTemplate } from "@plinth/bundle";
import { evaluateValue, type Row, type Value } from "@plinth/expression";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { entering } from "../sql/wire-sql.ts";
import { apply, firstPlan, provision } from "../testing/sample-schema.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("set timezone = 'Asia/Kolkata'; set datestyle = 'SQL, DMY'; set intervalstyle = 'sql_standard'");
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const fieldsOfLine: Readonly<Record<string, string>> = {
  amount: "int?",
  big: "bigint?",
  price: "decimal(12,3)?",
  rate: "float?",
  name: "text?",
  day: "date?",
  at: "time?",
  moment: "datetime?",
  span: "duration?",
  kept: "bool?",
};

function modelOf(computed: readonly string[]): Model {
  const fields = Object.entries(fieldsOfLine).map(([name, type]) => `      ${name}: ${type}\n`);
  const made = computed.map((text, index) => `      c${index}: '${`computed(${text})`.replaceAll("'", "''")}'\n`);
  const { model, diagnostics } = checkBlueprint(
    `project: sums\nentities:\n  bill:\n    fields:\n      title: string\n${made.join("")}` +
      `    permissions:\n      admin: { all: true }\n  line:\n    soft_delete: true\n    fields:\n      bill_id: ref(bill)\n` +
      `${fields.join("")}    permissions:\n      admin: { all: true }\n`,
  );
  if (model === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return model;
}

/** For each bill with these lines, both results of every computed field. */
async function both(
  name: string,
  computed: readonly string[],
  bills: readonly (readonly Readonly<Record<string, Value>>[])[],
): Promise<readonly { readonly kept: Value; readonly judged: Value }[]> {
  const model = modelOf(computed);
  const bundle = compileModel(model);
  await apply(client, firstPlan(bundle.tables), await provision(client, name));
  const line = model.entities.find((one) => one.name === "line")!;
  const fill = (sql: string): string =>
    fillTemplate(sql, (hole) => (hole === "schema" ? name : hole === "row" ? "_r" : undefined));
  const sql = bills.flatMap((lines, index) => {
    const id = `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`;
    const inserted = lines.map((values) => {
      const own = Object.entries(values);
      const columns = own.map(([column]) => q(column));
      const given = own.map(([column, value]) => {
        const type = line.fields.find((one) => one.name === column)!.type;
        // Postgres accepts no sign before the P.
        if (type.kind === "duration" && String(value).startsWith("-"))
          return `(-${client.escapeLiteral(String(value).slice(1))}::interval)`;
        return entering(type, value === null ? "null" : client.escapeLiteral(String(value)));
      });
      return `insert into ${name}.lines (${["id", "bill_id", ...columns].join()}) values (${["gen_random_uuid()", `'${id}'`, ...given].join()});`;
    });
    // Deleted records don't count.
    const deleted = `insert into ${name}.lines (id, bill_id, amount, rate, deleted_at) values (gen_random_uuid(), '${id}', 1000, 1000, now());`;
    return [`insert into ${name}.bills (id, title) values ('${id}', 'x');`, ...inserted, deleted];
  });
  await client.query(fill(sql.join("\n")));
  const entity = bundle.entities.find((one) => one.name === "bill")!;
  const made = entity.fields.filter((one) => /^c\d+$/.test(one.name));
  const selects = made.map((one) => `to_json(${fill(one.select)}) #>> '{}' as ${one.name}`);
  const { rows } = await client.query<Record<string, string | null>>(
    `select ${selects.join(", ")} from ${name}.bills _r order by id`,
  );
  return bills.flatMap((lines, index) => {
    const many: Row[] = lines.map((values) => ({ values }));
    const record: Row = { values: { title: "x" }, many: { lines: many } };
    const context = { rows: { record }, user: { id: null, email: null, roles: ["public"] } };
    return made.map(({ name: field }) => {
      const type = model.entities.find((one) => one.name === "bill")!.fields.find((one) => one.name === field)!.type;
      if (type.kind !== "computed") throw new Error("it is computed");
      const { expression } = type;
      const text = rows[index]?.[field] ?? null;
      const kind = expression.type.kind;
      const value = text === null ? null : kind === "float" ? Number(text) : kind === "bool" ? text === "true" : text;
      // In the canonical form: a duration has several forms, and times have six decimal places.
      const kept = evaluateValue({ kind: "literal", type: expression.type, value }, context);
      return { kept, judged: evaluateValue(expression, context) };
    });
  });
}

const few = fc.option(fc.integer({ min: -1000, max: 1000 }));
const instant = fc
  .integer({ min: -60_000_000, max: 250_000_000 })
  .map((hundreds) => new Date(hundreds * 1_000_000).toISOString());
const lineValues = fc.record({
  amount: fc.option(fc.integer({ min: -2_147_483_648, max: 2_147_483_647 })),
  big: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  price: few.map((one) => (one === null ? null : (one / 7).toFixed(3))),
  rate: fc.option(
    fc.oneof(
      fc.integer({ min: -1000, max: 1000 }).map((one) => one / 8),
      fc.double({ noNaN: true, min: -1e12, max: 1e12 }),
      fc.constantFrom(1e149, -1e149, 1e-149, 100_000_000_000_000.5, 100_000_000_000_001.5),
    ),
  ),
  name: fc.constantFrom(null, "a", "B", "ä", "😀", "\uff61", ""),
  day: fc.option(instant.map((one) => one.slice(0, 10))),
  at: fc.constantFrom(null, "09:30:00", "23:59:59.999999", "00:00:00"),
  moment: fc.option(instant),
  span: fc.constantFrom(null, "PT1H", "-PT0.000001S", "P30D", "PT35064000H", "-PT35064000H", "PT0S"),
  kept: fc.constantFrom(true, true, true, false, null),
});

const aggregates = ["amount", "big", "price", "rate"].flatMap((field) => [
  ...["sum", "avg", "min", "max"].map((name) => `lines.${name}(l, l.${field})`),
  `lines.filter(l, l.kept).sum(l, l.${field})`,
]);
const ordered = ["name", "day", "at", "moment", "span"].flatMap((field) =>
  ["min", "max"].map((name) => `lines.${name}(l, l.${field})`),
);
const others = [
  "lines.sum(l, l.span)",
  "lines.sum(l, l.amount * l.price)",
  "lines.filter(l, l.kept).avg(l, l.price)",
  "lines.sum(l, 1)",
  "lines.sum(l, l.rate + l.amount)",
  "lines.count(l, l.amount > 0)",
  "size(lines) == 0 ? 0.5 : lines.sum(l, l.amount) / size(lines)",
  "lines.sum(l, l.kept ? l.amount : null)",
];

test("property: totals over many records are exact, and equal in both evaluators", async () => {
  const computed = [...aggregates, ...ordered, ...others];
  const bills = fc.sample(fc.array(lineValues, { maxLength: 4 }), { numRuns: 150, seed: 7 });
  await holdTogether("aggregates", computed, bills);
});

async function holdTogether(
  name: string,
  computed: readonly string[],
  bills: Parameters<typeof both>[2],
): Promise<void> {
  const found = await both(name, computed, bills);
  const known = found.filter(({ judged }) => judged !== null).length;
  process.stdout.write(`${name} held against Postgres: ${found.length}, ${known} of them known\n`);
  for (const [index, { kept, judged }] of found.entries()) {
    const at = { text: computed[index % computed.length], lines: bills[Math.floor(index / computed.length)] };
    expect(kept, JSON.stringify(at)).toEqual(judged);
  }
  expect(known).toBeGreaterThan(found.length / 4);
}

const calls = [
  ...["amount", "price", "rate"].flatMap((field) =>
    [
      "abs(l.x)",
      "floor(l.x)",
      "ceil(l.x)",
      "round(l.x)",
      "round(l.x, 2)",
      "round(l.x / 3, 3)",
      "round(0 - l.x, 1)",
    ].map((text) => text.replace("l.x", `l.${field}`)),
  ),
  ...["day", "moment"].flatMap((field) => ["year", "month", "day", "weekday"].map((name) => `${name}(l.${field})`)),
  ...["at", "moment"].flatMap((field) => ["hour", "minute"].map((name) => `${name}(l.${field})`)),
  ...[
    "date(l.moment)",
    "l.day + 1",
    "l.day - 3000000",
    "l.day + l.amount",
    "year(l.day + l.span)",
    "l.day - l.span - l.moment",
  ],
  ...['l.day - "2026-01-31"', "l.day - date(l.moment)", 'l.day + "24h" - l.moment', "year(l.moment + l.span)"],
];

test("property: functions and dates give the same results in both evaluators", async () => {
  const computed = calls.map((text) => `lines.max(l, ${text})`);
  const bills = fc.sample(lineValues, { numRuns: 200, seed: 11 }).map((one) => [one]);
  await holdTogether("functions", computed, bills);
});

const octet = fc.oneof(fc.integer({ min: 0, max: 260 }), fc.constantFrom(10, 192, 203)).map(String);
const ipv4 = fc.array(octet, { minLength: 4, maxLength: 4 }).map((parts) => parts.join("."));
const group = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }).map((one) => one.toString(16)),
  fc.constantFrom("0", "2001", "db8", "DB8", "ffff", "00001", "0001"),
);
const ipv6 = fc
  .tuple(fc.array(group, { maxLength: 8 }), fc.array(group, { maxLength: 8 }), fc.boolean(), fc.option(ipv4))
  .map(([left, right, short, four]) => {
    const end = four === null ? right : [...right, four];
    return short ? `${left.join(":")}::${end.join(":")}` : [...left, ...end].join(":");
  });
const address = fc.oneof(
  ipv4,
  ipv6,
  ipv4.map((one) => `::ffff:${one}`),
  fc.constantFrom(
    "",
    "10.0.0.0/8",
    "010.0.0.1",
    "10.1",
    "::",
    ":::",
    "::1",
    "fe80::1%eth0",
    " 10.0.0.1",
    "1::2::3",
    "10.0.0.1\n",
  ),
  fc.constantFrom(
    "1:2:3:4:5:6:7::",
    "1:2:3:4:5:6:7:8::",
    "::ffff:a00:1",
    "0:0:0:0:0:FFFF:10.0.0.1",
    "1:2:3:4:5:6:7.8.9.10",
  ),
);

test("property: both evaluators accept the same addresses and networks", async () => {
  const networks = [
    "10.0.0.0/8",
    "0.0.0.0/0",
    "203.0.113.7",
    "2001:db8::/32",
    "::/0",
    "::ffff:10.0.0.0/104",
    "fe80::/10",
  ];
  const computed = networks.map((network) => `lines.all(l, in_cidr(l.name, "${network}"))`);
  const bills = fc.sample(address, { numRuns: 2000, seed: 13 }).map((name) => [{ name }]);
  await holdTogether("addresses", computed, bills);
});
