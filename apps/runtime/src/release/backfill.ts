// Writes every row of a table, one batch at a time. In: a backfill step and its position. Out: its progress in the
// ledger. Each batch saves its position in the same transaction, so a kill costs at most the current batch.
import type { MigrationStep, ProjectId } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { PoolClient } from "pg";
import { keepProgress, markDone } from "./ledger.ts";
import { batchSql } from "./migration-sql.ts";
import { StepRefused } from "./step-refused.ts";

export type BackfillStep = Extract<MigrationStep, { readonly kind: "backfill" }>;

export interface BackfillRun {
  readonly releaseId: string;
  readonly projectId: ProjectId;
  readonly step: BackfillStep;
  readonly isStopped: () => boolean;
  /** Called before each batch; a test stops the process here. */
  readonly beforeBatch?: ((stepId: string) => Promise<void>) | undefined;
}

/**
 * The first size of a batch. Writers of the locked rows wait for its end, so a batch should take about a tenth of a
 * second. After each batch there is a pause of the same length, so the backfill uses at most half of the database's
 * time.
 */
export const BATCH_ROWS_FIRST = 500;
const BATCH_ROWS_MIN = 20;
const BATCH_ROWS_MAX = 10_000;
const BATCH_MS_AIMED = 100;
const PAUSE_SHARE = 1;
const PAUSE_MS_MAX = 5_000;
const LOCK_TIMEOUT = "500ms";

/** Changes by at most a factor of two, so that one slow batch doesn't decide. */
function nextBatchSize(size: number, tookMs: number): number {
  const wanted = size * Math.min(2, Math.max(0.5, BATCH_MS_AIMED / Math.max(1, tookMs)));
  return Math.min(BATCH_ROWS_MAX, Math.max(BATCH_ROWS_MIN, Math.round(wanted)));
}

/**
 * Runs to the end, or until the process stops. Returns whether it is done. @throws the error of a batch, with the
 * transaction still open. Earlier batches are kept.
 */
export async function runBackfill(client: PoolClient, run: BackfillRun, from: BackfillPlace): Promise<boolean> {
  const place = from;
  for (;;) {
    if (run.isStopped()) return false;
    await run.beforeBatch?.(run.step.id);
    const started = performance.now();
    await client.query("BEGIN");
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    const lastKey = await runBatch(client, run, place);
    if (lastKey === null) await markDone(client, run);
    await client.query("COMMIT");
    if (lastKey === null) return true;
    const tookMs = performance.now() - started;
    place.after = lastKey;
    place.size = nextBatchSize(place.size, tookMs);
    await pause(Math.min(PAUSE_MS_MAX, tookMs * PAUSE_SHARE));
  }
}

/**
 * The position of a backfill. It moves with each batch, so that an attempt after a lock conflict continues after the
 * last one.
 */
export interface BackfillPlace {
  after: string | null;
  size: number;
}

/** All batches in the current transaction, for short backfills that run together with the switch. */
export async function runBackfillAtOnce(
  client: PoolClient,
  run: Omit<BackfillRun, "isStopped" | "beforeBatch">,
  schema?: string,
): Promise<void> {
  const place: BackfillPlace = { after: null, size: BATCH_ROWS_MAX };
  for (;;) {
    place.after = await runBatch(client, run, place, schema);
    if (place.after === null) return;
  }
}

async function runBatch(
  client: PoolClient,
  run: Omit<BackfillRun, "isStopped" | "beforeBatch">,
  place: BackfillPlace,
  schema?: string,
): Promise<string | null> {
  const { text, values } = batchSql(run.step.sql, run.projectId, { after: place.after, limit: place.size }, schema);
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(tenantNames(run.projectId).owner)}`);
  const { rows } = await client.query<[unknown, unknown]>({ text, values: [...values], rowMode: "array" });
  await client.query("SET LOCAL ROLE NONE");
  const [lastKey, written] = rows[0] ?? [null, 0];
  if (lastKey === null || lastKey === undefined) return null;
  // A step that doesn't move would never end.
  if (String(lastKey) === place.after)
    throw new StepRefused(`The batch after ${place.after} has ended where it began.`);
  if (schema === undefined) await keepProgress(client, run, String(lastKey), Number(written ?? 0));
  return String(lastKey);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
