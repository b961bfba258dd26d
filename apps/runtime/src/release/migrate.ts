// Runs the plans of received releases, step by step, and activates what has run through. In: releases in the database.
// Out: their ledger. A step that is done never runs again, whoever started it; an unfinished release is always resumed.
import { fillTemplate, type MigrationPlan, type MigrationStep, type ProjectId } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { activateRelease, ReleaseOvertaken } from "./activate.ts";

export interface Migrator {
  /** Sets to work on a release in the background, unless somebody already is. */
  start(releaseId: string): void;
  /** Resolves when nothing runs here any more. */
  idle(): Promise<void>;
  /** Stops after the step at hand; what is left is resumed at the next start. */
  stop(): Promise<void>;
}

export interface MigratorOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly onActivated?: (projectId: string) => void;
  /** Called before each step; a test stops the process here. */
  readonly beforeStep?: (stepId: string) => Promise<void>;
}

/** A waiting ALTER TABLE holds up everyone behind it: give up soon, let them pass, try again. */
const LOCK_TIMEOUT = "500ms";
/** CREATE INDEX CONCURRENTLY waits for old readers and holds nobody up meanwhile. */
const LOCK_TIMEOUT_CONCURRENT = "30s";
const LOCK_TRIES_MAX = 40;
const BACKOFF_MS_MAX = 2_000;
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
      "SELECT id FROM plinth.releases WHERE status IN ('received', 'migrating') ORDER BY received_at LIMIT 20",
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

interface ReleaseRow {
  readonly project_id: string;
  readonly plan: string;
  readonly base_hash: string | null;
  readonly active_hash: string | null;
  readonly status: string;
}

async function runRelease(run: Run, releaseId: string): Promise<void> {
  const client = await run.pool.connect();
  let lock: string | undefined;
  let broken: Error | undefined;
  try {
    const release = await readRelease(client, releaseId);
    if (release === undefined) return;
    const name = `plinth.migrate/${release.project_id}`;
    const { rows } = await client.query("SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS got", [name]);
    if (rows[0].got !== true) return;
    lock = name;
    await runLocked(run, client, releaseId);
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    // A connection whose state is in doubt is closed, and its advisory lock with it.
    if (lock !== undefined && broken === undefined) {
      await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [lock]).catch((error: unknown) => {
        broken = error as Error;
      });
    }
    client.release(broken);
  }
}

async function runLocked(run: Run, client: PoolClient, releaseId: string): Promise<void> {
  const release = await readRelease(client, releaseId);
  if (release === undefined) return;
  const projectId = release.project_id as ProjectId;
  if (release.active_hash !== release.base_hash) return failRelease(client, releaseId, new ReleaseOvertaken().message);
  await client.query("UPDATE plinth.releases SET status = 'migrating' WHERE id = $1", [releaseId]);
  await adoptSteps(client, releaseId, projectId);

  const plan = JSON.parse(release.plan) as MigrationPlan;
  for (const step of plan.steps) {
    if (run.isStopped()) return;
    await run.beforeStep?.(step.id);
    const failure = await runStep(run, client, { releaseId, projectId, step });
    if (failure !== null) return failRelease(client, releaseId, `${step.summary}: ${failure}`);
  }
  try {
    await activateRelease(run.pool, projectId, releaseId);
  } catch (error) {
    if (error instanceof ReleaseOvertaken) return failRelease(client, releaseId, error.message);
    throw error;
  }
  run.logger.info({ projectId, releaseId }, "release is live");
  run.onActivated?.(projectId);
}

async function readRelease(client: PoolClient, releaseId: string): Promise<ReleaseRow | undefined> {
  const { rows } = await client.query<ReleaseRow>(
    `SELECT r.project_id, r.plan, r.base_hash, r.status, a.bundle_hash AS active_hash
     FROM plinth.releases r JOIN plinth.projects p ON p.id = r.project_id
     LEFT JOIN plinth.releases a ON a.id = p.active_release_id
     WHERE r.id = $1 AND r.status IN ('received', 'migrating')`,
    [releaseId],
  );
  return rows[0];
}

/**
 * Takes over what a failed release from the same base has already done: those changes stand in the schema, and the same
 * statement in the new plan would meet them.
 */
async function adoptSteps(client: PoolClient, releaseId: string, projectId: string): Promise<void> {
  await client.query(
    `UPDATE plinth.migration_ledger l SET status = 'done', started_at = d.started_at, finished_at = d.finished_at
     FROM plinth.releases r, plinth.releases f, plinth.migration_ledger d
     WHERE l.release_id = $1 AND l.status <> 'done' AND r.id = $1
       AND f.project_id = $2 AND f.id <> r.id AND f.status = 'failed' AND f.base_hash IS NOT DISTINCT FROM r.base_hash
       AND d.release_id = f.id AND d.status = 'done' AND d.sql_hash = l.sql_hash`,
    [releaseId, projectId],
  );
}

interface StepRun {
  readonly releaseId: string;
  readonly projectId: ProjectId;
  readonly step: MigrationStep;
}

/** Null when the step is done, else why it can't be. Rethrows what says nothing about the step (a lost connection). */
async function runStep(run: Run, client: PoolClient, at: StepRun): Promise<string | null> {
  const key = [at.releaseId, at.step.id];
  const ledger = await client.query<{ status: string }>(
    "SELECT status FROM plinth.migration_ledger WHERE release_id = $1 AND step_id = $2",
    key,
  );
  const status = ledger.rows[0]?.status;
  if (status === "done") return null;
  let retry = status === "running" || status === "failed";
  await client.query(
    `UPDATE plinth.migration_ledger SET status = 'running', started_at = clock_timestamp(), finished_at = NULL, error = NULL
     WHERE release_id = $1 AND step_id = $2`,
    key,
  );
  for (let attempt = 1; ; attempt++) {
    try {
      if (at.step.transactional) await runInTransaction(client, at);
      else await runAlone(client, at, retry);
      return null;
    } catch (error) {
      if (at.step.transactional) await client.query("ROLLBACK");
      const code = (error as { code?: string }).code;
      // Without an SQLSTATE, or with one of class 57P, the server went away: the step may be tried again elsewhere.
      if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith("57P")) throw error;
      if (code === "55P03" && attempt < LOCK_TRIES_MAX && !run.isStopped()) {
        run.logger.info({ releaseId: at.releaseId, stepId: at.step.id, attempt }, "a step waits for a lock");
        retry = true;
        await new Promise((resolve) => setTimeout(resolve, backoffMs(attempt)));
        continue;
      }
      if (code === "55P03" && run.isStopped()) throw error;
      const message = (error as Error).message;
      await client.query(
        `UPDATE plinth.migration_ledger SET status = 'failed', finished_at = clock_timestamp(), error = $3
         WHERE release_id = $1 AND step_id = $2`,
        [...key, message],
      );
      return message;
    }
  }
}

function backoffMs(attempt: number): number {
  return Math.min(BACKOFF_MS_MAX, 50 * 2 ** attempt) * (0.75 + Math.random() / 2);
}

const DONE = `UPDATE plinth.migration_ledger SET status = 'done', finished_at = clock_timestamp()
  WHERE release_id = $1 AND step_id = $2`;

/** The step and its ledger row commit together or not at all. */
async function runInTransaction(client: PoolClient, at: StepRun): Promise<void> {
  const names = tenantNames(at.projectId);
  await client.query("BEGIN");
  await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(names.owner)}`);
  await client.query(sqlOf(at.step.sql, at.projectId));
  await client.query("SET LOCAL ROLE NONE");
  await client.query(DONE, [at.releaseId, at.step.id]);
  await client.query("COMMIT");
}

async function runAlone(client: PoolClient, at: StepRun, retry: boolean): Promise<void> {
  const names = tenantNames(at.projectId);
  try {
    await client.query(`SET lock_timeout = '${LOCK_TIMEOUT_CONCURRENT}'`);
    await client.query(`SET ROLE ${quoteIdentifier(names.owner)}`);
    if (retry && at.step.cleanup !== null) await client.query(sqlOf(at.step.cleanup, at.projectId));
    await client.query(sqlOf(at.step.sql, at.projectId));
  } finally {
    await client.query("RESET ROLE");
    await client.query("RESET lock_timeout");
  }
  await client.query(DONE, [at.releaseId, at.step.id]);
}

function sqlOf(template: string, projectId: ProjectId): string {
  const { schema, owner, worker } = tenantNames(projectId);
  const names: Readonly<Record<string, string>> = { schema, owner, worker };
  return fillTemplate(template, (hole) => (names[hole] === undefined ? undefined : quoteIdentifier(names[hole])));
}

async function failRelease(client: PoolClient, releaseId: string, error: string): Promise<void> {
  await client.query(
    `UPDATE plinth.releases SET status = 'failed', error = $2, finished_at = now()
     WHERE id = $1 AND status IN ('received', 'migrating')`,
    [releaseId, error],
  );
}
