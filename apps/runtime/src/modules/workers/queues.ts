// Waiting, running and failed work, by workflow. In: an admin's request. Out: a line for each workflow, worker and
// action of the live release, and for earlier ones that still have runs. Counts are limited, and the reply says if
// there are more.
import type { TenantTransaction } from "@plinth/postgres";
import type { RunKind } from "@plinth/service";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { readEventsWaiting, readUsage, type UsageLimits } from "../../workflows/work-usage.ts";
import { instant } from "../instants.ts";
import { jsonReply } from "../json-body.ts";
import { failedStep } from "./failed-step.ts";
import type { Scoped } from "./steer.ts";

/** Runs that are read for one reply: of those in progress, and of those that have ended. */
const COUNTED_MAX = 50_000;
/** Errors that are shown for one workflow, the latest first. */
const CAUSES_MAX = 20;
/** Queues that are shown for workflows that the live release no longer has. */
const GONE_MAX = 100;

interface Depth {
  /** Runs that only wait for a free process. */
  readonly due: number;
  readonly running: number;
  /** Runs that wait for a time, an event, an approval or another run. */
  readonly waiting: number;
  /** Since when the first of them is due. */
  readonly oldest_due_at: string | null;
  /** When the oldest unfinished run was created. */
  readonly oldest_at: string | null;
}

interface Throughput {
  readonly completed_hour: number;
  readonly completed_day: number;
  readonly failed_day: number;
}

interface Cause {
  readonly code: string;
  readonly status: "failed" | "undo_failed" | "needs_attention";
  readonly count: number;
  readonly last_at: string;
  /** The step at which the last one failed; null if it started none, or if its steps are deleted. */
  readonly step: string | null;
  /** The attempts of that step. */
  readonly attempts: number | null;
}

interface Queue extends Depth, Throughput {
  readonly name: string;
  readonly kind: RunKind;
  /** Whether the live release has it. */
  readonly declared: boolean;
  readonly concurrency_max: number | null;
  readonly failures: readonly Cause[];
}

interface Named {
  readonly workflow: string;
  readonly kind: RunKind;
}

export async function readQueues({ scope, context }: Scoped, limits: UsageLimits): Promise<Reply> {
  const { projectId, release } = context;
  const runs = `${release.schema}."workers__runs"`;
  return scope.transaction(async (open) => {
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    const under = await read<Named & Depth & { readonly seen: number }>(open, underWay(runs), [projectId]);
    const ended = await read<Named & Ended>(open, endedLately(release.schema, runs), []);
    const queues = declaredOf(context).map(({ name, kind, concurrency }) =>
      queueOf({ workflow: name, kind }, under, ended, { declared: true, concurrency_max: concurrency }),
    );
    const known = new Set(queues.map(keyOf));
    const others = new Map(
      [...under, ...ended]
        .map(({ workflow, kind }) => ({ workflow, kind }))
        .filter(({ workflow, kind }) => !known.has(keyOf({ name: workflow, kind })))
        .map((named) => [keyOf({ name: named.workflow, kind: named.kind }), named]),
    );
    const gone = [...others.values()]
      .slice(0, GONE_MAX)
      .map((named) => queueOf(named, under, ended, { declared: false, concurrency_max: null }));
    const counted = [sum(under.map(({ seen }) => seen)), sum(ended.map(({ count }) => count))];
    return jsonReply(200, {
      at: new Date().toISOString(),
      // The counts then cover the oldest unfinished runs, or the latest ended ones.
      partial: counted.some((count) => count >= COUNTED_MAX),
      // Many or old events mean that nothing hands them on: there is no worker, or none that can read the live release.
      events_waiting: await readEventsWaiting(open, projectId),
      usage: await readUsage(open, projectId, release.schema, limits),
      queues: [...queues, ...gone],
    });
  });
}

function declaredOf({ release }: ModuleContext): readonly {
  readonly name: string;
  readonly kind: RunKind;
  readonly concurrency: number | null;
}[] {
  const { workflows, actions } = release.bundle.background;
  return [
    ...workflows.map(({ name, kind, concurrencyMax }) => ({ name, kind, concurrency: concurrencyMax })),
    ...actions
      .filter(({ mode }) => mode === "async")
      .map(({ name }) => ({ name, kind: "action" as const, concurrency: null })),
  ];
}

function keyOf({ name, kind }: { readonly name: string; readonly kind: RunKind }): string {
  return `${kind}/${name}`;
}

/** Runs in progress are few or old: the index of ends finds them, and the list of due runs says since when. */
function underWay(runs: string): string {
  return `SELECT u."workflow", u."kind", count(*)::int AS seen,
      count(*) FILTER (WHERE u."status" = 'running')::int AS running,
      count(*) FILTER (WHERE u."status" <> 'running' AND d.due_at <= clock_timestamp())::int AS due,
      count(*) FILTER (WHERE u."status" <> 'running' AND (d.due_at IS NULL OR d.due_at > clock_timestamp()))::int AS waiting,
      min(d.due_at) FILTER (WHERE u."status" <> 'running' AND d.due_at <= clock_timestamp()) AS oldest_due_at,
      min(u."created_at") AS oldest_at
    FROM (SELECT "id", "workflow", "kind", "status", "created_at" FROM ${runs} WHERE "ended_at" IS NULL LIMIT ${COUNTED_MAX}) u
    LEFT JOIN plinth.due_runs d ON d.project_id = $1 AND d.run_id = u."id"
    GROUP BY u."workflow", u."kind" ORDER BY u."workflow", u."kind"`;
}

interface Ended {
  readonly status: "completed" | "failed" | "undo_failed" | "cancelled" | "needs_attention";
  readonly code: string | null;
  readonly count: number;
  readonly hour: number;
  readonly last_at: string;
  readonly step: string | null;
  readonly attempts: number | null;
}

/** Without errors' texts: only the reply for one run contains them, masked by value. */
function endedLately(schema: string, runs: string): string {
  return `SELECT g."workflow", g."kind", g."status", g.code, g.count, g.hour, g.last_at, f."path" AS step, f."attempts"
    FROM (SELECT e."workflow", e."kind", e."status", e.code, count(*)::int AS count,
        count(*) FILTER (WHERE e."ended_at" > clock_timestamp() - interval '1 hour')::int AS hour,
        max(e."ended_at") AS last_at,
        (array_agg(e."id" ORDER BY e."ended_at" DESC) FILTER (WHERE e."status" IN ('failed', 'undo_failed', 'needs_attention')))[1] AS last_id
      FROM (SELECT "id", "workflow", "kind", "status", "ended_at", "error"->>'code' AS code
        FROM ${runs} WHERE "ended_at" > clock_timestamp() - interval '1 day' ORDER BY "ended_at" DESC LIMIT ${COUNTED_MAX}) e
      GROUP BY e."workflow", e."kind", e."status", e.code) g
    LEFT JOIN LATERAL (${failedStep(schema, "g.last_id")}) f ON true
    ORDER BY g."workflow", g."kind", g.last_at DESC`;
}

function queueOf(
  { workflow, kind }: Named,
  under: readonly (Named & Depth)[],
  ended: readonly (Named & Ended)[],
  known: Pick<Queue, "declared" | "concurrency_max">,
): Queue {
  const depth = under.find((each) => each.workflow === workflow && each.kind === kind);
  const own = ended.filter((each) => each.workflow === workflow && each.kind === kind);
  const completed = own.filter(({ status }) => status === "completed");
  const failures = own.flatMap(({ status, code, count, last_at, step, attempts }): readonly Cause[] =>
    status === "failed" || status === "undo_failed" || status === "needs_attention"
      ? [{ code: code ?? "unknown", status, count, last_at: instant(last_at), step, attempts }]
      : [],
  );
  const { due = 0, running = 0, waiting = 0, oldest_due_at = null, oldest_at = null } = depth ?? {};
  return {
    name: workflow,
    kind,
    ...known,
    due,
    running,
    waiting,
    oldest_due_at: instant(oldest_due_at),
    oldest_at: instant(oldest_at),
    completed_hour: sum(completed.map(({ hour }) => hour)),
    completed_day: sum(completed.map(({ count }) => count)),
    failed_day: sum(failures.map(({ count }) => count)),
    failures: failures.slice(0, CAUSES_MAX),
  };
}

/** Rows as JSON, so that numbers and times don't have to be parsed. */
async function read<Row>(open: TenantTransaction, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
  const { rows } = await open.query(`SELECT coalesce(json_agg(_q), '[]'::json)::text FROM (${text}) _q`, values);
  return JSON.parse(rows[0]?.[0] ?? "[]") as readonly Row[];
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
