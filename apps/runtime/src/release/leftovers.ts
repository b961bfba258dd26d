// Handles the parts that failed releases have left in the schema. In: a new release from the same base. Out: steps that
// it doesn't need to run, or a schema as the live release left it. It only drops what a failed release was seen to
// leave.
import { hashOf, type MigrationPlan, type ProjectId } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { PoolClient } from "pg";
import { type Catalogue, type CatalogueEntry, type CatalogueKind, pathOf, readCatalogue } from "./catalogue.ts";
import { recordCatalogue, recordOfRelease } from "./drift.ts";
import { essenceOf } from "./migration-sql.ts";
import { backOff, judge, LOCK_TIMEOUT_MS, LOCK_TRIES_MAX } from "./run-step.ts";

export interface NewRelease {
  readonly id: string;
  readonly projectId: ProjectId;
  readonly plan: MigrationPlan;
  readonly logger: Logger;
  readonly isStopped: () => boolean;
}

/**
 * The completed steps of releases that failed since the last activation are still in the schema. If a plan contains all
 * of them, it uses the results. Otherwise they are removed first: an undeclared column would stay forever, and conflict
 * with another one of its name. Returns null, or the reason why that failed.
 */
export async function settleLeftovers(client: PoolClient, release: NewRelease): Promise<string | null> {
  const steps = release.plan.steps.filter((step) => step.kind !== "verify" && step.phase === "before");
  const own = new Set(steps.map(stepHash));
  const { liveId, failed } = await failedBefore(client, release);
  if (failed.length === 0) return null;
  const base = liveId === null ? NOTHING : await recordOfRelease(client, liveId);
  if (base === null || failed.every(({ hashes }) => hashes.every((hash) => own.has(hash)))) {
    await adoptSteps(
      client,
      release,
      failed,
      steps.map((step) => step.id),
    );
    return null;
  }
  return takeBack(
    client,
    release,
    failed.map(({ id }) => id),
    base,
  );
}

export function stepHash(step: MigrationPlan["steps"][number]): string {
  return hashOf(essenceOf(step));
}

const NOTHING: Catalogue = { serverVersion: 0, entries: [] };

interface FailedRelease {
  readonly id: string;
  /** The hashes of its completed steps; verifications leave nothing. */
  readonly hashes: readonly string[];
}

async function failedBefore(
  client: PoolClient,
  release: NewRelease,
): Promise<{ readonly liveId: string | null; readonly failed: readonly FailedRelease[] }> {
  const { rows } = await client.query<{ live_id: string | null; id: string | null; plan: string; done: string[] }>(
    `SELECT p.active_release_id AS live_id, f.id, f.plan,
       ARRAY(SELECT d.step_id FROM plinth.migration_ledger d WHERE d.release_id = f.id AND d.status = 'done') AS done
     FROM plinth.releases r JOIN plinth.projects p ON p.id = r.project_id
     LEFT JOIN plinth.releases a ON a.id = p.active_release_id
     LEFT JOIN plinth.releases f ON f.project_id = r.project_id AND f.id <> r.id AND f.status = 'failed'
       AND f.base_hash IS NOT DISTINCT FROM r.base_hash AND f.finished_at > coalesce(a.activated_at, '-infinity')
     WHERE r.id = $1 ORDER BY f.finished_at`,
    [release.id],
  );
  const failed = rows.flatMap(({ id, plan, done }) => {
    if (id === null) return [];
    const { steps } = JSON.parse(plan) as MigrationPlan;
    const hashes = steps.filter((step) => step.kind !== "verify" && done.includes(step.id)).map(stepHash);
    return hashes.length === 0 ? [] : [{ id, hashes }];
  });
  return { liveId: rows[0]?.live_id ?? null, failed };
}

async function adoptSteps(
  client: PoolClient,
  release: NewRelease,
  failed: readonly FailedRelease[],
  stepIds: readonly string[],
): Promise<void> {
  await client.query(
    `UPDATE plinth.migration_ledger l SET status = 'done', started_at = d.started_at, finished_at = d.finished_at,
       progress = d.progress, rows_done = d.rows_done
     FROM plinth.migration_ledger d
     WHERE l.release_id = $1 AND l.status <> 'done' AND l.step_id = ANY ($2)
       AND d.release_id = ANY ($3) AND d.status = 'done' AND d.sql_hash = l.sql_hash`,
    [release.id, stepIds, failed.map(({ id }) => id)],
  );
}

async function takeBack(
  client: PoolClient,
  release: NewRelease,
  failedIds: readonly string[],
  base: Catalogue,
): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("BEGIN");
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await dropLeftovers(client, release.projectId, failedIds, base);
      await client.query(
        `UPDATE plinth.migration_ledger SET status = 'pending', progress = NULL, rows_done = NULL, started_at = NULL,
           finished_at = NULL WHERE release_id = ANY ($1) AND status = 'done'`,
        [failedIds],
      );
      await recordCatalogue(client, release.projectId, failedIds.at(-1) ?? release.id);
      await client.query("COMMIT");
      return null;
    } catch (error) {
      const failure = await judge(client, error);
      if (failure.lock && attempt < LOCK_TRIES_MAX && !release.isStopped()) {
        release.logger.info(
          { releaseId: release.id, attempt },
          "removing the parts that a failed release left waits for a lock",
        );
        await backOff(attempt);
        continue;
      }
      return `The parts that an earlier, failed release has left could not be removed: ${failure.reason}`;
    }
  }
}

/** Only objects that a failed release was seen to leave, and that are unchanged since. */
async function dropLeftovers(
  client: PoolClient,
  projectId: ProjectId,
  failedIds: readonly string[],
  base: Catalogue,
): Promise<void> {
  const declared = new Set(base.entries.map(pathOf));
  const left = new Map<string, string>();
  for (const id of failedIds) {
    for (const entry of (await recordOfRelease(client, id))?.entries ?? []) {
      if (!declared.has(pathOf(entry))) left.set(pathOf(entry), entry.definition);
    }
  }
  const found = await readCatalogue(client, projectId);
  const leftovers = found.entries.filter((entry) => left.get(pathOf(entry)) === entry.definition);
  const { schema, owner } = tenantNames(projectId);
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(owner)}`);
  for (const sql of dropStatements(quoteIdentifier(schema), leftovers)) await client.query(sql);
  await client.query("SET LOCAL ROLE NONE");
}

/** Dependent objects come first; the objects of a dropped table are dropped with it. */
function dropStatements(schema: string, leftovers: readonly CatalogueEntry[]): readonly string[] {
  const of = (kind: CatalogueKind): readonly CatalogueEntry[] => leftovers.filter((entry) => entry.kind === kind);
  const gone = new Set(of("table").map((entry) => entry.table));
  const staying = (kind: CatalogueKind): readonly CatalogueEntry[] =>
    of(kind).filter((entry) => !gone.has(entry.table));
  const at = (name: string): string => `${schema}.${quoteIdentifier(name)}`;
  const tables = [...gone].map(at).join(", ");
  return [
    ...staying("trigger").map(({ name, table }) => `DROP TRIGGER ${quoteIdentifier(name)} ON ${at(table)}`),
    ...staying("constraint").map(
      ({ name, table }) => `ALTER TABLE ${at(table)} DROP CONSTRAINT IF EXISTS ${quoteIdentifier(name)}`,
    ),
    ...staying("index").map(({ name }) => `DROP INDEX IF EXISTS ${at(name)}`),
    ...staying("column").map(
      ({ name, table }) => `ALTER TABLE ${at(table)} DROP COLUMN IF EXISTS ${quoteIdentifier(name)}`,
    ),
    ...(tables === "" ? [] : [`DROP TABLE ${tables}`]),
    ...of("function").map(({ name }) => `DROP FUNCTION ${name}`),
  ];
}
