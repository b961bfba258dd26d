// The ledger of releases: which step has run, and how far. In: a connection, a release and a step. Out: rows. They are
// committed together with the step's own SQL, because the caller holds the transaction.
import type { PoolClient } from "pg";

type LedgerStatus = "pending" | "running" | "done" | "failed";

export interface LedgerEntry {
  readonly status: LedgerStatus;
  /** For a backfill: the key after which the next batch begins. */
  readonly progress: string | null;
}

interface StepKey {
  readonly releaseId: string;
  readonly step: { readonly id: string };
}

type Connection = Pick<PoolClient, "query">;

export async function readLedger(client: Connection, releaseId: string): Promise<ReadonlyMap<string, LedgerEntry>> {
  const { rows } = await client.query<{ step_id: string; status: LedgerStatus; progress: string | null }>(
    "SELECT step_id, status, progress FROM plinth.migration_ledger WHERE release_id = $1",
    [releaseId],
  );
  return new Map(rows.map((row) => [row.step_id, { status: row.status, progress: row.progress }]));
}

/** The time of the first attempt stays, even if a backfill is resumed. */
export async function markRunning(client: Connection, { releaseId, step }: StepKey): Promise<void> {
  await client.query(
    `UPDATE plinth.migration_ledger SET status = 'running', finished_at = NULL, error = NULL,
       started_at = CASE WHEN progress IS NULL THEN clock_timestamp() ELSE coalesce(started_at, clock_timestamp()) END
     WHERE release_id = $1 AND step_id = $2`,
    [releaseId, step.id],
  );
}

export async function markDone(client: Connection, { releaseId, step }: StepKey): Promise<void> {
  await client.query(
    `UPDATE plinth.migration_ledger SET status = 'done', finished_at = clock_timestamp(), error = NULL,
       started_at = coalesce(started_at, clock_timestamp())
     WHERE release_id = $1 AND step_id = $2`,
    [releaseId, step.id],
  );
}

export async function markFailed(client: Connection, { releaseId, step }: StepKey, error: string): Promise<void> {
  await client.query(
    `UPDATE plinth.migration_ledger SET status = 'failed', finished_at = clock_timestamp(), error = $3,
       started_at = coalesce(started_at, clock_timestamp())
     WHERE release_id = $1 AND step_id = $2`,
    [releaseId, step.id, error],
  );
}

/** Removes the marks of a transaction that was rolled back. */
export async function markPending(client: Connection, releaseId: string, stepIds: readonly string[]): Promise<void> {
  await client.query(
    `UPDATE plinth.migration_ledger SET status = 'pending', started_at = NULL
     WHERE release_id = $1 AND step_id = ANY ($2) AND status = 'running'`,
    [releaseId, stepIds],
  );
}

export async function keepProgress(
  client: Connection,
  { releaseId, step }: StepKey,
  lastKey: string,
  rowsWritten: number,
): Promise<void> {
  await client.query(
    `UPDATE plinth.migration_ledger SET progress = $3, rows_done = coalesce(rows_done, 0) + $4
     WHERE release_id = $1 AND step_id = $2`,
    [releaseId, step.id, lastKey, rowsWritten],
  );
}
