// What the compiler writes, held against a real Postgres: it takes the SQL, and answers as the in-memory evaluator does.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { fillTemplate, type MigrationPlan, type Table } from "@plinth/bundle";
import { allows, type Expression, type Row, type Value } from "@plinth/expression";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lowerRule } from "./access.ts";
import { catalogOf } from "./catalog.ts";
import { compileModel } from "./compile.ts";
import { planMigration } from "./migration.ts";
import {
  entity,
  field,
  list,
  literal,
  modelOf,
  operation,
  optional,
  path as pathOf,
  userEmail,
  userId,
  userRoles,
} from "./sample-model.ts";
import { schemaSql } from "./schema-sql.ts";

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

const testdata = path.join(import.meta.dirname, "testdata");
const suffix = Math.random().toString(36).slice(2, 8);

/** Makes a schema with its two roles, as a cell does. */
async function provision(name: string): Promise<Record<string, string>> {
  const names = { schema: `"${name}"`, owner: `"${name}_${suffix}_owner"`, worker: `"${name}_${suffix}_worker"` };
  await client.query(
    `create role ${names.owner}; create role ${names.worker}; grant ${names.owner}, ${names.worker} to current_user;
     create schema ${names.schema} authorization ${names.owner}; grant usage on schema ${names.schema} to ${names.worker}`,
  );
  return names;
}

/** Each step in a transaction of its own or in none, its cleanup first, as a retry would. */
async function apply(plan: MigrationPlan, names: Record<string, string>): Promise<void> {
  const fill = (hole: string): string | undefined => names[hole];
  await client.query(`set role ${names.owner}`);
  for (const step of plan.steps) {
    if (step.cleanup !== null) await client.query(fillTemplate(step.cleanup, fill));
    const sql = fillTemplate(step.sql, fill);
    await client.query(step.transactional ? `begin; ${sql} commit` : sql);
  }
  await client.query("reset role");
}

/** What a schema holds, without its name: columns by name, constraints, indexes, rights. */
async function inspect(names: Record<string, string>): Promise<readonly string[]> {
  const schema = names.schema?.replaceAll('"', "");
  const { rows } = await client.query<{ line: string }>(
    `select line from (
       select format('column %s.%s %s %s %s %s %s', c.table_name, c.column_name, c.data_type, c.collation_name,
                     c.is_nullable, c.column_default, c.is_identity) as line
         from information_schema.columns c where c.table_schema = $1
       union all
       select format('constraint %s %s %s %s', r.relname, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
         from pg_constraint c join pg_class r on r.oid = c.conrelid where c.connamespace = $1::regnamespace and c.contype <> 'n'
       union all
       select format('index %s %s', indexname, indexdef) from pg_indexes where schemaname = $1
       union all
       select format('grant %s %s %s', table_name, privilege_type, grantee)
         from information_schema.role_table_grants where table_schema = $1 and grantee like '%worker'
     ) found order by line`,
    [schema],
  );
  return rows.map(({ line }) => line.replaceAll(`${schema}_${suffix}`, "x").replaceAll(`${schema}.`, "x."));
}

const thing = entity("thing", {
  fields: [
    optional("title", { kind: "string", max: 80 }),
    optional("price", { kind: "int" }),
    optional("status", { kind: "enum", values: ["draft", "active"] }),
    optional("visible", { kind: "bool" }),
    optional("due_at", { kind: "datetime" }),
    optional("owner_id", { kind: "user_ref" }),
    optional("parent_id", { kind: "ref", entity: "thing" }),
  ],
});

describe("plans", () => {
  const title = field("title", { kind: "string", max: 80 });
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
          optional("title", { kind: "string", max: 200 }),
          field("status", { kind: "enum", values: ["draft", "it's {sold}\\"] }, draft),
          optional("code", { kind: "string", max: 9 }),
          field("brace", { kind: "string", max: 20 }, { kind: "literal", value: "{schema}'s \\" }),
          field("at", { kind: "datetime" }, { kind: "now" }),
          optional("category_id", { kind: "ref", entity: "category" }),
        ],
      }),
    ),
  );

  test("a plan from one schema to the next gives what the next is from nothing", async () => {
    const [stepwise, fresh] = [await provision("stepwise"), await provision("fresh")];
    await apply(planMigration(null, before.tables).plan, stepwise);
    await client.query(
      `insert into stepwise.listings (id, title, status) values (gen_random_uuid(), 'one', 'draft'), (gen_random_uuid(), 'two', 'draft')`,
    );
    const { plan, refused } = planMigration(before.tables, after.tables);
    expect(refused).toEqual([]);
    await apply(plan, stepwise);
    await apply(planMigration(null, after.tables).plan, fresh);
    const [reached, wanted] = [await inspect(stepwise), await inspect(fresh)];
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

  test.each(readdirSync(testdata))("the golden %s: its schema, and the way there", async (name) => {
    const read = (file: string): Table[] => {
      const { model } = checkBlueprint(readFileSync(path.join(testdata, name, file), "utf8"));
      if (model === null) throw new Error(`${name}/${file} has no model`);
      return [...compileModel(model).tables];
    };
    const wanted = await provision(`wanted_${name.replaceAll("-", "_")}`);
    await apply(planMigration(null, read("blueprint.yaml")).plan, wanted);
    if (!readdirSync(path.join(testdata, name)).includes("before.yaml")) return;
    const { plan, refused } = planMigration(read("before.yaml"), read("blueprint.yaml"));
    if (refused.length > 0) return expect(plan.steps).toEqual([]);
    const reached = await provision(`reached_${name.replaceAll("-", "_")}`);
    await apply(planMigration(null, read("before.yaml")).plan, reached);
    await apply(plan, reached);
    expect(await inspect(reached)).toEqual(await inspect(wanted));
  });

  test("what compile --out writes runs as it is", async () => {
    const bundle = { ...after, project: `printed-${suffix}` };
    await client.query(schemaSql(bundle));
    const { rows } = await client.query(
      `select count(*)::int as n from pg_tables where schemaname = 'printed_${suffix}'`,
    );
    expect(rows).toEqual([{ n: after.tables.length }]);
  });
});

describe("rights", () => {
  test("the worker writes rows, appends to the audit log, and changes nothing there", async () => {
    const names = await provision("rights");
    await apply(planMigration(null, compileModel(modelOf(thing)).tables).plan, names);
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

describe("predicates", () => {
  const model = modelOf(thing);
  const catalog = catalogOf(model);
  const people = ["0190b3c2-0000-7000-8000-000000000001", "0190b3c2-0000-7000-8000-000000000002"] as const;
  const values = {
    title: [null, "", "a", "B", "b", "ä", "😀", "｡", "it's {row} \\"],
    price: [null, -1, 0, 1, 2147483647],
    status: [null, "draft", "active"],
    visible: [null, true, false],
    due_at: [null, "2026-01-31T09:30:00.000001Z", "2026-01-31T11:30:00.000000+02:00", "2027-01-01T00:00:00Z"],
    owner_id: [null, ...people],
  } as const;
  const rows: Row[] = [];

  beforeAll(async () => {
    const names = await provision("rules");
    await apply(planMigration(null, compileModel(model).tables).plan, names);
    for (const [at, id] of people.entries())
      await client.query("insert into rules.users (id, email) values ($1, $2)", [id, `${at}@example.com`]);
    // Every value beside every kind of neighbour, in an order that repeats itself late.
    for (let at = 0; at < 60; at++) {
      const pick = (name: keyof typeof values, step: number): Value =>
        values[name][Math.floor(at * step) % values[name].length] ?? null;
      const id = `0190b3c2-1111-7000-8000-0000000000${String(at).padStart(2, "0")}`;
      const parent = at % 4 === 0 ? undefined : rows[Math.floor(at / 2)];
      const row = {
        id,
        title: pick("title", 1),
        price: pick("price", 1.7),
        status: pick("status", 0.7),
        visible: pick("visible", 1.3),
        due_at: pick("due_at", 0.9),
        owner_id: pick("owner_id", 0.6),
        parent_id: parent?.values.id ?? null,
      };
      rows.push({ values: row, ...(parent === undefined ? {} : { related: { parent_id: parent } }) });
      const columns = Object.keys(row);
      await client.query(
        `insert into rules.things (${columns.join(", ")}) values (${columns.map((_, index) => `$${index + 1}`).join(", ")})`,
        Object.values(row),
      );
    }
  });

  const caller = fc.constantFrom(
    { id: null, email: null, roles: [] },
    { id: people[0], email: "a", roles: ["user", "admin"] },
    { id: people[1], email: "😀", roles: ["user"] },
  );

  /** Field and literals of one type; the field one or two hops away at times. */
  const operands = fc.constantFrom("title", "price", "status", "due_at", "owner_id").chain((name) => {
    const kinds = { title: "text", price: "int", due_at: "datetime", owner_id: "uuid" } as const;
    const type = name === "status" ? ({ kind: "enum", values: ["draft", "active"] } as const) : { kind: kinds[name] };
    const leaf = fc.integer({ min: 0, max: 2 }).map((hops) => pathOf(type, ...Array(hops).fill("parent_id"), name));
    const constants = values[name].filter((value) => value !== null).map((value) => literal(value, type));
    const constant: fc.Arbitrary<Expression> = fc.constantFrom(...constants);
    const special = name === "title" ? [userEmail] : name === "owner_id" ? [userId] : [];
    return fc.record({ leaf, constant, other: fc.oneof(leaf, constant, ...special.map((one) => fc.constant(one))) });
  });

  const comparison: fc.Arbitrary<Expression> = operands.chain(({ leaf, constant, other }) =>
    fc.constantFrom(
      operation("==", leaf, other),
      operation("!=", other, leaf),
      operation("<", leaf, other),
      operation("<=", leaf, other),
      operation(">", leaf, other),
      operation(">=", leaf, other),
      operation("==", leaf, literal(null)),
      operation("!=", literal(null), leaf),
      operation("in", leaf, list(constant, constant)),
      operation("in", literal("admin"), userRoles),
      pathOf({ kind: "bool" }, "visible"),
      pathOf({ kind: "bool" }, "parent_id", "visible"),
    ),
  );

  const { rule } = fc.letrec<{ rule: Expression }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      comparison,
      tie("rule").map((one) => operation("!", one)),
      fc.array(tie("rule"), { minLength: 2, maxLength: 3 }).map((args) => operation("&&", ...args)),
      fc.array(tie("rule"), { minLength: 2, maxLength: 3 }).map((args) => operation("||", ...args)),
    ),
  }));

  test("Postgres grants exactly what the evaluator grants, and never answers null", async () => {
    let granted = 0;
    await fc.assert(
      fc.asyncProperty(rule, caller, async (one, user) => {
        const parameters: Record<string, string> = { "user.id": "$1", "user.email": "$2", "user.roles": "$3" };
        const sql = fillTemplate(lowerRule(one, "thing", catalog), (hole) =>
          hole === "schema" ? '"rules"' : hole === "record" ? "r" : parameters[hole],
        );
        const result = await client.query<{ id: string; allowed: boolean | null }>(
          `select r.id, ${sql} as allowed from rules.things r
           where $1::uuid is null or $2::text is null or $3::text[] is null or true order by r.id`,
          [user.id, user.email, user.roles],
        );
        const wanted = rows.map((row) => ({
          id: row.values.id,
          allowed: allows(one, { rows: { record: row }, user }),
        }));
        granted += wanted.filter((row) => row.allowed).length;
        expect(result.rows).toEqual(wanted);
      }),
      { numRuns: 400 },
    );
    expect(granted).toBeGreaterThan(1000);
  });

  test("a rule over one's own rows can use the index", async () => {
    const sql = fillTemplate(
      lowerRule(operation("==", pathOf({ kind: "uuid" }, "owner_id"), userId), "thing", catalog),
      (hole) => (hole === "record" ? "r" : `'${people[0]}'`),
    );
    await client.query("set enable_seqscan = off");
    const { rows: plan } = await client.query<{ "QUERY PLAN": string }>(
      `explain select * from rules.things r where ${sql}`,
    );
    await client.query("reset enable_seqscan");
    expect(plan.map((line) => line["QUERY PLAN"]).join("\n")).toContain("things__owner_id__idx");
  });
});

describe("fields", () => {
  test("leave Postgres as the wire has them", async () => {
    const names = await provision("wire");
    const bundle = compileModel(modelOf(thing));
    await apply(planMigration(null, bundle.tables).plan, names);
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
});
