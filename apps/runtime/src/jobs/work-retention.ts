// Deletes events and runs that are older than the retention of their project or operator. In: the projects with
// background work. Out: batches of deletes, with pauses between them. A run that has not ended stays, together with its
// event and the events that it waits for. So does an event that some endpoint has still to get.
import type { ProjectId } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral, type TenantScope, tenantNames, withLock } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { Tenant } from "../project/tenant.ts";

export interface WorkRetentionOptions {
  /** A round uses one of its connections. */
  readonly pool: Pool;
  readonly scope: TenantScope;
  /** The operator's limit. No project keeps them longer. */
  readonly days: number;
  /** Maximum stored events and runs of one project. Beyond it, the oldest are deleted early, once they have ended. */
  readonly rowsMax: number;
  readonly logger: Logger;
}

export interface WorkRetention {
  /** One round over all projects; nothing if another process is doing it. */
  sweep(): Promise<{ readonly runs: number; readonly events: number }>;
  stop(): void;
}

const BATCH_MAX = 500;
/** For one project in one round. The next round continues. */
const PROJECT_MS_MAX = 30_000;

/** Projects whose live or last release had the tables. */
const PROJECTS = `SELECT id, least(work_days, $1) AS days FROM plinth.projects
  WHERE to_regclass(format('%I.workers__runs', 't_' || substr(id, 5))) IS NOT NULL ORDER BY id`;

export function createWorkRetention(options: WorkRetentionOptions): WorkRetention {
  const { pool, scope, logger } = options;
  let stopped = false;
  return {
    async sweep() {
      const gone = { runs: 0, events: 0 };
      await withLock(pool, "plinth.work_retention", async (_, lost) => {
        const isOver = (): boolean => stopped || lost.aborted;
        const { rows } = await pool.query<{ id: ProjectId; days: number }>(PROJECTS, [options.days]);
        for (const { id, days } of rows) {
          if (isOver()) return;
          try {
            const tenant = scope.forProject({ projectId: id });
            const isLate = deadlineOf(isOver);
            // Runs come first, because an event is deleted when it has no runs left.
            gone.runs += await deleteInBatches(tenant, runsOf(id, days), options.rowsMax, isLate);
            const events = eventsOf(id, days, await oldestForEndpoints(pool, id));
            gone.events += await deleteInBatches(tenant, events, options.rowsMax, isLate);
          } catch (error) {
            // A problem of one project must not stop the deletion for others.
            logger.warn({ err: error, projectId: id }, "old events and runs could not be deleted; it will be retried");
          }
        }
      });
      return gone;
    },
    stop() {
      stopped = true;
    },
  };
}

/** When the oldest event that waits for webhook endpoints happened. It and all later ones stay. */
async function oldestForEndpoints(pool: Pool, projectId: ProjectId): Promise<string> {
  const { rows } = await pool.query<{ at: string }>(
    "SELECT coalesce(min(event_at), 'infinity')::text AS at FROM plinth.webhook_fan_outs WHERE project_id = $1",
    [projectId],
  );
  return rows[0]?.at ?? "infinity";
}

function deadlineOf(isStopped: () => boolean): () => boolean {
  const endMs = performance.now() + PROJECT_MS_MAX;
  return () => isStopped() || performance.now() > endMs;
}

/** Continues after the last row that was read, deleted or not. A row that stays must not stop the others. */
async function deleteInBatches(
  tenant: Tenant,
  { text, newest }: Deletion,
  rowsMax: number,
  isOver: () => boolean,
): Promise<number> {
  const found = await tenant.run({ text: newest, values: [String(rowsMax - 1)], lane: "slow" });
  const tooMany = found.rows[0]?.[0] ?? "-infinity";
  let deleted = 0;
  let after: readonly [at: string, id: string] = ["-infinity", "00000000-0000-0000-0000-000000000000"];
  while (!isOver()) {
    const startedMs = performance.now();
    const { rows } = await tenant.run({ text, values: [...after, tooMany], lane: "slow", writes: true });
    const [looked = null, gone = null, at = null, id = null] = rows[0] ?? [];
    deleted += Number(gone ?? 0);
    if (Number(looked ?? 0) < BATCH_MAX || at === null || id === null) break;
    after = [at, id];
    // The pause is as long as the batch took, to leave time for others.
    await new Promise((resolve) => setTimeout(resolve, performance.now() - startedMs));
  }
  return deleted;
}

interface Deletion {
  readonly text: string;
  /** The time of the row that is followed by the maximum number of newer ones. Older rows are too many. */
  readonly newest: string;
}

/** In the order of an index that lists use. A run stays if a person must look at it, or if another run waits for it. */
function runsOf(projectId: ProjectId, days: number): Deletion {
  const runs = tableOf(projectId, "runs");
  return deletionOf(
    runs,
    "created_at",
    days,
    `(_r."ended_at" < now() - interval '${days} days' or _r."ended_at" is not null and _r."created_at" < $3::timestamptz)
       and _r."status" NOT IN ('needs_attention', 'undo_failed')
       and not exists (select 1 from ${runs} _p where _p."id" = _r."caused_by" and _p."ended_at" is null)`,
  );
}

function eventsOf(projectId: ProjectId, days: number, before: string): Deletion {
  const runs = tableOf(projectId, "runs");
  return deletionOf(
    tableOf(projectId, "events"),
    "at",
    days,
    `_r."at" < ${quoteLiteral(before)}::timestamptz and not exists (select 1 from ${runs} _p where _p."event_id" = _r."id")`,
  );
}

/**
 * Returns how many rows it read, how many it deleted, and where the next batch continues. Steps, attempts and waits are
 * deleted with their run.
 */
function deletionOf(table: string, time: string, days: number, goes: string): Deletion {
  const newest = `select _n."${time}"::text from ${table} _n order by _n."${time}" desc, _n."id" desc offset $1::integer limit 1`;
  const text = `with _old as (
      select _o."id", _o."${time}" as at from ${table} _o
      where _o."${time}" < greatest(now() - interval '${days} days', $3::timestamptz) and (_o."${time}", _o."id") > ($1::timestamptz, $2::uuid)
      order by _o."${time}", _o."id" limit ${BATCH_MAX}
    ), _gone as (
      delete from ${table} _r using _old where _r."id" = _old."id" and ${goes} returning 1
    ), _last as (
      select at, "id" from _old order by at desc, "id" desc limit 1
    )
    select (select count(*) from _old)::text, (select count(*) from _gone)::text, (select at::text from _last), (select "id"::text from _last)`;
  return { text, newest };
}

function tableOf(projectId: ProjectId, name: string): string {
  return `${quoteIdentifier(tenantNames(projectId).schema)}."workers__${name}"`;
}
