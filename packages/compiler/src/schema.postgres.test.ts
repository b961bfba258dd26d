// Plans, rights and values on a real Postgres.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkBlueprint, type Model, patterns, renamesOf } from "@plinth/blueprint";
import { EXTENSIONS_SCHEMA, fillTemplate, type Table } from "@plinth/bundle";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { planMigration } from "./migration/migration.ts";
import { schemaSql } from "./migration/schema-sql.ts";
import { inspect as inspectKept, apply as migrate } from "./migration/testing/sample-tables.ts";
import { valueSchema } from "./requests/schemas.ts";
import { entity, field, limited, modelOf, optional, refTo } from "./testing/sample-model.ts";
import { apply, firstPlan, inspect, provision, type SchemaNames, suffix, thing } from "./testing/sample-schema.ts";

const testdata = path.join(import.meta.dirname, "testdata");
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `create schema ${EXTENSIONS_SCHEMA}; grant usage on schema ${EXTENSIONS_SCHEMA} to public; create extension pg_trgm with schema ${EXTENSIONS_SCHEMA}`,
  );
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

describe("plans", () => {
  const title = limited(field("title", { kind: "string" }), { max: "80" });
  const draft = { kind: "literal", value: "draft" } as const;
  const before = compileModel(
    modelOf(entity("listing", { fields: [title, field("status", { kind: "enum", values: ["draft"] }, draft)] })),
  );
  const after = compileModel(
    modelOf(
      entity("category", { plural: "categories", uniques: [["name"]], fields: [field("name", { kind: "text" })] }),
      entity("listing", {
        uniques: [["code", "title"]],
        fields: [
          limited(optional("title", { kind: "string" }), { max: "200" }),
          field("status", { kind: "enum", values: ["draft", "it's {sold}\\"] }, draft),
          limited(optional("code", { kind: "string" }), { max: "9" }),
          field("brace", { kind: "string" }, { kind: "literal", value: "{schema}'s \\" }),
          field("at", { kind: "datetime" }, { kind: "now" }),
          optional("category_id", refTo("category")),
        ],
      }),
    ),
  );

  test("a plan from one schema to the next gives the same result as creating the next one", async () => {
    const [stepwise, fresh] = [await provision(client, "stepwise"), await provision(client, "fresh")];
    await apply(client, firstPlan(before.tables), stepwise);
    await client.query(
      `insert into stepwise.listings (id, title, status) values (gen_random_uuid(), 'one', 'draft'), (gen_random_uuid(), 'two', 'draft')`,
    );
    const { plan, refused } = planMigration({
      before: before.tables,
      after: after.tables,
      renames: { tables: {}, columns: {} },
      setAside: [],
      tag: "test",
    });
    expect(refused).toEqual([]);
    await apply(client, plan, stepwise);
    await apply(client, firstPlan(after.tables), fresh);
    const [reached, wanted] = [await inspect(client, stepwise), await inspect(client, fresh)];
    expect(wanted.length).toBeGreaterThan(60);
    expect(reached).toEqual(wanted);
    const { rows } = await client.query(
      `select title, brace, at is not null as at from stepwise.listings order by title`,
    );
    expect(rows).toEqual([
      { title: "one", brace: "{schema}'s \\", at: true },
      { title: "two", brace: "{schema}'s \\", at: true },
    ]);
  });

  const cases = [testdata, path.join(import.meta.dirname, "migration/testdata")].flatMap((folder) =>
    readdirSync(folder).map((name) => path.join(folder, name)),
  );
  test.each(cases.map((folder) => [path.relative(import.meta.dirname, folder), folder]))(
    "the golden %s: its schema, and the plan to it",
    async (name, folder) => {
      const read = (file: string): Model => {
        const { model } = checkBlueprint(readFileSync(path.join(folder, file), "utf8"));
        if (model === null) throw new Error(`${name}/${file} has no model`);
        return model;
      };
      const model = read("blueprint.yaml");
      const schema = `golden_${cases.indexOf(folder)}`;
      const wanted = await provision(client, schema);
      await migrate(client, firstPlan(tablesServed(model)), wanted);
      if (!readdirSync(folder).includes("before.yaml")) return;
      const live = read("before.yaml");
      const { plan, refused } = planMigration({
        before: tablesServed(live),
        after: tablesServed(model),
        renames: renamesOf(live, model),
        setAside: [],
        tag: "test",
      });
      if (refused.length > 0) return expect(plan.steps).toEqual([]);
      const reached = await provision(client, `${schema}_reached`);
      await migrate(client, firstPlan(tablesServed(live)), reached);
      await migrate(client, plan, reached);
      const comparable = async (names: SchemaNames): Promise<readonly string[]> => {
        const lines = await inspectKept(client, names);
        return lines.map((line) => line.replaceAll(`${schema}_reached`, schema));
      };
      expect(await comparable(reached)).toEqual(await comparable(wanted));
    },
  );

  /** A deployment finds out whether the database has the extension for vectors. This one doesn't have it. */
  function tablesServed(model: Model): readonly Table[] {
    return compileModel(model).tables.map((table) => ({
      ...table,
      columns: table.columns.filter((column) => !column.sqlType.startsWith("vector")),
    }));
  }

  test("the output of compile --out runs unchanged", async () => {
    const bundle = { ...after, project: `printed-${suffix}` };
    await client.query(schemaSql(bundle));
    const { rows } = await client.query(
      `select count(*)::int as n from pg_tables where schemaname = 'printed_${suffix}'`,
    );
    expect(rows).toEqual([{ n: after.tables.length }]);
  });
});

test("patterns of members apply wherever an object is", async () => {
  const of = {
    kind: "object",
    fields: [
      { name: "a", type: { kind: "string" }, optional: true, limits: { min: null, max: null, pattern: "^a\\w.$" } },
    ],
  } as const;
  const fields = [
    optional("plain", of),
    optional("many", { kind: "list", of }),
    optional("told", { kind: "i18n", of }),
  ];
  await apply(
    client,
    firstPlan(compileModel(modelOf(entity("thing", { fields }))).tables),
    await provision(client, "members"),
  );
  const insert = (column: string, value: unknown) =>
    client.query(`insert into members.things (id, ${column}) values (gen_random_uuid(), $1)`, [JSON.stringify(value)]);
  for (const taken of ["abc", "a_😀"]) {
    await insert("plain", { a: taken });
    await insert("many", [{ a: taken }, {}, { a: null }]);
    await insert("told", { en: { a: taken } });
  }
  for (const refused of ["b", "ab", "abcd", "ab\n", "\nabc"]) {
    await expect(insert("plain", { a: refused })).rejects.toThrow("things__plain__members");
    await expect(insert("many", [{ a: "abc" }, { a: refused }])).rejects.toThrow("things__many__members");
    await expect(insert("told", { en: { a: refused } })).rejects.toThrow("things__told__members");
  }
});

test("limits of members that are texts apply", async () => {
  const limits = { min: "-1.5", max: "10", pattern: null };
  const of = {
    kind: "object",
    fields: [
      { name: "n", type: { kind: "decimal", precision: 5, scale: 2 }, optional: true, limits },
      { name: "d", type: { kind: "date" }, optional: true, limits: { min: "2020-01-01", max: null, pattern: null } },
    ],
  } as const;
  const model = modelOf(entity("thing", { fields: [optional("o", of)] }));
  await apply(client, firstPlan(compileModel(model).tables), await provision(client, "bounds"));
  const insert = (value: unknown) =>
    client.query(`insert into bounds.things (id, o) values (gen_random_uuid(), $1)`, [JSON.stringify(value)]);
  for (const taken of [{ n: "-1.50" }, { n: "10" }, { n: null }, {}, { d: "2020-01-01" }]) await insert(taken);
  for (const refused of [{ n: "-1.51" }, { n: "10.01" }, { d: "2019-12-31" }])
    await expect(insert(refused)).rejects.toThrow("things__o__members");
});

describe("rights", () => {
  test("the worker writes rows, and can only add lines to the audit log", async () => {
    const names = await provision(client, "rights");
    await apply(client, firstPlan(compileModel(modelOf(thing)).tables), names);
    await client.query(`set role ${names.worker}`);
    try {
      await client.query(`insert into rights.things (id, title) values (gen_random_uuid(), 'x')`);
      await client.query(`update rights.things set title = 'y'`);
      await client.query(`insert into rights.audit_log (operation) values ('create') returning id`);
      for (const sql of [
        "update rights.audit_log set operation = 'x'",
        "delete from rights.audit_log",
        "truncate rights.audit_log",
        "truncate rights.things",
        "create table rights.other (id int)",
        "alter table rights.things add column extra int",
        "drop table rights.things",
      ])
        await expect(client.query(sql), sql).rejects.toThrow(/permission denied|must be owner/);
    } finally {
      await client.query("reset role");
    }
  });
});

describe("fields", () => {
  test("are returned by Postgres in the form of the API", async () => {
    const names = await provision(client, "wire");
    const bundle = compileModel(modelOf(thing));
    await apply(client, firstPlan(bundle.tables), names);
    const id = "0190b3c2-1111-7000-8000-000000000001";
    await client.query(
      `insert into wire.things (id, title, price, visible, due_at) values ($1, 't', 5, true, '2026-01-31 09:30:00.1+02')`,
      [id],
    );
    await client.query(`insert into wire.users (id, email, roles) values ($1, 'a@example.com', '{admin,user}')`, [id]);
    const read = async (at: number, table: string): Promise<unknown> => {
      const members = bundle.entities[at]?.fields.map((one) => `'${one.name}', ${fillTemplate(one.select, () => "r")}`);
      const { rows } = await client.query(
        `select json_build_object(${members?.join(", ")}) as data from wire.${table} r`,
      );
      return rows[0].data;
    };
    expect(await read(1, "things")).toMatchObject({
      id,
      title: "t",
      price: 5,
      status: null,
      visible: true,
      due_at: "2026-01-31T07:30:00.100000Z",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      version: 1,
    });
    expect(await read(0, "users")).toMatchObject({ id, email: "a@example.com", name: null, roles: ["admin", "user"] });
  });

  test("accept the same times as Postgres, which returns them in an accepted form", async () => {
    const valid = new RegExp(patterns.datetime, "u");
    const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, "0"));
    const year = fc.oneof(
      fc.constantFrom("0000", "0001", "1900", "2000", "2024", "9999"),
      fc.integer({ min: 1000, max: 9999 }).map(String),
    );
    const zone = fc.oneof(
      fc.constantFrom("Z", "z"),
      fc.tuple(fc.constantFrom("+", "-"), two(17), two(60)).map(([sign, h, m]) => `${sign}${h}:${m}`),
    );
    const fraction = fc.constantFrom("", ".5", ".999999", ".1234567");
    const time = fc
      .tuple(year, two(13), two(32), two(25), two(60), fraction, zone)
      .map(
        ([y, month, day, hour, minute, rest, offset]) => `${y}-${month}-${day}T${hour}:${minute}:59${rest}${offset}`,
      );
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(time, async (text) => {
        fc.pre(valid.test(text));
        taken++;
        const { rows } = await client.query<{ text: string }>(
          `select to_char(x at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as text from (select $1::timestamptz as x) v`,
          [text],
        );
        expect(rows[0]?.text).toMatch(valid);
      }),
      { numRuns: 300 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test("accept the same texts as Postgres, which returns them unchanged", async () => {
    const valid = new RegExp(String(valueSchema({ kind: "text" }).pattern), "u");
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        async (text) => {
          expect(valid.test(text)).toBe(text.isWellFormed() && !text.includes("\0"));
          fc.pre(valid.test(text));
          const { rows } = await client.query<{ text: string }>("select $1::text as text", [text]);
          expect(rows[0]?.text).toBe(text);
        },
      ),
      { numRuns: 200 },
    );
  });
});
