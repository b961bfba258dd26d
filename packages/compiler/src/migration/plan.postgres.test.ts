// Plans, carried out on a real Postgres: what they reach is what the new schema is from nothing, and no value is lost.
import type { MigrationStep, Table } from "@plinth/bundle";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  apply,
  check,
  index,
  inspect,
  makeRoles,
  makeSchema,
  type Names,
  optional,
  type PlanOptions,
  plan,
  references,
  required,
  table,
  unique,
} from "./sample-tables.ts";

let database: TestDatabase;
let client: pg.Client;
let roles: Omit<Names, "schema">;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  roles = await makeRoles(client, Math.random().toString(36).slice(2, 8));
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

let schemas = 0;

interface Walked {
  readonly names: Names;
  readonly steps: readonly MigrationStep[];
  readonly written: number;
  query(sql: string): Promise<readonly unknown[]>;
}

/** From one schema with rows to the next; holds the catalog against one made from nothing. `$` in SQL stands for the schema. */
async function walk(
  before: readonly Table[],
  after: readonly Table[],
  options: PlanOptions & {
    readonly rows?: string;
    /** What the old release writes behind each step before the switch; `#` is a fresh number. */
    readonly meanwhile?: string;
    readonly afterwards?: string;
  } = {},
): Promise<Walked> {
  const names = await makeSchema(client, roles, `s${++schemas}`);
  const query = async (sql: string): Promise<readonly unknown[]> =>
    (await client.query({ text: sql.replaceAll("$", names.schema), rowMode: "array" })).rows;
  await apply(client, plan(null, before).plan, names);
  if (options.rows !== undefined) await query(options.rows);
  return advance({ names, query }, before, after, options);
}

async function advance(
  { names, query }: Pick<Walked, "names" | "query">,
  before: readonly Table[],
  after: readonly Table[],
  options: Parameters<typeof walk>[2] = {},
): Promise<Walked> {
  const planned = plan(before, after, options);
  expect(planned.refused).toEqual([]);
  let number = 0;
  const write = (sql: string | undefined) => async (): Promise<void> => {
    if (sql === undefined) return;
    await client.query(`set role ${names.worker}`);
    await query(sql.replaceAll("#", String(++number)));
    await client.query("reset role");
  };
  const written = await apply(client, planned.plan, names, {
    before: write(options.meanwhile),
    after: write(options.afterwards),
  });
  const fresh = await makeSchema(client, roles, `s${++schemas}`);
  await apply(client, plan(null, after).plan, fresh);
  expect(await inspect(client, names)).toEqual(await inspect(client, fresh));
  expect(plan(after, after).plan.steps).toEqual([]);
  return { names, steps: planned.plan.steps, written, query };
}

const id = (n: number): string => `'00000000-0000-7000-8000-${String(n).padStart(12, "0")}'`;

describe("what is added", () => {
  const before = [table("listings", { columns: [required("title", "text")] })];
  const after = [
    table("categories", { columns: [required("name", "text")], uniques: [unique("categories", ["name"])] }),
    table("listings", {
      columns: [
        required("title", "text"),
        optional("note", "text"),
        required("kind", "text", "'offer'"),
        required("at", "timestamptz", "now()"),
        optional("category_id", "uuid"),
      ],
      checks: [
        check("listings", "kind", { kind: "one_of", values: ["request", "offer"] }),
        check("listings", "note", { kind: "length", min: 1, max: 9 }),
      ],
      uniques: [unique("listings", ["note"])],
      indexes: [index("listings", ["category_id"])],
      foreignKeys: [references("listings", "category_id", "categories")],
    }),
  ];

  test("stands while the old release writes, and after", async () => {
    const { query } = await walk(before, after, {
      rows: `insert into $.listings values (${id(1)}, 'one')`,
      meanwhile: `insert into $.listings (id, title) values (gen_random_uuid(), 'more #')`,
    });
    expect(await query("select title, note, kind from $.listings where title = 'one'")).toEqual([
      ["one", null, "offer"],
    ]);
  });
});
