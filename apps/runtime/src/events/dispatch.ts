// Hands committed events to their consumers. In: the rows of the outbox. Out: the project's events, its runs, and their
// due times. One process at a time hands on a project's events, in their order. Other projects don't wait for them.
// A row is deleted when it is handed on. A position in the outbox would not work: identity values commit out of order,
// and any open transaction on the server would hold the position back.
import type { BundleWorkflow, JsonValue, ProjectId } from "@plinth/bundle";
import { allows } from "@plinth/expression";
import { type ProjectScope, quoteIdentifier, type TenantTransaction } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { ClientBase, Pool } from "pg";
import type { ActiveRelease, ReleaseRegistry } from "../project/active-release.ts";
import { createDispatchPace } from "./dispatch-pace.ts";
import type { ProjectEvent } from "./event.ts";
import { eventContext } from "./event-context.ts";
import { parseExactly } from "./exact-json.ts";
import { FIRST_WAIT, OFFERS_MAX, offerToWaits } from "./offers.ts";
import { orderKeyOf } from "./run-order.ts";
import { storedEvent, wasSent } from "./stored-event.ts";
import { readWaitingEvents } from "./waiting-events.ts";
import { COUNT_OPEN_RUNS, NOT_BEGUN, type WorkBudget } from "./work-budget.ts";

export interface DispatcherOptions {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly budget: WorkBudget;
  /** Notes the events that are for endpoints, under the cell's role. Default: none are. */
  readonly handOn?: HandOn;
  /** Called after a project's events were handed on and their effects committed. */
  readonly onHandedOn?: () => void;
  readonly logger: Logger;
}

type HandOn = (open: TenantTransaction, release: ActiveRelease, events: readonly ProjectEvent[]) => Promise<unknown>;

export interface Dispatcher {
  /** Hands on the waiting events. Returns their number. */
  dispatch(): Promise<number>;
}

const PROJECTS_MAX = 200;
/** Projects whose events are handed on at the same time, so that a slow one doesn't make the others wait. */
const LANES = 4;
/** A run can cause a run that causes a run. At this depth, a workflow has most likely started itself. */
export const DEPTH_MAX = 12;

/** A loose index scan: the number of look-ups is the number of projects with events, however many events there are. */
const WAITING_PROJECTS = `
  WITH RECURSIVE waiting AS (
    (SELECT project_id FROM plinth.outbox WHERE project_id > $1 ORDER BY project_id LIMIT 1)
    UNION ALL
    SELECT (SELECT o.project_id FROM plinth.outbox o WHERE o.project_id > w.project_id ORDER BY o.project_id LIMIT 1)
    FROM waiting w WHERE w.project_id IS NOT NULL
  ) (SELECT project_id AS id FROM waiting WHERE project_id IS NOT NULL LIMIT ${PROJECTS_MAX})
    UNION (SELECT project_id FROM plinth.open_offers WHERE project_id > $1 ORDER BY project_id LIMIT ${PROJECTS_MAX})
    ORDER BY id LIMIT ${PROJECTS_MAX}`;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { pool, logger } = options;
  const pace = createDispatchPace();
  const handOn = async (id: ProjectId): Promise<number> => {
    const batch = pace.batchOf(id);
    if (batch === 0) return 0;
    try {
      const handed = await dispatchProject(options, id, batch);
      pace.succeeded(id);
      if (handed > 0) options.onHandedOn?.();
      return handed;
    } catch (error) {
      pace.failed(id);
      // Other projects' events don't wait for a project that can't be read. Its own events stay in place.
      const waiting = await readWaitingEvents(pool, id).catch(() => null);
      logger.warn(
        { err: error, projectId: id, waiting: waiting?.count, oldestAt: waiting?.oldestAt },
        "events could not be handed on",
      );
      return 0;
    }
  };
  return {
    async dispatch() {
      let handed = 0;
      let after = "";
      for (;;) {
        const { rows } = await pool.query<{ id: ProjectId }>(WAITING_PROJECTS, [after]);
        const waiting = rows.values();
        const lane = async (): Promise<void> => {
          for (const { id } of waiting) {
            const count = await handOn(id);
            handed += count;
          }
        };
        await Promise.all(Array.from({ length: LANES }, lane));
        const last = rows.at(-1);
        if (last === undefined || rows.length < PROJECTS_MAX) return handed;
        after = last.id;
      }
    },
  };
}

async function dispatchProject(
  { registry, scopeOf, newId, budget, handOn }: DispatcherOptions,
  projectId: ProjectId,
  batch: number,
): Promise<number> {
  const release = await registry.get(projectId);
  if (release === null) return 0;
  const scope = scopeOf(projectId);
  return scope.transaction(async (open) => {
    const { client } = open;
    await client.query("SET LOCAL ROLE NONE");
    const { rows: locks } = await client.query("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS got", [
      `plinth.dispatch/${projectId}`,
    ]);
    if (locks[0].got !== true) return 0;
    const { rows } = await client.query<Readonly<Record<string, JsonValue>>>(takeEvents(release.schema), [
      projectId,
      batch,
    ]);
    const worker = quoteIdentifier(scope.worker);
    if (rows.length === 0) return goOnOffering(client, { projectId, schema: release.schema, worker });
    const events = rows.map(takenEvent);
    await handOn?.(open, release, events);
    const meant = events.flatMap((event) => runsOf(release, event, newId));
    const runs = await withinBudget(client, budget, projectId, meant);
    await client.query(`SET LOCAL ROLE ${worker}`);
    if (runs.length > 0) await client.query(insertRuns(release.schema), [JSON.stringify(runs)]);
    const eventIds = events.map(({ id }) => id);
    const { woken, last } = await offer(client, release.schema, eventIds, FIRST_WAIT);
    await client.query("SET LOCAL ROLE NONE");
    if (last !== null) await client.query(KEEP_OFFER, [projectId, eventIds, ...last]);
    await makeDue(client, projectId, [...runs.filter(({ status }) => status === "queued"), ...woken]);
    return rows.length;
  });
}

/** Offers handed-on events to the next part of the waits. Returns the number of waits. */
async function goOnOffering(
  client: ClientBase,
  { projectId, schema, worker }: { readonly projectId: ProjectId; readonly schema: string; readonly worker: string },
): Promise<number> {
  const { rows } = await client.query<{ event_ids: readonly string[]; after_run_id: string; after_path: string }>(
    "SELECT event_ids, after_run_id, after_path FROM plinth.open_offers WHERE project_id = $1",
    [projectId],
  );
  const [open] = rows;
  if (open === undefined) return 0;
  await client.query(`SET LOCAL ROLE ${worker}`);
  const { woken, last } = await offer(client, schema, open.event_ids, [open.after_run_id, open.after_path]);
  await client.query("SET LOCAL ROLE NONE");
  if (last === null) await client.query("DELETE FROM plinth.open_offers WHERE project_id = $1", [projectId]);
  else await client.query(KEEP_OFFER, [projectId, open.event_ids, ...last]);
  await makeDue(client, projectId, woken);
  return last === null ? open.event_ids.length : 0;
}

/** Runs beyond the limit are stored as failed, so that somebody can retry them. */
async function withinBudget(
  client: ClientBase,
  budget: WorkBudget,
  projectId: ProjectId,
  runs: readonly NewRun[],
): Promise<readonly NewRun[]> {
  const isNew = ({ status }: NewRun): boolean => status === "queued";
  let room = await budget.runs.take(projectId, runs.filter(isNew).length, async (most) => {
    const { rows } = await client.query<{ there: number }>(COUNT_OPEN_RUNS, [projectId, most]);
    return rows[0]?.there ?? 0;
  });
  return runs.map((run) => (!isNew(run) || room-- > 0 ? run : { ...run, ...tooMany }));
}

type Wait = typeof FIRST_WAIT;

/** `last`: where the next part begins; null at the end. */
async function offer(
  client: ClientBase,
  schema: string,
  eventIds: readonly string[],
  after: Wait,
): Promise<{ readonly woken: readonly DueRun[]; readonly last: Wait | null }> {
  const { rows } = await client.query<{ run_id: string; path: string; is_open: boolean }>(offerToWaits(schema), [
    eventIds,
    ...after,
  ]);
  const end = rows.length < OFFERS_MAX ? undefined : rows.at(-1);
  const runIds = new Set(rows.filter(({ is_open }) => is_open).map(({ run_id }) => run_id));
  return {
    woken: [...runIds].map((id) => ({ id, workflow: "", kind: "" })),
    last: end === undefined ? null : [end.run_id, end.path],
  };
}

type DueRun = Pick<NewRun, "id" | "workflow" | "kind">;

async function makeDue(client: ClientBase, projectId: ProjectId, due: readonly DueRun[]): Promise<void> {
  if (due.length === 0) return;
  const workers = due.map(({ kind, workflow }) => (kind === "worker" ? workflow : ""));
  await client.query(MAKE_DUE, [projectId, due.map(({ id }) => id), workers]);
}

const KEEP_OFFER = `INSERT INTO plinth.open_offers (project_id, event_ids, after_run_id, after_path) VALUES ($1, $2::uuid[], $3, $4)
  ON CONFLICT (project_id) DO UPDATE SET after_run_id = EXCLUDED.after_run_id, after_path = EXCLUDED.after_path`;

/**
 * Skips rows of open transactions without waiting for them. The payload goes from table to table unchanged: if this
 * process read and wrote it, large numbers would lose digits. Takes no events while earlier ones are still being
 * offered.
 */
function takeEvents(schema: string): string {
  const columns = `"seq", "name", "at", "entity", "record_id", "organization_id", "actor_kind", "actor_id", "request_id",
    "cause", "record", "old", "data"`;
  return `WITH taken AS (
      DELETE FROM plinth.outbox WHERE id IN
        (SELECT id FROM plinth.outbox WHERE project_id = $1 AND NOT EXISTS (SELECT 1 FROM plinth.open_offers WHERE project_id = $1)
         ORDER BY id LIMIT $2::integer)
      RETURNING id AS seq, name, at, entity, record_id, organization_id, actor_kind, actor_id, request_id, cause, record,
        old, data
    ), kept AS (
      INSERT INTO ${schema}."workers__events" ("id", ${columns})
      SELECT gen_random_uuid(), ${columns} FROM taken RETURNING "id", ${columns}
    ) SELECT "id", "seq"::text, "name", "entity", "record_id", "organization_id", "actor_kind", "actor_id", "request_id",
      "cause", "record", "old", "data", CASE WHEN "actor_id" LIKE 'webhook %' THEN "data"::text END AS "exact",
      to_char("at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "at"
    FROM kept ORDER BY kept."seq"`;
}

function takenEvent({ exact = null, ...row }: Readonly<Record<string, JsonValue>>): ProjectEvent {
  const isExact = wasSent(row) && typeof exact === "string";
  return storedEvent(isExact ? { ...row, data: parseExactly(exact) as JsonValue } : row);
}

interface NewRun {
  readonly id: string;
  readonly workflow: string;
  readonly kind: string;
  readonly definition: string;
  readonly event_id: string;
  readonly order_key: string | null;
  readonly seq: string;
  readonly status: "queued" | "failed";
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly depth: number;
  readonly caused_by: string | null;
  readonly request_id: string | null;
  readonly actor_kind: string | null;
  readonly actor_id: string | null;
  readonly organization_id: string | null;
}

function runsOf(release: ActiveRelease, event: ProjectEvent, newId: () => string): readonly NewRun[] {
  const depth = (event.cause?.depth ?? -1) + 1;
  // The first cause: the service's own follow-up work is caused by the same origin.
  const origin = event.cause?.origin ?? { kind: event.actorKind, id: event.actorId };
  return release.bundle.background.workflows
    .filter((workflow) => workflow.on.includes(event.name) && isMeant(workflow, event))
    .map((workflow) => ({
      id: newId(),
      workflow: workflow.name,
      kind: workflow.kind,
      definition: release.releaseId,
      event_id: event.id,
      order_key: orderKeyOf(workflow, event.recordId),
      seq: event.seq,
      ...(depth > DEPTH_MAX ? tooDeep : ({ status: "queued", error: null } as const)),
      depth,
      caused_by: event.cause?.run ?? null,
      request_id: event.requestId,
      actor_kind: origin.kind,
      actor_id: origin.id,
      organization_id: event.organization,
    }));
}

const tooDeep = {
  status: "failed",
  error: {
    code: "too_deep",
    message: `Runs have started one another ${DEPTH_MAX} times. This one was not started.`,
  },
} as const;

const tooMany = { status: "failed", error: NOT_BEGUN } as const;

function isMeant({ when }: BundleWorkflow, event: ProjectEvent): boolean {
  return when === null || allows(when, eventContext(event));
}

function insertRuns(schema: string): string {
  return `INSERT INTO ${schema}."workers__runs" ("id", "workflow", "kind", "definition", "event_id", "order_key", "seq",
      "status", "error", "depth", "caused_by", "request_id", "actor_kind", "actor_id", "organization_id", "ended_at")
    SELECT "id", "workflow", "kind", "definition", "event_id", "order_key", "seq", "status", "error", "depth", "caused_by",
      "request_id", "actor_kind", "actor_id", "organization_id", CASE WHEN "status" = 'failed' THEN now() END
    FROM jsonb_to_recordset($1::jsonb) AS r ("id" uuid, "workflow" text, "kind" text, "definition" text, "event_id" uuid,
      "order_key" text, "seq" bigint, "status" text, "error" jsonb, "depth" integer, "caused_by" uuid, "request_id" text,
      "actor_kind" text, "actor_id" text, "organization_id" uuid)
    ON CONFLICT ("workflow", "event_id") DO NOTHING`;
}

/** A run that was handed over and has parked is handed over again, because it looks for new events each time. */
const MAKE_DUE = `
  INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at)
  SELECT $1, d.run_id, d.worker, clock_timestamp() FROM unnest($2::uuid[], $3::text[]) AS d (run_id, worker)
  ON CONFLICT (project_id, run_id) DO UPDATE SET due_at = least(due_runs.due_at, EXCLUDED.due_at), woken = due_runs.woken OR due_runs.handed_at IS NOT NULL`;
