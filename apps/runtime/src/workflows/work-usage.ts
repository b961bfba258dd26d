// How much of the operator's limits a project uses. In: the limits, and a transaction in the project's schema with the
// cell's role. Out: used and allowed for each limit. It counts at most as many rows as a limit allows, and at most ten
// thousand stored rows.
import type { TenantTransaction } from "@plinth/postgres";
import { readWaitingEvents } from "../events/waiting-events.ts";
import { COUNT_OPEN_RUNS, type WorkLimits } from "../events/work-budget.ts";
import { IS_ALIVE, PROJECT_RUNS_MAX } from "./work-processes.ts";

export interface UsageLimits extends WorkLimits {
  /** Maximum stored events of one project, and maximum stored runs. */
  readonly rowsMax: number;
  /** Maximum calls of one project at once in one process. */
  readonly callsPerProject: number;
}

interface Used {
  readonly used: number;
  readonly allowed: number;
  /** From 80 % on. */
  readonly near: boolean;
}

export interface WorkUsage {
  /** Runs that have not ended. */
  readonly open_runs: Used;
  /** Events, approvals and other runs that runs wait for. */
  readonly open_waits: Used;
  /** Runs that processes execute now. */
  readonly active_runs: Used;
  /** Calls of other services in progress, as of the last few seconds. */
  readonly calls: Used;
  readonly kept_events: Used;
  readonly kept_runs: Used;
}

const NEAR = 0.8;
/** Stored rows are counted up to this number. Above it, Postgres's statistics give an approximate number. */
const EXACT_MAX = 10_000;

export async function readUsage(
  { client }: TenantTransaction,
  projectId: string,
  schema: string,
  { openRunsMax, openWaitsMax, rowsMax, callsPerProject }: UsageLimits,
): Promise<WorkUsage> {
  const count = async (text: string, values: readonly unknown[]): Promise<number> => {
    const { rows } = await client.query<{ there: number }>(text, [...values]);
    return rows[0]?.there ?? 0;
  };
  const waits = `SELECT count(*)::int AS there FROM (SELECT 1 FROM ${schema}."workers__waits" WHERE "answer" IS NULL LIMIT $1) w`;
  const calls = await client.query<{ used: number; processes: number }>(CALLS, [projectId]);
  const { used = 0, processes = 0 } = calls.rows[0] ?? {};
  return {
    open_runs: usedOf(await count(COUNT_OPEN_RUNS, [projectId, openRunsMax]), openRunsMax),
    open_waits: usedOf(await count(waits, [openWaitsMax]), openWaitsMax),
    active_runs: usedOf(await count(ACTIVE_RUNS, [projectId]), PROJECT_RUNS_MAX),
    calls: usedOf(used, callsPerProject * Math.max(1, processes)),
    kept_events: usedOf(await count(keptRows(`${schema}."workers__events"`), []), rowsMax),
    kept_runs: usedOf(await count(keptRows(`${schema}."workers__runs"`), []), rowsMax),
  };
}

/** Events that no worker has handed on yet. */
export async function readEventsWaiting(
  { client }: TenantTransaction,
  projectId: string,
): Promise<{ readonly count: number; readonly oldest_at: string | null }> {
  const { count, oldestAt } = await readWaitingEvents(client, projectId);
  return { count, oldest_at: oldestAt?.toISOString() ?? null };
}

const ACTIVE_RUNS =
  "SELECT count(*)::int AS there FROM plinth.due_runs WHERE project_id = $1 AND handed_at IS NOT NULL";

/** Each process reports its calls with its heartbeat. */
const CALLS = `SELECT coalesce(sum((p.calls->>$1)::int), 0)::int AS used, count(*)::int AS processes
  FROM plinth.work_processes p WHERE ${IS_ALIVE}`;

function keptRows(table: string): string {
  return `SELECT CASE WHEN c.there < ${EXACT_MAX} THEN c.there
      ELSE greatest(c.there, pg_stat_get_live_tuples('${table}'::regclass)) END::int AS there
    FROM (SELECT count(*) AS there FROM (SELECT 1 FROM ${table} LIMIT ${EXACT_MAX}) k) c`;
}

function usedOf(used: number, allowed: number): Used {
  return { used, allowed, near: used >= allowed * NEAR };
}
