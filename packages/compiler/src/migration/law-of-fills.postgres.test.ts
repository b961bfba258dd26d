// The law of fills: between any two schemas, a column that is filled from another gets that column's value if it had
// none, and keeps its own value otherwise. The resulting schema is the intended one.
import type { Table } from "@plinth/bundle";
import { createTestDatabase, isLongRun, sampleOf, type TestDatabase } from "@plinth/testkit";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import type { Fills } from "./fills.ts";
import { planMigration } from "./migration.ts";
import { type Change, change, lower, renamesOf } from "./testing/sample-changes.ts";
import { insertRows } from "./testing/sample-rows.ts";
import { apply, inspect, makeRoles, makeSchema, type Names, plan } from "./testing/sample-tables.ts";

const { runs: PAIRS, seed: SEED } = sampleOf(60, 600);

let database: TestDatabase;
let client: pg.Client;
let roles: Omit<Names, "schema">;
let schemas = 0;
const seen = { applied: 0, refused: 0, stopped: 0, filled: 0, kept: 0 };

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

/** A column, and the column that it is filled from, by their new names. */
interface Filled {
  readonly table: string;
  readonly column: string;
  readonly from: string;
  readonly sqlType: string;
}

function filledIn(tables: readonly Table[]): readonly Filled[] {
  return tables.flatMap(({ name, columns, foreignKeys }) => {
    const refers = new Set(foreignKeys.map((key) => key.column));
    const free = columns.filter((column) => !["id", "deleted_at"].includes(column.name) && !refers.has(column.name));
    const sources = new Set<string>();
    // A source is never a target; fills from fills have separate tests.
    return free.flatMap((column): Filled[] => {
      const { sqlType } = column;
      const from = free.find((other) => other !== column && (other.sqlType === sqlType || sqlType === "text"));
      if (from === undefined || sources.has(column.name)) return [];
      sources.add(from.name);
      return [{ table: name, column: column.name, from: from.name, sqlType }];
    });
  });
}

function fillsOf(filled: readonly Filled[]): Fills {
  const fills: Record<string, Record<string, Fills[string][string]>> = {};
  for (const { table, column, from, sqlType } of filled)
    fills[table] = {
      ...fills[table],
      [column]: { isNew: true, value: (write) => `(${write([{ table, column: from }])})::${sqlType}` },
    };
  return fills;
}

test("any schema to any other", { timeout: 180_000 }, async () => {
  await fc.assert(fc.asyncProperty(change, holds), {
    seed: SEED,
    numRuns: PAIRS,
    interruptAfterTimeLimit: 150_000,
    markInterruptAsFailure: true,
  });
  console.log(`pairs of schemas with fills: ${PAIRS} (seed ${SEED})`, seen);
  expect(seen.applied).toBeGreaterThan(PAIRS / 3);
  expect(seen.kept).toBeGreaterThan(PAIRS / 20);
  // Too rare for a small sample.
  if (isLongRun) expect(seen.filled).toBeGreaterThan(8);
});

async function holds({ before, after, rows }: Change): Promise<void> {
  const [old, wanted] = [lower(before), lower(after)];
  const names = await makeSchema(client, roles, `s${++schemas}`);
  await apply(client, plan(null, old).plan, names);
  for (const one of before) await insertRows(client, names, one, before, rows);
  const renames = renamesOf(before, after);
  const filled = filledIn(wanted);
  const fills = fillsOf(filled);
  const there = planMigration({ before: old, after: wanted, renames, setAside: [], tag: "t1", fills });
  if (there.refused.length > 0) {
    seen.refused++;
    return;
  }
  const standing = await valuesOf(names, old);
  try {
    await apply(client, there.plan, names);
  } catch (error) {
    expect(String(error)).toMatch(/ of \S+ have /);
    expect(await valuesOf(names, old)).toEqual(standing);
    seen.stopped++;
    return;
  }
  seen.applied++;
  const fresh = await makeSchema(client, roles, `s${++schemas}`);
  await apply(client, plan(null, wanted).plan, fresh);
  expect(await inspect(client, names)).toEqual(await inspect(client, fresh));
  const reached = await valuesOf(names, wanted);
  const oldTables = new Map(Object.entries(renames.tables).map(([from, to]) => [to, from]));
  for (const one of filled) {
    const oldColumns = new Map(Object.entries(renames.columns[one.table] ?? {}).map(([from, to]) => [to, from]));
    const was = standing.get(oldTables.get(one.table) ?? one.table);
    const { default: fallback = null } =
      wanted.find(({ name }) => name === one.table)?.columns.find(({ name }) => name === one.column) ?? {};
    for (const [id, row] of reached.get(one.table) ?? []) {
      const old = was?.get(id);
      if (old === undefined || fallback !== null) continue;
      const own = old[oldColumns.get(one.column) ?? one.column] ?? null;
      // The source's value after its conversion in the same change.
      if (own === null) expect([one, row[one.column]]).toEqual([one, row[one.from]]);
      else expect([one, row[one.column] === null]).toEqual([one, false]);
      if (own !== null) seen.kept++;
      else if (row[one.from] !== null) seen.filled++;
    }
  }
}

type Values = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, string | null>>>>;

async function valuesOf(names: Names, tables: readonly Table[]): Promise<Values> {
  const all = new Map<string, ReadonlyMap<string, Readonly<Record<string, string | null>>>>();
  for (const { name, columns } of tables) {
    const texts = columns.map((column) => `${q(column.name)}::text`).join(", ");
    const { rows } = await client.query(`select ${texts} from ${names.schema}.${q(name)}`);
    all.set(name, new Map(rows.map((row) => [row.id, row])));
  }
  return all;
}
