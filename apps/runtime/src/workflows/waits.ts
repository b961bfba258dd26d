// Steps that wait: for a time, an event, a worker's run, somebody's approval. In: the step and its row. Out: the
// result, or until when the run can sleep. Each wait is a row, so a hundred thousand of them cost nothing else.
import type { JsonValue, StepAction } from "@plinth/bundle";
import { allows, type EvaluationContext, stepErrorCode, type Value } from "@plinth/expression";
import { quoteIdentifier, type TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { DEPTH_MAX } from "../events/dispatch.ts";
import { eventContext, eventValue } from "../events/event-context.ts";
import { memberTexts } from "../events/offers.ts";
import { eventFromText } from "../events/stored-event.ts";
import { COUNT_OPEN_RUNS, TOO_MANY_RUNS, type WorkBudget } from "../events/work-budget.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { arrayLiteral } from "../query/parameters.ts";
import { timeOfMoment } from "./moment.ts";
import { type ActionResult, type ActionsOptions, completed, type Performing } from "./performing.ts";
import type { StepError } from "./run.ts";
import { StepFailed } from "./step-failed.ts";
import { fillTemplate } from "./template.ts";
import { keyOf } from "./wait-key.ts";

export function isWait({ kind }: StepAction): boolean {
  return kind === "wait" || kind === "wait_for" || kind === "worker.run" || kind === "approve";
}

/** The record can get another time meanwhile: the step waits again if it is later. */
export function wait(
  { now }: ActionsOptions,
  { row, context }: Performing,
  { forMs, until }: Extract<StepAction, { readonly kind: "wait" }>,
): ActionResult {
  if (until !== undefined) {
    const untilMs = timeOfMoment(until, context);
    return untilMs > now() ? { kind: "waiting", untilMs } : completed(null);
  }
  if (row?.status !== "waiting" || row.nextAt === null) return { kind: "waiting", untilMs: now() + forMs };
  const untilMs = Date.parse(row.nextAt);
  return untilMs > now() ? { kind: "waiting", untilMs } : completed(null);
}

/**
 * The first matching event since the run's own, or since the run began if it has none, so an event before the step's
 * start isn't missed. An event that is being handed on at this moment is offered to the wait, which exists by then,
 * because both take the project's lock.
 */
export async function waitForEvent(
  { release, now, budget }: ActionsOptions,
  { claimed, open, context, path, row }: Performing,
  action: Extract<StepAction, { readonly kind: "wait_for" }>,
): Promise<ActionResult> {
  const { run, event } = claimed;
  const known = withOwn(context);
  const waits = `${release.schema}."workers__waits"`;
  const events = `${release.schema}."workers__events"`;
  let untilMs = row?.nextAt == null ? null : Date.parse(row.nextAt);
  if (row === null || row.status !== "waiting") {
    await takeWait(open, budget, release);
    untilMs = action.timeoutMs === null ? null : now() + action.timeoutMs;
    await open.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`plinth.dispatch/${release.projectId}`]);
    const { member, wanted } = keyOf(action.if, known);
    const since = event === null ? `e."at" >= $5::timestamptz` : `e."seq" > $5::bigint`;
    await open.query(
      `INSERT INTO ${waits} ("run_id", "path", "kind", "event", "until", "member", "wanted", "offered")
       VALUES ($1, $2, 'event', $3, $4::timestamptz, $6::text, $7::text,
         coalesce((SELECT array_agg(e."id" ORDER BY e."seq") FROM ${events} e
           WHERE e."name" = $3 AND ${since} AND $7::text IN ${memberTexts("$6::text")}), '{}'))
       ON CONFLICT ("run_id", "path") DO NOTHING`,
      [
        run.id,
        path,
        action.event,
        untilMs === null ? null : new Date(untilMs).toISOString(),
        event === null ? run.createdAt : event.seq,
        member,
        wanted,
      ],
    );
  }
  // Locked before it is read, so that an event that is offered meanwhile comes later, and doesn't count as checked.
  await open.query(`SELECT 1 FROM ${waits} WHERE "run_id" = $1 AND "path" = $2 FOR UPDATE`, [run.id, path]);
  const { rows } = await open.query(
    `SELECT to_json(e)::text FROM ${waits} w JOIN ${events} e ON e."id" = ANY(w."offered")
     WHERE w."run_id" = $1 AND w."path" = $2 ORDER BY e."seq"`,
    [run.id, path],
  );
  for (const [text = null] of rows) {
    if (text === null) continue;
    const came = eventFromText(text);
    const seen = { ...known, values: { ...known.values, event: eventValue(came) } };
    if (action.if !== null && !allows(action.if, { ...seen, rows: eventContext(came).rows })) continue;
    await answerWait(open, waits, run.id, path, { event: came.id });
    return completed({ id: came.id, name: came.name, at: came.at, data: came.data, record: came.record });
  }
  if (untilMs !== null && untilMs <= now()) {
    await answerWait(open, waits, run.id, path, { timed_out: true });
    return completed(null);
  }
  await open.query(`UPDATE ${waits} SET "offered" = '{}' WHERE "run_id" = $1 AND "path" = $2`, [run.id, path]);
  return { kind: "waiting", untilMs };
}

/** @throws StepFailed if the runs of the project already wait for too much. */
async function takeWait(
  open: TenantTransaction,
  budget: WorkBudget,
  { projectId, schema }: ActiveRelease,
): Promise<void> {
  const taken = await budget.waits.take(projectId, 1, async (most) => {
    const { rows } = await open.query(
      `SELECT count(*)::text FROM (SELECT 1 FROM ${schema}."workers__waits" WHERE "answer" IS NULL LIMIT $1::integer) w`,
      [String(most)],
    );
    return Number(rows[0]?.[0] ?? 0);
  });
  if (taken === 1) return;
  const message =
    "The project's runs already wait for as many events, approvals and other runs as its operator allows.";
  throw new StepFailed("too_many_waits", message, { isFinal: true });
}

/**
 * In the condition of a wait, `event` and `record` belong to the event that came. The run's own are members of `run`.
 */
function withOwn(context: EvaluationContext): EvaluationContext & Required<Pick<EvaluationContext, "values">> {
  const { rows, values = {} } = context;
  const own = { record: (rows.record?.values ?? null) as Value, event: values["event"] ?? null };
  return { ...context, values: { ...values, run: { ...(values["run"] as Readonly<Record<string, Value>>), ...own } } };
}

async function answerWait(
  open: TenantTransaction,
  waits: string,
  runId: string,
  path: string,
  answer: JsonValue,
): Promise<void> {
  await open.query(`UPDATE ${waits} SET "answer" = $3::jsonb WHERE "run_id" = $1 AND "path" = $2`, [
    runId,
    path,
    JSON.stringify(answer),
  ]);
}

/** Starts a separate run, for which this one waits. Its id is derived from the step's key, so there is only one. */
export async function runWorker(
  { release, newId, now, budget }: ActionsOptions,
  { claimed, open, context, path, row }: Performing,
  action: Extract<StepAction, { readonly kind: "worker.run" }>,
): Promise<ActionResult> {
  const { run } = claimed;
  const runs = `${release.schema}."workers__runs"`;
  const waits = `${release.schema}."workers__waits"`;
  if (row === null || row.status !== "waiting") {
    if (run.depth >= DEPTH_MAX)
      throw new Fault("conflict", { detail: `Runs have started one another ${DEPTH_MAX} times.` });
    if (!(await hasRoomForRun(open, budget, release.projectId))) {
      throw new StepFailed(TOO_MANY_RUNS.code, TOO_MANY_RUNS.message, { isFinal: true });
    }
    await takeWait(open, budget, release);
    const id = newId();
    await open.query(
      `INSERT INTO ${runs} ("id", "workflow", "kind", "definition", "event_id", "status", "input", "depth", "caused_by",
         "request_id", "actor_kind", "actor_id", "organization_id")
       VALUES ($1, $2, 'worker', $3, NULL, 'queued', $4::jsonb, $5::integer, $6, $7, $8, $9, $10::uuid)`,
      [
        id,
        action.worker,
        run.definition,
        JSON.stringify(fillTemplate(action.input, context)),
        String(run.depth + 1),
        run.id,
        run.requestId,
        run.actorKind,
        run.actorId,
        run.organization,
      ],
    );
    await open.query(
      `INSERT INTO ${waits} ("run_id", "path", "kind", "event") VALUES ($1, $2, 'run', $3)
       ON CONFLICT ("run_id", "path") DO UPDATE SET "event" = EXCLUDED."event", "answer" = NULL`,
      [run.id, path, id],
    );
    await makeDue(open, release.projectId, { id, worker: action.worker }, now());
    return { kind: "waiting", untilMs: null };
  }
  const { rows } = await open.query(
    `SELECT r."status", r."output"::text, r."error"::text FROM ${waits} w JOIN ${runs} r ON r."id" = w."event"::uuid
     WHERE w."run_id" = $1 AND w."path" = $2`,
    [run.id, path],
  );
  const [status = null, output = null, error = null] = rows[0] ?? [];
  switch (status) {
    case "completed":
      return completed(output === null ? null : (JSON.parse(output) as JsonValue));
    case "failed":
    case "cancelled":
    case "undo_failed":
    case "needs_attention": {
      const failed = JSON.parse(error ?? "{}") as Partial<StepError>;
      const { code = status, message = `The worker \`${action.worker}\` ended as ${status}.` } = failed;
      // Its steps have had their attempts. Whether to call it again is for a person, or for `on_error`.
      throw new StepFailed(stepErrorCode(code) ?? "internal", message, {
        isFinal: true,
        status: failed.status,
        body: failed.body,
      });
    }
    default:
      return { kind: "waiting", untilMs: null };
  }
}

/** Whether the project can have one more unfinished run. If so, the run is counted. */
export async function hasRoomForRun(open: TenantTransaction, budget: WorkBudget, projectId: string): Promise<boolean> {
  const taken = await budget.runs.take(projectId, 1, (most) =>
    asCell(open, async () => {
      const { rows } = await open.client.query<{ there: number }>(COUNT_OPEN_RUNS, [projectId, most]);
      return rows[0]?.there ?? 0;
    }),
  );
  return taken === 1;
}

/** @param worker Empty for none. */
export function makeDue(
  open: TenantTransaction,
  projectId: string,
  { id, worker }: { readonly id: string; readonly worker: string },
  dueAtMs: number,
): Promise<void> {
  return asCell(open, async () => {
    await open.client.query(
      "INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at) VALUES ($1, $2, $3, $4)",
      [projectId, id, worker, new Date(dueAtMs).toISOString()],
    );
  });
}

/** The worker role has no rights on the cell's tables. */
async function asCell<Result>(open: TenantTransaction, work: () => Promise<Result>): Promise<Result> {
  const { rows } = await open.client.query<{ role: string }>("SELECT current_user AS role");
  await open.client.query("SET LOCAL ROLE NONE");
  const result = await work();
  await open.client.query(`SET LOCAL ROLE ${quoteIdentifier(rows[0]?.role ?? "")}`);
  return result;
}

/**
 * Waits for an answer. The approver's role is checked when somebody answers. The run is marked as waiting as soon as the
 * approval is visible.
 */
export async function awaitApproval(
  { release, now, budget }: ActionsOptions,
  { claimed, open, path, row }: Performing,
  action: Extract<StepAction, { readonly kind: "approve" }>,
): Promise<ActionResult> {
  const { run } = claimed;
  const waits = `${release.schema}."workers__waits"`;
  const standAsWaiting = (): Promise<unknown> =>
    open.query(`UPDATE ${release.schema}."workers__runs" SET "status" = 'waiting' WHERE "id" = $1`, [run.id]);
  if (row === null || row.status !== "waiting") {
    await takeWait(open, budget, release);
    const untilMs = action.timeoutMs === null ? null : now() + action.timeoutMs;
    await open.query(
      `INSERT INTO ${waits} ("run_id", "path", "kind", "roles", "by_self", "until") VALUES ($1, $2, 'approval', $3::text[], $4, $5)
       ON CONFLICT ("run_id", "path") DO NOTHING`,
      [
        run.id,
        path,
        arrayLiteral(action.roles),
        String(action.bySelf),
        untilMs === null ? null : new Date(untilMs).toISOString(),
      ],
    );
    await standAsWaiting();
    return { kind: "waiting", untilMs };
  }
  const { rows } = await open.query(
    `SELECT "answer"::text FROM ${waits} WHERE "run_id" = $1 AND "path" = $2 AND "answer" IS NOT NULL`,
    [run.id, path],
  );
  const answer = rows[0]?.[0] ?? null;
  if (answer !== null) {
    const given = JSON.parse(answer) as {
      readonly approved: boolean;
      readonly by: string;
      readonly at: string;
      readonly note: string | null;
    };
    if (given.approved || action.onReject === "continue") return completed(given);
    // The caller of the run reads this. It doesn't name the approver, because that may be the e-mail address of a
    // person in the console.
    throw new StepFailed("rejected", given.note ?? "It was not approved.", { isFinal: true });
  }
  const untilMs = row.nextAt === null ? null : Date.parse(row.nextAt);
  if (untilMs !== null && untilMs <= now()) {
    throw new StepFailed("timeout", "Nobody approved in time.", { isFinal: true });
  }
  await standAsWaiting();
  return { kind: "waiting", untilMs };
}
