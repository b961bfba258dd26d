// Handmade tables, and plans that run as in a cell, for tests of the planner. In: parts. Out: tables; a changed schema;
// its contents. Only tests import this.
import {
  type Check,
  type Column,
  type ForeignKey,
  fillTemplate,
  type Index,
  type LockMode,
  type MigrationPlan,
  type MigrationStep,
  type Renames,
  type SetAside,
  type Table,
  type TableSearch,
  type Unique,
} from "@plinth/bundle";
import type { Client, QueryResult } from "pg";
import { constraintName, quoteIdentifier as q } from "../../sql/sql-text.ts";
import { type Planned, planMigration } from "../migration.ts";

export interface TableParts {
  readonly columns?: readonly Column[];
  readonly primaryKey?: readonly string[];
  readonly uniques?: readonly Unique[];
  readonly indexes?: readonly Index[];
  readonly foreignKeys?: readonly ForeignKey[];
  readonly checks?: readonly Check[];
  readonly search?: TableSearch;
}

/** With an `id`, unless it has another key. */
export function table(name: string, parts: TableParts = {}): Table {
  const primaryKey = parts.primaryKey ?? ["id"];
  const columns = parts.columns ?? [];
  return {
    name,
    columns: primaryKey[0] === "id" ? [required("id", "uuid"), ...columns] : columns,
    primaryKey,
    uniques: parts.uniques ?? [],
    indexes: parts.indexes ?? [],
    foreignKeys: parts.foreignKeys ?? [],
    checks: parts.checks ?? [],
    ...(parts.search && { search: parts.search }),
    privileges: ["select", "insert", "update", "delete"],
  };
}

export function optional(name: string, sqlType: string, fallback: string | null = null): Column {
  return { name, sqlType, nullable: true, default: fallback, identity: false };
}

export function required(name: string, sqlType: string, fallback: string | null = null): Column {
  return { name, sqlType, nullable: false, default: fallback, identity: false };
}

export function unique(of: string, columns: readonly string[], where: string | null = null): Unique {
  return { name: constraintName(of, columns, "key"), columns, where };
}

export function index(of: string, columns: readonly string[]): Index {
  return { name: constraintName(of, columns, "idx"), method: "btree", keys: columns.map(q), where: null };
}

export function references(
  of: string,
  column: string,
  target: string,
  onDelete: ForeignKey["onDelete"] = "no action",
): ForeignKey {
  return { name: constraintName(of, [column], "fkey"), column, table: target, onDelete };
}

export function check(of: string, column: string, rule: Check["rule"]): Check {
  return { name: constraintName(of, [column], "check"), columns: [column], rule };
}

/** A search index over the words of these columns. */
export function searched(of: string, columns: readonly string[]): TableSearch {
  const text = `concat_ws(' ', ${columns.map(q).join(", ")})`;
  return {
    column: "_search",
    index: constraintName(of, columns, "gin"),
    value: `(select to_tsvector('simple', _text) from (select ${text} as _text offset 0) _t)`,
  };
}

export interface PlanOptions {
  readonly tables?: Readonly<Record<string, string>>;
  readonly columns?: Renames["columns"];
  readonly setAside?: readonly SetAside[];
  readonly tag?: string;
}

export function plan(before: readonly Table[] | null, after: readonly Table[], options: PlanOptions = {}): Planned {
  const renames = { tables: options.tables ?? {}, columns: options.columns ?? {} };
  return planMigration({ before, after, renames, setAside: options.setAside ?? [], tag: options.tag ?? "t1" });
}

/** The values for the placeholders of a plan; all quoted. */
export interface Names {
  readonly schema: string;
  readonly owner: string;
  readonly worker: string;
}

/** Two roles for all schemas of a test file, because roles belong to the whole server. */
export async function makeRoles(client: Client, suffix: string): Promise<Omit<Names, "schema">> {
  const [owner, worker] = [`"m_${suffix}_owner"`, `"m_${suffix}_worker"`];
  await client.query(`create role ${owner}; create role ${worker}; grant ${owner}, ${worker} to current_user`);
  return { owner, worker };
}

export async function makeSchema(client: Client, roles: Omit<Names, "schema">, name: string): Promise<Names> {
  await client.query(
    `create schema ${q(name)} authorization ${roles.owner}; grant usage on schema ${q(name)} to ${roles.worker}`,
  );
  return { ...roles, schema: q(name) };
}

export interface Watch {
  /** The writes of the old release while the plan runs; called after each step of that phase. */
  readonly before?: (step: MigrationStep) => Promise<void>;
  /** The writes of the new release. */
  readonly after?: (step: MigrationStep) => Promise<void>;
}

/** Batches are small, so that a backfill has several. */
const BATCH_ROWS = 2;

/** Phase by phase; the switch is one transaction. Out: the number of rows that backfills wrote. */
export async function apply(
  client: Client,
  { steps }: MigrationPlan,
  names: Names,
  watch: Watch = {},
): Promise<number> {
  let written = 0;
  const standing = await tablesStanding(client, names);
  const inPhase = async (phase: MigrationStep["phase"], behind?: Watch["before"]): Promise<void> => {
    for (const step of steps.filter((one) => one.phase === phase)) {
      await client.query(`set role ${names.owner}`);
      if (phase !== "switch" && !standsAlone(step)) await client.query("begin");
      written += await run(client, step, names);
      if (!standsAlone(step)) await holdsLocks(client, step, standing);
      if (phase !== "switch" && !standsAlone(step)) await client.query("commit");
      await client.query("reset role");
      await behind?.(step);
    }
  };
  try {
    await inPhase("before", watch.before);
    await client.query("begin");
    await inPhase("switch");
    await client.query("commit");
    await inPhase("after", watch.after);
  } catch (error) {
    await client.query("rollback; reset role");
    throw error;
  }
  return written;
}

function standsAlone(step: MigrationStep): boolean {
  return step.kind === "statement" && !step.transactional;
}

async function tablesStanding(client: Client, names: Names): Promise<readonly number[]> {
  const { rows } = await client.query<{ oid: number }>(
    "select oid from pg_class where relkind = 'r' and relnamespace = $1::regnamespace",
    [names.schema],
  );
  return rows.map(({ oid }) => oid);
}

const lockModes: readonly LockMode[] = [
  "none",
  "row exclusive",
  "share update exclusive",
  "share row exclusive",
  "access exclusive",
];

/** The strongest lock on an existing table equals that of the step; in the switch, that of one of its steps. */
async function holdsLocks(client: Client, step: MigrationStep, standing: readonly number[]): Promise<void> {
  const { rows } = await client.query<{ mode: string }>(
    "select mode from pg_locks where pid = pg_backend_pid() and relation = any ($1) and granted",
    [standing],
  );
  const held = rows.map(
    ({ mode }) =>
      mode
        .replace("Lock", "")
        .replaceAll(/(?<=.)([A-Z])/g, " $1")
        .toLowerCase() as LockMode,
  );
  const strongest = Math.max(0, ...held.map((mode) => lockModes.indexOf(mode)));
  const said = lockModes.indexOf(step.lock);
  const wrong =
    step.phase === "switch" ? strongest < said && step.lock !== "share update exclusive" : strongest !== said;
  if (wrong) throw new Error(`${step.id} says ${step.lock}, and took ${lockModes[strongest]}`);
}

async function run(client: Client, step: MigrationStep, names: Names): Promise<number> {
  const fill = (sql: string, values: Readonly<Record<string, string>> = {}): string =>
    fillTemplate(sql, (hole) => ({ ...names, ...values })[hole]);
  switch (step.kind) {
    case "backfill":
      return runBackfill(client, (after) =>
        fill(step.sql, { after: after === null ? "null" : `'${after}'`, limit: String(BATCH_ROWS) }),
      );
    case "verify": {
      const counted = await client.query<[string]>({ text: fill(step.count), rowMode: "array" });
      const count = Number(counted.rows[0]?.[0]);
      const sample = await client.query<{ id: string; problem: string }>(fill(step.sample));
      if (count === 0) return 0;
      const found = sample.rows.map(({ id, problem }) => `${id} ${problem}`).sort();
      throw new Error(`${count} of ${step.table} have ${step.violation}: ${found.join("; ")}`);
    }
    case "statement":
    case "set_aside":
    case "restore":
      await client.query(fill(step.sql));
      return 0;
  }
}

async function runBackfill(client: Client, sql: (after: string | null) => string): Promise<number> {
  let after: string | null = null;
  let written = 0;
  for (;;) {
    const { rows }: QueryResult<{ last: string | null; written: string }> = await client.query(sql(after));
    written += Number(rows[0]!.written);
    after = rows[0]!.last;
    if (after === null) return written;
  }
}

/** The contents of a schema, without its name and set-aside objects. The order of columns is ignored. */
export async function inspect(client: Client, names: Names): Promise<readonly string[]> {
  const schema = names.schema.replaceAll('"', "");
  const { rows } = await client.query<{ line: string }>(INSPECT, [schema]);
  return rows.map(({ line }) => line.replaceAll(`${schema}.`, "x."));
}

const INSPECT = `
  with rel as (select c.* from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname not like 'aside\\_\\_%')
  select line from (
    select format('column %s.%s %s %s %s %s %s', r.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation,
                  a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity) as line
      from rel r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum where a.attname not like 'aside\\_\\_%'
    union all
    select format('aside %s.%s %s %s', r.relname, a.attname, a.attnotnull, a.atthasdef)
      from rel r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
      where a.attname like 'aside\\_\\_%' and (a.attnotnull or a.atthasdef)
    union all
    select format('constraint %s %s %s %s', r.relname, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
      from pg_constraint c join rel r on r.oid = c.conrelid where c.contype <> 'n'
    union all
    select format('index %s %s %s', i.relname, pg_get_indexdef(i.oid), x.indisvalid)
      from pg_index x join pg_class i on i.oid = x.indexrelid join rel r on r.oid = x.indrelid
    union all
    select format('trigger %s %s', r.relname, t.tgname) from pg_trigger t join rel r on r.oid = t.tgrelid where not t.tgisinternal
    union all
    select format('function %s %s', p.proname, p.prosrc) from pg_proc p where p.pronamespace = $1::regnamespace
    union all
    select format('grant %s %s', r.relname, r.relacl) from rel r
  ) found order by line collate "C"`;
