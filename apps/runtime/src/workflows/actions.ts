// What a step does inside the database. In: a step, what it sees, and the transaction that its row commits with. Out: its
// output, or what it waits for. Record steps take the same way as a request: checked, constrained, moved along edges, audited.
import type { BundleStep, JsonValue, StepAction, Template } from "@plinth/bundle";
import { allows, type EvaluationContext } from "@plinth/expression";
import type { TenantTransaction } from "@plinth/postgres";
import { Overtaken, quoteIdentifier } from "@plinth/postgres";
import { Fault, isUuid } from "@plinth/service";
import { DEPTH_MAX } from "../events/dispatch.ts";
import { eventContext, eventValue } from "../events/event-context.ts";
import { storedEvent } from "../events/stored-event.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Principal, principalId, serviceFor } from "../project/principal.ts";
import type { Tenant } from "../project/tenant.ts";
import { LISTENERS_TABLE } from "../query/entity-view.ts";
import { findRecords } from "../query/find-records.ts";
import { arrayLiteral } from "../query/parameters.ts";
import { createRecord, deleteRecord, type Request, takeTransition, updateRecord } from "../query/run.ts";
import { checkMembers } from "../records/check-body.ts";
import { checkerOf } from "../records/checkers.ts";
import { decodeCreate, decodeTransition, decodeUpdate } from "../records/decode-body.ts";
import type { Claimed, StepRow } from "./run.ts";
import { fillMembers, fillTemplate } from "./template.ts";

export interface Performing {
  readonly step: BundleStep;
  readonly path: string;
  readonly key: string;
  /** What is known of it already; null at its first try. */
  readonly row: StepRow | null;
  readonly context: EvaluationContext;
  readonly claimed: Claimed;
  readonly open: TenantTransaction;
}

export type ActionResult =
  | { readonly kind: "completed"; readonly output: JsonValue }
  /** `untilMs` null: until something wakes the run. */
  | { readonly kind: "waiting"; readonly untilMs: number | null };

export interface Actions {
  /** @throws Fault. */
  perform(performing: Performing): Promise<ActionResult>;
}

export interface ActionsOptions {
  readonly release: ActiveRelease;
  readonly secretBox: SecretBox;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly now: () => number;
}

export function createActions(options: ActionsOptions): Actions {
  return { perform: (performing) => perform(options, performing) };
}

async function perform(options: ActionsOptions, performing: Performing): Promise<ActionResult> {
  const { action } = performing.step;
  switch (action.kind) {
    case "record.create":
    case "record.update":
    case "record.delete":
    case "record.find":
    case "record.transition":
      return completed(await actOnRecord(options, performing, action));
    case "event.emit":
      return completed(await emitEvent(options, performing, action));
    case "audit.write":
      return completed(await writeNote(options, performing, action));
    case "wait":
      return wait(options, performing, action.forMs);
    case "wait_for":
      return waitForEvent(options, performing, action);
    case "worker.run":
      return runWorker(options, performing, action);
    case "approve":
      return awaitApproval(options, performing, action);
    case "http.request":
      throw new Error("a call to another service was taken for one inside the database");
  }
}

const completed = (output: JsonValue): ActionResult => ({ kind: "completed", output });

type RecordAction = Extract<StepAction, { readonly kind: `record.${string}` }>;

async function actOnRecord(options: ActionsOptions, performing: Performing, action: RecordAction): Promise<JsonValue> {
  const { release, secretBox, newId } = options;
  const { context } = performing;
  const request = requestOf(options, performing, action.entity);
  const { principal, organization, entity } = request;
  const body = { release, principal, organization, secretBox };
  const valuesOf = (values: Readonly<Record<string, Template>>, kind: "create" | "update") =>
    checkMembers(checkerOf(release, entity, kind), fillMembers(values, context));
  switch (action.kind) {
    case "record.create": {
      const recordId = newId();
      const { values, made } = decodeCreate(body, entity, recordId, valuesOf(action.values, "create"));
      return parsed(await createRecord(request, recordId, values, made));
    }
    case "record.update": {
      const recordId = idOf(action.id, context);
      const values = decodeUpdate(body, entity, recordId, valuesOf(action.values, "update"));
      return parsed(await updateRecord(request, recordId, values));
    }
    case "record.transition": {
      const recordId = idOf(action.id, context);
      const values = decodeTransition(body, entity, action.edge, recordId, valuesOf(action.values, "update"));
      return parsed(await takeTransition(request, recordId, action.edge, values));
    }
    case "record.delete": {
      const recordId = idOf(action.id, context);
      await deleteRecord(request, recordId);
      return { id: recordId };
    }
    case "record.find":
      return findRecords(request, fillMembers(action.where, context), action.limit);
  }
}

/** The service acts, within the event's organization; what it writes is traced to the request that caused it. */
function requestOf({ release }: ActionsOptions, { claimed, open }: Performing, entity: string): Request {
  const { run } = claimed;
  return {
    tenant: within(open),
    release,
    entity,
    principal: principalOf(claimed),
    organization: run.organization,
    ip: "",
    requestId: run.requestId ?? run.id,
    cause: JSON.stringify({ run: run.id, depth: run.depth }),
  };
}

function principalOf({ run }: Claimed): Principal {
  return serviceFor(`${run.kind} ${run.workflow}`);
}

/** Statements of this transaction, as a request's statements run for themselves. */
function within(open: TenantTransaction): Tenant {
  return {
    async run({ text, values, confirm }) {
      const result = await open.query(text, [...values]);
      const asked = confirm?.values(result.rows[0]) ?? null;
      if (confirm !== undefined && asked !== null) {
        const [row] = (await open.query(confirm.text, [...asked])).rows;
        if (row?.[0] === "t") throw new Overtaken();
      }
      return result;
    },
  };
}

function idOf(template: Template, context: EvaluationContext): string {
  const id = fillTemplate(template, context);
  if (typeof id === "string" && isUuid(id)) return id.toLowerCase();
  throw new Fault("not_found", { detail: "The step names no record." });
}

const parsed = (json: string): JsonValue => JSON.parse(json) as JsonValue;

/** Where nobody listens, it leaves no trace but its step. */
async function emitEvent(
  { release }: ActionsOptions,
  { claimed, open, context }: Performing,
  action: Extract<StepAction, { readonly kind: "event.emit" }>,
): Promise<JsonValue> {
  const { run } = claimed;
  const data = fillTemplate(action.data, context);
  await open.query(
    `INSERT INTO ${release.schema}."_outbox" ("name", "organization_id", "actor_kind", "actor_id", "request_id", "cause", "data")
     SELECT $1::text, $2::uuid, $3::text, $4::text, $5::text, $6::jsonb, $7::jsonb
     WHERE EXISTS (SELECT 1 FROM ${release.schema}.${quoteIdentifier(LISTENERS_TABLE)} l WHERE l."event" = $1::text)`,
    [
      action.event,
      run.organization,
      "service",
      principalId(principalOf(claimed)),
      run.requestId ?? run.id,
      JSON.stringify({ run: run.id, depth: run.depth }),
      JSON.stringify(data),
    ],
  );
  return data;
}

async function writeNote(
  { release }: ActionsOptions,
  { claimed, open, context }: Performing,
  action: Extract<StepAction, { readonly kind: "audit.write" }>,
): Promise<JsonValue> {
  const { run, event } = claimed;
  const note = fillTemplate(action.note, context);
  await open.query(
    `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
     VALUES ($1, 'service', $2, 'note', $3, $4::uuid, $5::jsonb)`,
    [
      run.requestId ?? run.id,
      principalId(principalOf(claimed)),
      event?.entity ?? null,
      event?.recordId ?? null,
      JSON.stringify({ workflow: run.workflow, run: run.id, event: event?.name ?? null, note }),
    ],
  );
  return null;
}

function wait({ now }: ActionsOptions, { row }: Performing, forMs: number): ActionResult {
  if (row?.status !== "waiting" || row.nextAt === null) return { kind: "waiting", untilMs: now() + forMs };
  const untilMs = Date.parse(row.nextAt);
  return untilMs > now() ? { kind: "waiting", untilMs } : completed(null);
}

/**
 * The first matching event since the run's own: one that came before the step began is not missed. What is being handed on
 * just now is offered to the wait, which stands by then: both take the project's lock.
 */
async function waitForEvent(
  { release, now }: ActionsOptions,
  { claimed, open, context, path, row }: Performing,
  action: Extract<StepAction, { readonly kind: "wait_for" }>,
): Promise<ActionResult> {
  const { run, event } = claimed;
  const waits = `${release.schema}."workers__waits"`;
  const events = `${release.schema}."workers__events"`;
  let untilMs = row?.nextAt == null ? null : Date.parse(row.nextAt);
  if (row === null || row.status !== "waiting") {
    untilMs = action.timeoutMs === null ? null : now() + action.timeoutMs;
    await open.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`plinth.dispatch/${release.projectId}`]);
    await open.query(
      `INSERT INTO ${waits} ("run_id", "path", "kind", "event", "until", "offered")
       VALUES ($1, $2, 'event', $3, $4::timestamptz,
         coalesce((SELECT array_agg(e."id" ORDER BY e."seq") FROM ${events} e WHERE e."name" = $3 AND e."seq" > $5::bigint), '{}'))
       ON CONFLICT ("run_id", "path") DO NOTHING`,
      [
        run.id,
        path,
        action.event,
        untilMs === null ? null : new Date(untilMs).toISOString(),
        event?.seq ?? "9223372036854775807",
      ],
    );
  }
  const { rows } = await open.query(
    `SELECT to_json(e)::text FROM ${waits} w JOIN ${events} e ON e."id" = ANY(w."offered")
     WHERE w."run_id" = $1 AND w."path" = $2 ORDER BY e."seq"`,
    [run.id, path],
  );
  for (const [text = null] of rows) {
    if (text === null) continue;
    const came = storedEvent(JSON.parse(text) as Readonly<Record<string, JsonValue>>);
    const seen = { ...context, values: { ...context.values, event: eventValue(came) } };
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

/** A run of its own, which this one waits for. It has an id that follows from the step's key, so that there is one. */
async function runWorker(
  { release, newId, now }: ActionsOptions,
  { claimed, open, context, path, row }: Performing,
  action: Extract<StepAction, { readonly kind: "worker.run" }>,
): Promise<ActionResult> {
  const { run } = claimed;
  const runs = `${release.schema}."workers__runs"`;
  const waits = `${release.schema}."workers__waits"`;
  if (row === null || row.status !== "waiting") {
    if (run.depth >= DEPTH_MAX)
      throw new Fault("conflict", { detail: `Runs have started one another ${DEPTH_MAX} times.` });
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
    await makeDue(open, release.projectId, id, now());
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
      return completed(output === null ? null : parsed(output));
    case "failed":
    case "cancelled":
    case "needs_attention": {
      const { message = `The worker \`${action.worker}\` was ${status}.` } = JSON.parse(error ?? "{}") as {
        message?: string;
      };
      throw new Fault("conflict", { detail: message });
    }
    default:
      return { kind: "waiting", untilMs: null };
  }
}

/** The worker role has no rights on the cell's tables. */
async function makeDue(open: TenantTransaction, projectId: string, runId: string, dueAtMs: number): Promise<void> {
  const { rows } = await open.client.query<{ role: string }>("SELECT current_user AS role");
  await open.client.query("SET LOCAL ROLE NONE");
  await open.client.query("INSERT INTO plinth.due_runs (project_id, run_id, due_at) VALUES ($1, $2, $3)", [
    projectId,
    runId,
    new Date(dueAtMs).toISOString(),
  ]);
  await open.client.query(`SET LOCAL ROLE ${quoteIdentifier(rows[0]?.role ?? "")}`);
}

/** Who may approve is asked when somebody does; this waits for their answer. */
async function awaitApproval(
  { release, now }: ActionsOptions,
  { claimed, open, path, row }: Performing,
  action: Extract<StepAction, { readonly kind: "approve" }>,
): Promise<ActionResult> {
  const { run } = claimed;
  const waits = `${release.schema}."workers__waits"`;
  if (row === null || row.status !== "waiting") {
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
    return { kind: "waiting", untilMs };
  }
  const { rows } = await open.query(
    `SELECT "answer"::text FROM ${waits} WHERE "run_id" = $1 AND "path" = $2 AND "answer" IS NOT NULL`,
    [run.id, path],
  );
  const answer = rows[0]?.[0] ?? null;
  if (answer !== null) {
    const given = JSON.parse(answer) as { readonly approved: boolean; readonly by: string };
    if (!given.approved) throw new Fault("forbidden", { detail: `${given.by} did not approve.` });
    return completed(given);
  }
  const untilMs = row.nextAt === null ? null : Date.parse(row.nextAt);
  if (untilMs !== null && untilMs <= now()) throw new Fault("timeout", { detail: "Nobody approved in time." });
  return { kind: "waiting", untilMs };
}
