// Estimates the effects and the cost of a plan on the live database, before anybody approves it. In: a plan. Out:
// figures per step. It only reads: in a read-only transaction under the role that serves the API, one statement at a
// time, each with a time limit.
import type { MigrationStep, ProjectId } from "@plinth/bundle";
import type { MeasuredBody, MeasuredRecords, MeasuredReferences, PlanMeasures, StepMeasure } from "@plinth/bundle/cell";
import { isConnectionLoss, limitStatements, quoteIdentifier, tenantNames, withSession } from "@plinth/postgres";
import type { Pool, PoolClient } from "pg";
import type { ServedBundle } from "../project/active-release.ts";
import { findViolations } from "./verify.ts";

const STATEMENT_MS_MAX = 2_000;
/** For the whole plan, because somebody waits for the answer. Everything that isn't counted by then is unknown. */
const MEASURE_MS_MAX = 5_000;
/** Rows are counted up to this number. Above it, the server's estimate is close enough and costs nothing. */
const COUNTED_ROWS_MAX = 20_000;
/** A step that only changes the catalogue. */
const CATALOGUE_MS = 10;

/** Rates per millisecond without measurements: modest ones for a laptop's disk. */
const FIXED = { readBytes: 200_000, writtenBytes: 50_000, indexedBytes: 20_000, filledRows: 2.5 } as const;
/** Fewer rows say more about the start of a step than about its rate. */
const MEASURED_ROWS_MIN = 10_000;

export async function measurePlan(
  pool: Pool,
  projectId: ProjectId,
  { steps: planned, referring = [], counted = [] }: MeasuredBody,
  live: ServedBundle | null,
): Promise<PlanMeasures> {
  return withSession(pool, async (client) => {
    const filledRows = await backfillRate(client);
    const { worker } = tenantNames(projectId);
    await client.query("BEGIN READ ONLY");
    await limitStatements(client, STATEMENT_MS_MAX);
    await client.query("SET LOCAL lock_timeout = '200ms'");
    await client.query(`SET LOCAL ROLE ${quoteIdentifier(worker)}`);
    const work: Work = { client, projectId, live, tables: new Map(), deadline: performance.now() + MEASURE_MS_MAX };
    const steps: StepMeasure[] = [];
    for (const step of planned) steps.push(await measureStep(work, step, filledRows ?? FIXED.filledRows));
    const destroyed: NonNullable<PlanMeasures["destroyed"]>[number][] = [];
    for (const one of referring) destroyed.push({ path: one.path, records: await countReferring(work, one) });
    const found: NonNullable<PlanMeasures["counted"]>[number][] = [];
    for (const one of counted) found.push({ path: one.path, what: one.what, records: await countRecords(work, one) });
    await client.query("ROLLBACK");
    return { measuredAt: new Date().toISOString(), rates: ratesText(filledRows), steps, destroyed, counted: found };
  });
}

interface Work {
  readonly client: PoolClient;
  readonly projectId: ProjectId;
  readonly live: ServedBundle | null;
  readonly tables: Map<string, TableSize>;
  readonly deadline: number;
}

interface TableSize {
  readonly rows: number | null;
  readonly rowsExact: boolean;
  readonly bytes: number | null;
}

const NO_TABLE: TableSize = { rows: null, rowsExact: false, bytes: null };

async function measureStep(work: Work, step: MigrationStep, filledRows: number): Promise<StepMeasure> {
  const size = step.table === null ? NO_TABLE : await sizeOf(work, step.table);
  const facts = { stepId: step.id, ...size };
  if (step.kind !== "verify") return { ...facts, violators: null, expectedMs: expectedMs(step, size, filledRows) };
  const started = performance.now();
  const found = await attempt(work, () => findViolations(work.client, work.projectId, step, work.live));
  const tookMs = Math.ceil(performance.now() - started);
  if (found !== null) return { ...facts, violators: found, expectedMs: tookMs };
  return { ...facts, violators: { count: null, samples: [] }, expectedMs: expectedMs(step, size, filledRows) };
}

async function sizeOf(work: Work, table: string): Promise<TableSize> {
  const known = work.tables.get(table);
  if (known !== undefined) return known;
  const { schema } = tenantNames(work.projectId);
  const size = (await attempt(work, () => readSize(work, schema, table))) ?? NO_TABLE;
  work.tables.set(table, size);
  return size;
}

async function readSize(work: Work, schema: string, table: string): Promise<TableSize> {
  const { rows } = await work.client.query<{ tuples: number; bytes: string }>(
    `SELECT c.reltuples AS tuples, pg_total_relation_size(c.oid)::text AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, table],
  );
  const row = rows[0];
  if (row === undefined) return NO_TABLE;
  const bytes = Number(row.bytes);
  const estimate = row.tuples < 0 ? null : Math.round(row.tuples);
  if (estimate !== null && estimate > COUNTED_ROWS_MAX) return { rows: estimate, rowsExact: false, bytes };
  const from = `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
  const counted = await attempt(work, () => work.client.query<{ count: string }>(`SELECT count(*) FROM ${from}`));
  if (counted === null) return { rows: estimate, rowsExact: false, bytes };
  return { rows: Number(counted.rows[0]?.count), rowsExact: true, bytes };
}

async function countReferring(
  work: Work,
  { table, column, target, keepsDeleted }: MeasuredReferences,
): Promise<number | null> {
  const { schema } = tenantNames(work.projectId);
  const [from, to] = [table, target].map((name) => `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`);
  const living = keepsDeleted ? ' AND t."deleted_at" IS NULL' : "";
  const sql = `SELECT count(*) FROM ${from} r JOIN ${to} t ON t."id" = r.${quoteIdentifier(column)}${living}`;
  const counted = await attempt(work, () => work.client.query<{ count: string }>(sql));
  return counted === null ? null : Number(counted.rows[0]?.count);
}

async function countRecords(work: Work, { table, column, only, except }: MeasuredRecords): Promise<number | null> {
  const from = `${quoteIdentifier(tenantNames(work.projectId).schema)}.${quoteIdentifier(table)}`;
  const value = `r.${quoteIdentifier(column)}`;
  const sql = `SELECT count(*) FROM ${from} r WHERE ${value} IS NOT NULL AND ($1::text[] IS NULL OR ${value}::text = ANY ($1)) AND NOT ${value}::text = ANY ($2)`;
  const counted = await attempt(work, () => work.client.query<{ count: string }>(sql, [only, except]));
  return counted === null ? null : Number(counted.rows[0]?.count);
}

/**
 * Null if it took too long, or can't run yet because of a column that the plan itself creates. The transaction
 * continues.
 */
async function attempt<T>(work: Work, ask: () => Promise<T>): Promise<T | null> {
  if (performance.now() > work.deadline) return null;
  const { client } = work;
  await client.query("SAVEPOINT attempt");
  let answer: T | null = null;
  try {
    answer = await ask();
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
  }
  // Also after a success: the settings of a statement, above all a role, must not affect the next one.
  await client.query("ROLLBACK TO SAVEPOINT attempt; RELEASE SAVEPOINT attempt");
  return answer;
}

function expectedMs(step: MigrationStep, { rows, bytes }: TableSize, filledRows: number): number {
  const size = bytes ?? 0;
  let ms = 0;
  if (step.kind === "backfill") ms = (rows ?? 0) / filledRows;
  else if (step.rewrites) ms = size / FIXED.writtenBytes;
  else if (step.kind === "statement" && !step.transactional) ms = size / FIXED.indexedBytes;
  else if (step.scans) ms = size / FIXED.readBytes;
  return Math.ceil(Math.max(CATALOGUE_MS, ms));
}

/** Rows per millisecond of this cell's backfills, including pauses; null if there were too few. */
async function backfillRate(client: PoolClient): Promise<number | null> {
  const { rows } = await client.query<{ written: string | null; ms: string | null }>(
    `SELECT sum(rows_done) AS written, sum(extract(epoch FROM finished_at - started_at) * 1000) AS ms
     FROM plinth.migration_ledger WHERE status = 'done' AND rows_done >= $1`,
    [MEASURED_ROWS_MIN],
  );
  const written = Number(rows[0]?.written ?? 0);
  const ms = Number(rows[0]?.ms ?? 0);
  return written > 0 && ms > 0 ? written / ms : null;
}

function ratesText(filledRows: number | null): string {
  const rows = Math.round((filledRows ?? FIXED.filledRows) * 1_000);
  const backfills =
    filledRows === null
      ? `${rows} rows a second are assumed for backfills`
      : `backfills have written ${rows} rows a second in this database`;
  return `Estimated: ${backfills}; based on 200 MB read, 50 MB written and 20 MB indexed per second.`;
}
