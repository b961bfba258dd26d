// Deletes records that are older than their entity's retention. In: the live releases with a retention. Out: deletes
// like those of the API: with the records that refer to the deleted one, and a line in the audit log. It never deletes
// a record that a reference protects. It also deletes expired replies of `Idempotency-Key`s, without an audit line.
import type { BundleEntity, ProjectId } from "@plinth/bundle";
import { quoteIdentifier, type TenantScope, withLock } from "@plinth/postgres";
import { Fault, type Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { ActiveRelease, ReleaseRegistry } from "../project/active-release.ts";
import { serviceFor } from "../project/principal.ts";
import type { Tenant } from "../project/tenant.ts";
import { forgetReplies } from "../query/idempotency.ts";
import { deleteRecord, type Request } from "../query/run.ts";

export interface RetentionOptions {
  /** A round uses one of its connections. */
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly scope: TenantScope;
  readonly logger: Logger;
}

export interface Retention {
  /** One round over all projects. Returns the number of deleted records; 0 if another process is doing it. */
  sweep(): Promise<number>;
  stop(): void;
}

const BATCH_MAX = 100;
/** For one entity in one round. The next round continues. */
const ENTITY_MS_MAX = 30_000;

export function createRetention(options: RetentionOptions): Retention {
  let stopped = false;
  return {
    async sweep() {
      let deleted = 0;
      await withLock(options.pool, "plinth.retention", async (_, lost) => {
        deleted = await sweepAll(options, () => stopped || lost.aborted);
      });
      return deleted;
    },
    stop() {
      stopped = true;
    },
  };
}

async function sweepAll(options: RetentionOptions, isStopped: () => boolean): Promise<number> {
  const { rows } = await options.pool.query<{ id: ProjectId }>(
    "SELECT id FROM plinth.projects WHERE retains ORDER BY id",
  );
  let deleted = 0;
  for (const { id } of rows) {
    if (isStopped()) break;
    // A release that this version can't read must not stop the retention of other projects.
    const release = await options.registry.get(id).catch((error: unknown) => {
      if (error instanceof Fault && error.code === "unavailable") return null;
      throw error;
    });
    if (release === null) continue;
    const tenant = options.scope.forProject({ projectId: id });
    await forgetReplies(release, tenant).catch((error: unknown) => {
      options.logger.warn({ err: error, projectId: id }, "old replies could not be deleted; it will be retried");
    });
    for (const entity of release.bundle.entities) {
      if (entity.retentionDays === null) continue;
      deleted += await sweepEntity({ ...options, release, tenant, entity, isStopped });
    }
  }
  return deleted;
}

interface EntitySweep {
  readonly logger: Logger;
  readonly release: ActiveRelease;
  readonly tenant: Tenant;
  readonly entity: BundleEntity;
  readonly isStopped: () => boolean;
}

async function sweepEntity(sweep: EntitySweep): Promise<number> {
  const { release, tenant, entity } = sweep;
  const request: Request = {
    tenant,
    release,
    entity: entity.name,
    principal: serviceFor("retention"),
    organization: null,
    ip: "",
    requestId: "retention",
  };
  const deadline = performance.now() + ENTITY_MS_MAX;
  let deleted = 0;
  // Continues after the last record that was read, deleted or not. A protected record must not stop the others.
  let after: readonly [at: string, id: string] = ["-infinity", "00000000-0000-0000-0000-000000000000"];
  while (performance.now() < deadline && !sweep.isStopped()) {
    const started = performance.now();
    const { rows } = await tenant.run({ text: oldRecords(sweep), values: [...after], lane: "slow" });
    for (const [id = null] of rows) if (id !== null && (await deleteOne(sweep, request, id))) deleted++;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_MAX) break;
    after = [last[1] ?? "", last[0] ?? ""];
    // The pause is as long as the batch took, to leave time for others.
    await new Promise((resolve) => setTimeout(resolve, performance.now() - started));
  }
  return deleted;
}

function oldRecords({ release, entity }: EntitySweep): string {
  const living = entity.softDelete === null ? "" : ` and _r.${quoteIdentifier(entity.softDelete)} is null`;
  return (
    `select _r."id"::text, _r."created_at"::text from ${release.schema}.${quoteIdentifier(entity.table)} _r ` +
    `where _r."created_at" < now() - interval '${entity.retentionDays} days'${living} ` +
    `and (_r."created_at", _r."id") > ($1::timestamptz, $2::uuid) order by _r."created_at", _r."id" limit ${BATCH_MAX}`
  );
}

async function deleteOne({ logger, release }: EntitySweep, request: Request, recordId: string): Promise<boolean> {
  try {
    await deleteRecord(request, recordId);
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code === "unavailable") throw error;
    const { projectId } = release;
    // Already deleted, or protected by a reference. The next round tries again.
    logger.debug(
      { projectId, entity: request.entity, code: error.code },
      "an old record could not be deleted; it will be retried",
    );
    return false;
  }
}
