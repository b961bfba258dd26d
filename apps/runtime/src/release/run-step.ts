// Runs one step before or after the switch. In: a step, and the connection that holds the project's lock. Out: done, or
// the reason why not. A completed step never runs again. It waits for locks in short attempts, so that nobody queues
// behind it.
import type { Bundle, MigrationStep, ProjectId } from "@plinth/bundle";
import {
  constraintName,
  isConnectionLoss,
  isExclusionViolation,
  isRetryable,
  quoteIdentifier,
  sqlState,
  tenantNames,
} from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { PoolClient } from "pg";
import { BATCH_ROWS_FIRST, type BackfillPlace, runBackfill } from "./backfill.ts";
import { type LedgerEntry, markDone, markFailed, markRunning } from "./ledger.ts";
import { stepSql } from "./migration-sql.ts";
import { forgetSetAside, recordSetAside } from "./set-aside.ts";
import { StepRefused } from "./step-refused.ts";
import { findViolations, violationMessage } from "./verify.ts";

export interface StepRun {
  readonly releaseId: string;
  readonly projectId: ProjectId;
  readonly step: MigrationStep;
  readonly logger: Logger;
  readonly isStopped: () => boolean;
  readonly beforeBatch?: ((stepId: string) => Promise<void>) | undefined;
  /** The bundle that serves now. */
  readonly live: Bundle | null;
}

/** `stopped`: the process is stopping. The next one resumes the rest. */
export type StepOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly reason: string };

/** A waiting ALTER TABLE blocks everyone behind it: it gives up soon, lets them pass, and tries again. */
export const LOCK_TIMEOUT_MS = 500;
/** CREATE INDEX CONCURRENTLY waits for old readers, and blocks nobody meanwhile. */
const LOCK_TIMEOUT_CONCURRENT = "30s";
export const LOCK_TRIES_MAX = 40;
const BACKOFF_MS_MAX = 2_000;
const LOCKED =
  "Other transactions kept the table locked for too long. Resume the deployment, preferably when there are fewer requests.";

/** @throws errors that say nothing about the step: a lost connection. */
export async function runStep(client: PoolClient, run: StepRun, entry: LedgerEntry | undefined): Promise<StepOutcome> {
  if (entry?.status === "done") return { kind: "done" };
  let retry = entry?.status === "running" || entry?.status === "failed";
  const place: BackfillPlace = { after: entry?.progress ?? null, size: BATCH_ROWS_FIRST };
  await markRunning(client, run);
  for (let attempt = 1; ; attempt++) {
    try {
      return { kind: (await runKind(client, run, retry, place)) ? "done" : "stopped" };
    } catch (error) {
      const failure = await judge(client, error);
      if (failure.lock && run.isStopped()) return { kind: "stopped" };
      if (failure.lock && attempt < LOCK_TRIES_MAX) {
        run.logger.info({ releaseId: run.releaseId, stepId: run.step.id, attempt }, "a step waits for a lock");
        retry = true;
        await backOff(attempt);
        continue;
      }
      await cleanUp(client, run);
      await markFailed(client, run, failure.reason);
      return { kind: "failed", reason: failure.reason };
    }
  }
}

export interface StepFailure {
  readonly reason: string;
  /** Another transaction was in the way. A retry may soon succeed. */
  readonly lock: boolean;
}

/**
 * Rolls the current transaction back. @throws the error itself if it says nothing about the step: a lost connection.
 */
export async function judge(client: PoolClient, error: unknown): Promise<StepFailure> {
  const said = error instanceof StepRefused || (sqlState(error) !== null && !isConnectionLoss(error));
  if (!said) throw error;
  await client.query("ROLLBACK");
  return { reason: reasonOf(error), lock: sqlState(error) === "55P03" || isRetryable(error) };
}

/** For an overlap, the server only names the constraint. The next attempt finds the records. */
function reasonOf(error: unknown): string {
  const code = sqlState(error);
  if (code === "55P03") return LOCKED;
  if (code === "53100") return "The disk of the database is full. Free some space, then resume the deployment.";
  if (!isExclusionViolation(error)) return (error as Error).message;
  const name = constraintName(error);
  return `Records that overlap were written during the deployment (${name}). Deploy again to see which ones.`;
}

export function backOff(attempt: number): Promise<void> {
  const ms = Math.min(BACKOFF_MS_MAX, 50 * 2 ** attempt) * (0.75 + Math.random() / 2);
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function runKind(client: PoolClient, run: StepRun, retry: boolean, place: BackfillPlace): Promise<boolean> {
  const { step } = run;
  if (step.kind === "backfill") return runBackfill(client, { ...run, step }, place);
  if (step.kind === "statement" && !step.transactional) {
    await runAlone(client, run, step, retry);
    return true;
  }
  await client.query("BEGIN");
  await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await runInTransaction(client, { ...run, step });
  await markDone(client, run);
  await client.query("COMMIT");
  return true;
}

/** In the current transaction, whose connection keeps its own role afterwards. */
export async function runInTransaction(
  client: PoolClient,
  run: Omit<StepRun, "logger" | "isStopped" | "step"> & { readonly step: Exclude<MigrationStep, { kind: "backfill" }> },
  schema?: string,
): Promise<void> {
  const { step, projectId } = run;
  const asOwner = async (work: () => Promise<unknown>): Promise<void> => {
    await client.query(`SET LOCAL ROLE ${quoteIdentifier(tenantNames(projectId).owner)}`);
    await work();
    await client.query("SET LOCAL ROLE NONE");
  };
  switch (step.kind) {
    case "statement":
      return asOwner(() => client.query(stepSql(step.sql, projectId, schema)));
    case "verify":
      return asOwner(async () => {
        const violations = await findViolations(client, projectId, step, run.live);
        if (violations.count > 0) throw new StepRefused(violationMessage(step, violations));
      });
    case "set_aside":
      await asOwner(() => client.query(stepSql(step.sql, projectId, schema)));
      if (schema === undefined) await recordSetAside(client, run, step.what);
      return;
    case "restore":
      // Checked first, so that the error names the missing data instead of quoting a failed statement.
      if (schema === undefined) await forgetSetAside(client, projectId, step.what);
      return asOwner(() => client.query(stepSql(step.sql, projectId, schema)));
  }
}

type StatementStep = Extract<MigrationStep, { readonly kind: "statement" }>;

async function runAlone(client: PoolClient, run: StepRun, step: StatementStep, retry: boolean): Promise<void> {
  await outsideTransaction(client, run.projectId, async () => {
    if (retry && step.cleanup !== null) await client.query(stepSql(step.cleanup, run.projectId));
    await client.query(stepSql(step.sql, run.projectId));
  });
  await markDone(client, run);
}

/** Removes the result of a build that can't succeed, which would slow down or refuse every write. */
async function cleanUp(client: PoolClient, run: StepRun): Promise<void> {
  const { step, logger } = run;
  if (step.kind !== "statement" || step.transactional || step.cleanup === null) return;
  const sql = stepSql(step.cleanup, run.projectId);
  try {
    await outsideTransaction(client, run.projectId, () => client.query(sql));
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
    logger.warn(
      { err: error, releaseId: run.releaseId, stepId: step.id },
      "the remains of a failed step could not be removed",
    );
  }
}

async function outsideTransaction(
  client: PoolClient,
  projectId: ProjectId,
  work: () => Promise<unknown>,
): Promise<void> {
  const { owner } = tenantNames(projectId);
  try {
    await client.query(`SET lock_timeout = '${LOCK_TIMEOUT_CONCURRENT}'`);
    await client.query(`SET ROLE ${quoteIdentifier(owner)}`);
    await work();
  } finally {
    await client.query("RESET ROLE");
    await client.query("RESET lock_timeout");
  }
}
