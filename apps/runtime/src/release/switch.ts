// Makes a release live. In: the plan's switch steps. Out: they and the activation, or neither. It is one transaction,
// whose waits for locks add up to half a second at most. So nobody who queues behind it waits longer.
import type { Bundle, MigrationStep, ProjectId } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { PoolClient } from "pg";
import { activateRelease } from "./activate.ts";
import { runBackfillAtOnce } from "./backfill.ts";
import { bringBounds } from "./bring-bounds.ts";
import { bringSchedules } from "./bring-schedules.ts";
import { bringChangeViews } from "./change-views.ts";
import { markDone, markFailed, markPending, markRunning } from "./ledger.ts";
import { bringListeners } from "./listeners.ts";
import { backOff, judge, LOCK_TIMEOUT_MS, LOCK_TRIES_MAX, runInTransaction } from "./run-step.ts";
import { followRenames, insertSeeds, readTableNames } from "./seed.ts";
import { StepRefused } from "./step-refused.ts";

export interface SwitchRun {
  readonly releaseId: string;
  readonly projectId: ProjectId;
  readonly steps: readonly MigrationStep[];
  readonly bundle: Bundle;
  /** The bundle that has served until now. */
  readonly live: Bundle | null;
  readonly logger: Logger;
  readonly isStopped: () => boolean;
  readonly beforeStep?: ((stepId: string) => Promise<void>) | undefined;
}

export type SwitchOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "stopped" }
  /** `step` is null if no single step caused the failure. */
  | { readonly kind: "failed"; readonly step: MigrationStep | null; readonly reason: string };

/** @throws errors that say nothing about the release: a lost connection. */
export async function runSwitch(client: PoolClient, run: SwitchRun): Promise<SwitchOutcome> {
  const stepIds = run.steps.map((step) => step.id);
  for (let attempt = 1; ; attempt++) {
    const at: { step: MigrationStep | null } = { step: null };
    try {
      for (const step of run.steps) await markRunning(client, { releaseId: run.releaseId, step });
      await switchOnce(client, run, at);
      return { kind: "done" };
    } catch (error) {
      const failure = await judge(client, error);
      if (failure.lock && !run.isStopped() && attempt < LOCK_TRIES_MAX) {
        run.logger.info({ releaseId: run.releaseId, stepId: at.step?.id, attempt }, "a switch waits for a lock");
        await backOff(attempt);
        continue;
      }
      if (at.step !== null && !failure.lock) {
        await markFailed(client, { releaseId: run.releaseId, step: at.step }, failure.reason);
      }
      await markPending(client, run.releaseId, stepIds);
      if (failure.lock && run.isStopped()) return { kind: "stopped" };
      return { kind: "failed", step: at.step, reason: failure.reason };
    }
  }
}

async function switchOnce(client: PoolClient, run: SwitchRun, at: { step: MigrationStep | null }): Promise<void> {
  const { projectId, releaseId } = run;
  const budget = lockBudget(client);
  await client.query("BEGIN");
  await takeLocks(client, run, budget);
  const before = await readTableNames(client, projectId);
  for (const step of run.steps) {
    await run.beforeStep?.(step.id);
    at.step = step;
    await budget.ask();
    // Marked before the transaction, so that it is visible while it runs. Its time counts from here, after the locks
    // and the earlier steps.
    await markRunning(client, { releaseId, step });
    await runSwitchStep(client, run, step);
    await markDone(client, { releaseId, step });
  }
  at.step = null;
  await budget.ask();
  await followRenames(client, run, before, await readTableNames(client, projectId));
  await bringChangeViews(client, run);
  await bringListeners(client, run);
  await bringSchedules(client, run);
  await bringBounds(client, run);
  await insertSeeds(client, run);
  await activateRelease(client, run);
  await client.query("COMMIT");
}

async function runSwitchStep(client: PoolClient, run: SwitchRun, step: MigrationStep): Promise<void> {
  if (step.kind === "backfill") return runBackfillAtOnce(client, { ...run, step });
  if (step.kind === "statement" && !step.transactional) {
    throw new StepRefused("This step can't run in a transaction, so it can't be part of the switch.");
  }
  return runInTransaction(client, { ...run, step });
}

interface LockBudget {
  /** Sets how long the following statements can wait for a lock. */
  ask(): Promise<void>;
}

/**
 * All waits of one transaction share one budget: time that one statement has waited is no longer available to the next.
 */
function lockBudget(client: PoolClient): LockBudget {
  const started = performance.now();
  return {
    ask: async () => {
      const left = LOCK_TIMEOUT_MS - (performance.now() - started);
      // Zero would mean no limit.
      await client.query(`SET LOCAL lock_timeout = ${Math.max(20, Math.round(left))}`);
    },
  };
}

const LOCK_NAMES: Readonly<Record<MigrationStep["lock"], string | null>> = {
  none: null,
  "row exclusive": null,
  "share update exclusive": "SHARE UPDATE EXCLUSIVE",
  "share row exclusive": "SHARE ROW EXCLUSIVE",
  "access exclusive": "ACCESS EXCLUSIVE",
};
const LOCKS_BY_STRENGTH: readonly MigrationStep["lock"][] = [
  "share update exclusive",
  "share row exclusive",
  "access exclusive",
];

/**
 * Takes all locks before any work, the strongest of each table at once and in a fixed order, so that a failed attempt
 * costs nothing.
 */
async function takeLocks(client: PoolClient, run: SwitchRun, budget: LockBudget): Promise<void> {
  const { schema, owner } = tenantNames(run.projectId);
  const strongest = new Map<string, number>();
  for (const { table, lock } of run.steps) {
    const strength = LOCKS_BY_STRENGTH.indexOf(lock);
    if (table !== null && strength >= 0) strongest.set(table, Math.max(strength, strongest.get(table) ?? 0));
  }
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND c.relname = ANY ($2) ORDER BY c.relname COLLATE "C"`,
    [schema, [...strongest.keys()]],
  );
  if (rows.length === 0) return;
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(owner)}`);
  for (const { name } of rows) {
    const mode = LOCK_NAMES[LOCKS_BY_STRENGTH[strongest.get(name) ?? 0] ?? "none"];
    await budget.ask();
    await client.query(`LOCK TABLE ${quoteIdentifier(schema)}.${quoteIdentifier(name)} IN ${mode} MODE`);
  }
  await client.query("SET LOCAL ROLE NONE");
}
