// The law of migrations: a plan between any two schemas gives exactly the second one, keeps every value that it doesn't
// set aside or convert, rewrites nothing, leaves every record searchable, and a second plan is empty.
import type { MigrationPlan, SetAside, Table } from "@plinth/bundle";
import { createTestDatabase, isLongRun, sampleOf, type TestDatabase } from "@plinth/testkit";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { planMigration } from "./migration.ts";
import { type Change, change, lower, renamesOf } from "./testing/sample-changes.ts";
import { insertRows } from "./testing/sample-rows.ts";
import { apply, inspect, makeRoles, makeSchema, type Names, plan } from "./testing/sample-tables.ts";

const { runs: PAIRS, seed: SEED } = sampleOf(40, 400);

let database: TestDatabase;
let client: pg.Client;
let roles: Omit<Names, "schema">;
let schemas = 0;
const seen = { searched: 0, deleted: 0, applied: 0, refused: 0, stopped: 0, back: 0, steps: 0, values: 0 };

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

test("any schema to any other", { timeout: 180_000 }, async () => {
  await fc.assert(fc.asyncProperty(change, holds), {
    seed: SEED,
    numRuns: PAIRS,
    // Ends the test on a busy machine, or during the search for the smallest failure.
    interruptAfterTimeLimit: 150_000,
    markInterruptAsFailure: true,
  });
  console.log(`pairs of schemas: ${PAIRS} (seed ${SEED})`, seen);
  expect(seen.applied).toBeGreaterThan(PAIRS / 3);
  expect(seen.back).toBeGreaterThan(PAIRS / 12);
  expect(seen.searched).toBeGreaterThan(PAIRS / 20);
  // Too rare for a small sample.
  if (isLongRun) expect(seen.deleted).toBeGreaterThan(0);
});

async function holds({ before, after, rows, busy }: Change): Promise<void> {
  const [old, wanted] = [lower(before), lower(after)];
  const names = await makeSchema(client, roles, `s${++schemas}`);
  await apply(client, plan(null, old).plan, names);
  for (const one of before) await insertRows(client, names, one, before, rows);
  const standing = await snapshot(names, old);
  const there = planMigration({
    before: old,
    after: wanted,
    renames: renamesOf(before, after),
    setAside: [],
    tag: "t1",
  });
  expect(
    planMigration({ before: wanted, after: wanted, renames: { tables: {}, columns: {} }, setAside: [], tag: "t" }).plan
      .steps,
  ).toEqual([]);
  if (there.refused.length > 0) {
    expect(there.refused.every(({ reason }) => reason.includes("no conversion"))).toBe(true);
    seen.refused++;
    return;
  }
  if (!(await goes(names, old, wanted, there.plan, busy))) return;
  seen.applied++;
  seen.steps += there.plan.steps.length;
  const reached = await snapshot(names, wanted, there.plan);
  const fates = fatesOf(there.plan, old, wanted, renamesOf(before, after));
  const living = await withoutDeleted(names, standing, fates, there.plan);
  compare(living, reached, fates, busy);
  await back(names, { before, after, rows, busy }, there.plan, living, fates);
}

/** Whether it succeeded; if it was stopped, nothing has changed. */
async function goes(
  names: Names,
  old: readonly Table[],
  wanted: readonly Table[],
  planned: MigrationPlan,
  busy: boolean,
): Promise<boolean> {
  const [catalog, rows] = [await inspect(client, names), await snapshot(names, old)];
  const touch = (tables: readonly Table[]) => async (): Promise<void> => {
    if (!busy) return;
    await client.query(`set role ${names.worker}`);
    for (const one of tables)
      for (const { name } of one.columns.slice(0, 3))
        await client.query(`update ${names.schema}.${q(one.name)} set ${q(name)} = ${q(name)}`);
    await client.query("reset role");
  };
  try {
    await apply(client, planned, names, { before: touch(old), after: touch(wanted) });
  } catch (error) {
    expect(String(error)).toMatch(/ of \S+ have /);
    expect(await inspect(client, names)).toEqual(catalog);
    if (!busy) expect(await snapshot(names, old)).toEqual(rows);
    seen.stopped++;
    return false;
  }
  const fresh = await makeSchema(client, roles, `s${++schemas}`);
  await apply(client, plan(null, wanted).plan, fresh);
  expect(await inspect(client, names)).toEqual(await inspect(client, fresh));
  await client.query(`drop schema ${fresh.schema} cascade`);
  await findsAll(names, wanted);
  return true;
}

/** Whichever release wrote it, and at any time. */
async function findsAll(names: Names, tables: readonly Table[]): Promise<void> {
  for (const { name, search } of tables) {
    if (search === undefined) continue;
    const { rows } = await client.query(
      `select count(*)::int as all, count(*) filter (where ${q(search.column)} is distinct from ${search.value})::int as lost from ${names.schema}.${q(name)}`,
    );
    expect([name, rows[0].lost]).toEqual([name, 0]);
    seen.searched += rows[0].all;
  }
}

/** Deleted rows of a table without soft delete are set aside with their values; the others stay. */
async function withoutDeleted(
  names: Names,
  standing: Snapshot,
  fates: Fates,
  { steps }: MigrationPlan,
): Promise<Snapshot> {
  const rows = new Map(standing.rows);
  const xmins = new Map(standing.xmins);
  for (const [tableName, own] of standing.rows) {
    const now = fates.get(`${tableName}.id`)!.table;
    const aside = steps.find((step) => step.kind === "set_aside" && step.what.table === `${now}__deleted_at`);
    if (aside?.kind !== "set_aside") continue;
    const isLiving = (id: string): boolean => own.get(id)?.["deleted_at"] === null;
    const deleted = [...own.keys()].filter((id) => !isLiving(id)).sort();
    const kept = await client.query(`select id from ${names.schema}.${q(aside.what.keptAs)} order by id`);
    expect(kept.rows.map(({ id }) => id)).toEqual(deleted);
    seen.deleted += deleted.length;
    rows.set(tableName, new Map([...own].filter(([id]) => isLiving(id))));
    xmins.set(tableName, new Map([...standing.xmins.get(tableName)!].filter(([id]) => isLiving(id))));
  }
  return { ...standing, rows, xmins };
}

/** And back again: set-aside data has its old values. */
async function back(
  names: Names,
  { before, after }: Change,
  there: MigrationPlan,
  standing: Snapshot,
  fates: Fates,
): Promise<void> {
  const setAside: SetAside[] = there.steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
  const [old, wanted] = [lower(before), lower(after)];
  const home = planMigration({ before: wanted, after: old, renames: renamesOf(after, before), setAside, tag: "t2" });
  if (home.refused.length > 0 || !(await goes(names, wanted, old, home.plan, false))) return;
  seen.back++;
  const reached = await snapshot(names, old);
  for (const [tableName, rows] of standing.rows)
    for (const [id, row] of rows)
      for (const [column, value] of Object.entries(row)) {
        if (fates.get(`${tableName}.${column}`)?.converted) continue;
        expect([tableName, column, reached.rows.get(tableName)?.get(id)?.[column]]).toEqual([tableName, column, value]);
      }
}

interface Snapshot {
  /** Table > id > column > value as text. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, string | null>>>>;
  readonly files: ReadonlyMap<string, string>;
  readonly xmins: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Data that is set aside has its new name. */
async function snapshot(names: Names, tables: readonly Table[], planned?: MigrationPlan): Promise<Snapshot> {
  const aside = (planned?.steps ?? []).flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
  const whole = aside.flatMap(({ was }) => (was === null ? [] : [was]));
  const [rows, files, xmins] = [new Map(), new Map(), new Map()];
  for (const one of [...tables, ...whole]) {
    const kept = aside.filter(({ kind, table }) => kind === "column" && table === one.name).map(({ keptAs }) => keptAs);
    const columns = [...one.columns.map(({ name }) => name), ...kept];
    const sql = `select id, xmin::text, ${columns.map((name) => `${q(name)}::text`).join(", ")} from ${names.schema}.${q(one.name)}`;
    const found = await client.query({ text: sql, rowMode: "array" });
    rows.set(
      one.name,
      new Map(
        found.rows.map(([id, , ...cells]) => [id, Object.fromEntries(columns.map((name, at) => [name, cells[at]]))]),
      ),
    );
    xmins.set(one.name, new Map(found.rows.map(([id, xmin]) => [id, xmin])));
    const file = await client.query(`select pg_relation_filenode($1) as file`, [`${names.schema}.${q(one.name)}`]);
    files.set(one.name, file.rows[0].file);
  }
  return { rows, files, xmins };
}

interface Fate {
  readonly table: string;
  readonly column: string;
  /** In addition to the column that still contains it. */
  readonly converted: string | null;
  /** No step writes rows of the table. */
  readonly unwritten: boolean;
}

/** `table.column` before > its position afterwards. */
type Fates = ReadonlyMap<string, Fate>;

/** Only by names, as the author declared them; the planner is only asked what it has set aside. */
function fatesOf(
  planned: MigrationPlan,
  old: readonly Table[],
  wanted: readonly Table[],
  renames: ReturnType<typeof renamesOf>,
): Fates {
  const fates = new Map<string, Fate>();
  const aside = planned.steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
  const written = new Set(planned.steps.filter((step) => step.kind === "backfill").map((step) => step.table));
  const movedIn = new Set(Object.values(renames.tables));
  for (const one of old) {
    const name = renames.tables[one.name] ?? (movedIn.has(one.name) ? null : one.name);
    const next = wanted.find((other) => other.name === name);
    const unwritten = !written.has(one.name);
    const whole = aside.find(({ kind, table }) => kind === "table" && table === one.name);
    for (const column of one.columns) {
      const key = `${one.name}.${column.name}`;
      if (next === undefined) {
        fates.set(key, { table: whole!.keptAs, column: column.name, converted: null, unwritten });
        continue;
      }
      const renamed = renames.columns[next.name] ?? {};
      const newName = renamed[column.name] ?? (Object.values(renamed).includes(column.name) ? null : column.name);
      const target = next.columns.find((other) => other.name === newName);
      const kept = aside.find(
        (what) => what.kind === "column" && what.table === next.name && what.column === column.name,
      );
      if (target !== undefined && kept === undefined)
        fates.set(key, { table: next.name, column: target.name, converted: null, unwritten });
      else fates.set(key, { table: next.name, column: kept!.keptAs, converted: target?.name ?? null, unwritten });
    }
  }
  return fates;
}

function compare(standing: Snapshot, reached: Snapshot, fates: Fates, busy: boolean): void {
  for (const [tableName, rows] of standing.rows) {
    const { table, unwritten } = fates.get(`${tableName}.id`)!;
    expect(reached.files.get(table)).toBe(standing.files.get(tableName));
    if (unwritten && !busy) expect(reached.xmins.get(table)).toEqual(standing.xmins.get(tableName));
    expect(reached.rows.get(table)?.size).toBe(rows.size);
    for (const [id, row] of rows) {
      const now = reached.rows.get(table)?.get(id) ?? {};
      for (const [column, value] of Object.entries(row)) {
        const fate = fates.get(`${tableName}.${column}`)!;
        seen.values++;
        // A wider numeric with the same scale prints the same.
        expect([tableName, column, now[fate.column]]).toEqual([tableName, column, value]);
        if (fate.converted !== null) expect([column, now[fate.converted] === null]).toEqual([column, value === null]);
      }
    }
  }
}
