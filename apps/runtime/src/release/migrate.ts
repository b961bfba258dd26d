// Takes received releases to their end: steps before the switch, the switch, steps after it. In: releases in the
// database. Out: their ledger. A completed step never runs again, whoever started it. An unfinished release is always
// resumed.

import type { Bundle, MigrationPlan, MigrationStep, ProjectId, StepPhase } from "@plinth/bundle";
import type { Logger } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { OVERTAKEN } from "./activate.ts";
import { recordCatalogue } from "./drift.ts";
import { readLedger } from "./ledger.ts";
import { settleLeftovers } from "./leftovers.ts";
import { withProjectLock } from "./project-lock.ts";
import { rehearse } from "./rehearsal.ts";
import { runStep } from "./run-step.ts";
import { bundleOf, releaseOf } from "./stored-release.ts";
import { runSwitch } from "./switch.ts";

export interface Migrator {
  /** Starts to work on a release in the background, unless somebody already does. */
  start(releaseId: string): void;
  /** Resolves when nothing runs here any more. */
  idle(): Promise<void>;
  /** Stops after the current step or batch. The next start resumes the rest. */
  stop(): Promise<void>;
}

export interface MigratorOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  /** Called when a release serves, whether or not steps are left. */
  readonly onActivated?: ((projectId: string) => void) | undefined;
  /** Called before each step; a test stops the process here. */
  readonly beforeStep?: ((stepId: string) => Promise<void>) | undefined;
  /** Called before each batch of a backfill, for the same purpose. */
  readonly beforeBatch?: ((stepId: string) => Promise<void>) | undefined;
}

const RESUME_MS = 5_000;

export function createMigrator(options: MigratorOptions): Migrator {
  const { pool, logger } = options;
  const running = new Map<string, Promise<void>>();
  let stopped = false;

  function start(releaseId: string): void {
    if (stopped || running.has(releaseId)) return;
    const work = runRelease({ ...options, isStopped: () => stopped }, releaseId)
      .catch((error: unknown) =>
        logger.warn({ err: error, releaseId }, "a release was interrupted; it will be resumed"),
      )
      .finally(() => running.delete(releaseId));
    running.set(releaseId, work);
  }

  async function resume(): Promise<void> {
    const { rows } = await pool.query<{ id: string }>(
      `SELECT id FROM plinth.releases WHERE status IN ('received', 'migrating') OR (status = 'active' AND finished_at IS NULL)
       ORDER BY received_at LIMIT 20`,
    );
    for (const row of rows) start(row.id);
  }
  const tick = (): void =>
    void resume().catch((error: unknown) => {
      if (!stopped) logger.warn({ err: error }, "unfinished releases could not be looked up");
    });
  const timer = setInterval(tick, RESUME_MS);
  tick();

  const idle = async (): Promise<void> => void (await Promise.all(running.values()));
  return {
    start,
    idle,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await idle();
    },
  };
}

type Run = MigratorOptions & { readonly isStopped: () => boolean };

async function runRelease(run: Run, releaseId: string): Promise<void> {
  const projectId = await projectOf(run.pool, releaseId);
  if (projectId === null) return;
  await withProjectLock(run.pool, projectId, async (client) => {
    const release = await readRelease(client, releaseId);
    if (release !== null) await runLocked(run, client, release);
  });
}

interface Release {
  readonly id: string;
  readonly projectId: ProjectId;
  readonly plan: MigrationPlan;
  readonly bundle: Bundle;
  /** The bundle that serves now. */
  readonly live: Bundle | null;
  readonly isActive: boolean;
  readonly isOvertaken: boolean;
}

async function runLocked(run: Run, client: PoolClient, release: Release): Promise<void> {
  if (!release.isActive) {
    if (release.isOvertaken) return finishRelease(client, release, OVERTAKEN);
    await client.query("UPDATE plinth.releases SET status = 'migrating' WHERE id = $1", [release.id]);
    const wrong = (await rehearse(client, release)) ?? (await settleLeftovers(client, { ...run, ...release }));
    if (wrong !== null) return finishRelease(client, release, wrong);
    if (!(await runPhase(run, client, release, "before"))) return;
    if (!(await goLive(run, client, release))) return;
  }
  if (!(await runPhase(run, client, release, "after"))) return;
  await finishRelease(client, release, null);
  run.logger.info({ projectId: release.projectId, releaseId: release.id }, "a release is complete");
}

/** False if the release has failed, or the process is stopping. */
async function runPhase(run: Run, client: PoolClient, release: Release, phase: StepPhase): Promise<boolean> {
  const { id: releaseId, projectId, live } = release;
  const ledger = await readLedger(client, releaseId);
  for (const step of release.plan.steps) {
    if (step.phase !== phase) continue;
    if (run.isStopped()) return false;
    await run.beforeStep?.(step.id);
    const outcome = await runStep(client, { ...run, releaseId, projectId, live, step }, ledger.get(step.id));
    if (outcome.kind === "failed") await finishRelease(client, release, messageOf(step, outcome.reason));
    if (outcome.kind !== "done") return false;
  }
  return true;
}

async function goLive(run: Run, client: PoolClient, release: Release): Promise<boolean> {
  const { id: releaseId, projectId, bundle, live } = release;
  if (run.isStopped()) return false;
  const steps = release.plan.steps.filter((step) => step.phase === "switch");
  const outcome = await runSwitch(client, { ...run, releaseId, projectId, steps, bundle, live });
  if (outcome.kind === "failed") {
    await finishRelease(
      client,
      release,
      outcome.step === null ? outcome.reason : messageOf(outcome.step, outcome.reason),
    );
  }
  if (outcome.kind !== "done") return false;
  run.logger.info({ projectId, releaseId }, "release is live");
  run.onActivated?.(projectId);
  return true;
}

/**
 * The instruction if records were written between the check and the switch that violate a rule which applies from the
 * switch on.
 */
const HOW_TO_GO_ON =
  "The release is live and serves requests. Correct the records that are in the way, then resume the deployment.";

function messageOf(step: MigrationStep, reason: string): string {
  const message = `${step.summary.replace(/\.$/, "")}: ${reason}`;
  return step.phase === "after" ? `${message.replace(/\.?$/, ".")} ${HOW_TO_GO_ON}` : message;
}

async function projectOf(pool: Pool, releaseId: string): Promise<string | null> {
  const { rows } = await pool.query<{ project_id: string }>("SELECT project_id FROM plinth.releases WHERE id = $1", [
    releaseId,
  ]);
  return rows[0]?.project_id ?? null;
}

/** Null if it has ended meanwhile. */
async function readRelease(client: PoolClient, releaseId: string): Promise<Release | null> {
  const { rows } = await client.query<{
    project_id: ProjectId;
    plan: string;
    bundle: string;
    status: string;
    base_hash: string | null;
    active_hash: string | null;
    live: string | null;
  }>(
    `SELECT r.project_id, r.plan, r.bundle, r.status, r.base_hash, a.bundle_hash AS active_hash, a.bundle AS live
     FROM plinth.releases r JOIN plinth.projects p ON p.id = r.project_id
     LEFT JOIN plinth.releases a ON a.id = p.active_release_id
     WHERE r.id = $1 AND (r.status IN ('received', 'migrating') OR (r.status = 'active' AND r.finished_at IS NULL))`,
    [releaseId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    id: releaseId,
    projectId: row.project_id,
    ...releaseOf(row.bundle, row.plan),
    live: row.live === null ? null : bundleOf(row.live),
    isActive: row.status === "active",
    isOvertaken: row.active_hash !== row.base_hash,
  };
}

/**
 * If a release fails before the switch, it is over, and the old one continues to serve. If it fails after the switch,
 * it serves, and the rest can be retried. The final schema is recorded, so that any other change of it is noticed.
 */
async function finishRelease(client: PoolClient, release: Release, error: string | null): Promise<void> {
  await client.query("BEGIN");
  await client.query(
    `UPDATE plinth.releases SET error = $2, finished_at = now(),
       status = CASE WHEN status = 'active' THEN status ELSE 'failed' END
     WHERE id = $1`,
    [release.id, error],
  );
  await recordCatalogue(client, release.projectId, release.id);
  await client.query("COMMIT");
}
