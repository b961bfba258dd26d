// The actions of steps inside the database. In: a step, its context, and the transaction in which its row is committed.
// Out: its output, or what it waits for. Record steps pass through the same stages as a request: checks, constraints,
// state machines, audit.
import type { JsonValue, Operation, StepAction, Template } from "@plinth/bundle";
import type { EvaluationContext } from "@plinth/expression";
import { quoteIdentifier, type TenantTransaction } from "@plinth/postgres";
import { Fault, isUuid } from "@plinth/service";
import { type Cause, EMITTED, type Origin, type Subject } from "../events/event.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { createMaskedValues, shownEvent } from "../project/masked-values.ts";
import { principalId, serviceFor } from "../project/principal.ts";
import type { Tenant } from "../project/tenant.ts";
import { findEntity, LISTENERS_TABLE } from "../query/entity-view.ts";
import { findAndLockRecords, findRecords } from "../query/find-records.ts";
import { requireOperation } from "../query/require-operation.ts";
import { createRecord, deleteRecord, type Request, takeTransition, updateRecord } from "../query/run.ts";
import { within } from "../query/within.ts";
import { checkMembers } from "../records/check-body.ts";
import { checkerOf } from "../records/checkers.ts";
import { decodeCreate, decodeTransition, decodeUpdate } from "../records/decode-body.ts";
import { type Acting, callerNow } from "./acting.ts";
import { fitMembers } from "./fit-values.ts";
import { type ActionResult, type ActionsOptions, completed, type Performing } from "./performing.ts";
import type { Claimed, Run } from "./run.ts";
import { fillMembers, fillTemplate } from "./template.ts";
import { awaitApproval, runWorker, wait, waitForEvent } from "./waits.ts";

export interface Actions {
  /** @throws Fault. */
  perform(performing: Performing): Promise<ActionResult>;
  /** The first record with these values, as JSON; null if there is none. @throws Fault. */
  find(
    claimed: Claimed,
    tenant: Tenant,
    entity: string,
    where: Readonly<Record<string, JsonValue>>,
  ): Promise<JsonValue>;
}

/** The rows that an open transaction sees. */
export const inside = (open: TenantTransaction): Tenant => within(open, { isRepeated: false });

export function createActions(options: ActionsOptions): Actions {
  return {
    perform: (performing) => perform(options, performing),
    find: async (claimed, tenant, entity, where) => {
      requireLive(options.release, entity, null);
      const acting = asService(claimed.run);
      return findRecords(requestOf(options, { claimed, tenant, caller: null, acting }, entity), where, null);
    },
  };
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
    case "webhook.emit":
      return completed(await sendEvent(options, performing));
    case "wait":
      return wait(options, performing, action);
    case "wait_for":
      return waitForEvent(options, performing, action);
    case "worker.run":
      return runWorker(options, performing, action);
    case "approve":
      return awaitApproval(options, performing, action);
    case "email.send":
    case "http.request":
      throw new Error("a call to another service reached the actions inside the database");
  }
}

type RecordAction = Extract<StepAction, { readonly kind: `record.${string}` }>;

async function actOnRecord(options: ActionsOptions, performing: Performing, action: RecordAction): Promise<JsonValue> {
  const { release, secretBox, newId } = options;
  const { context } = performing;
  requireLive(release, action.entity, action.kind === "record.transition" ? action.edge : null);
  const acting = await actingOf(options, performing);
  requireOperation(release, action.entity, operationOf(action), acting.principal.roles);
  const tenant = within(performing.open, { isRepeated: action.kind === "record.delete" });
  const request = requestOf(options, { ...performing, acting, tenant }, action.entity);
  const { principal, organization, entity } = request;
  const body = { release, principal, organization, secretBox };
  const valuesOf = (values: Readonly<Record<string, Template>>, kind: "create" | "update") => {
    const checker = checkerOf(release, entity, kind);
    return checkMembers(checker, fitMembers(values, context, checker.validate.schema));
  };
  switch (action.kind) {
    case "record.create": {
      const recordId = newId();
      const { values, generated } = decodeCreate(body, entity, recordId, valuesOf(action.values, "create"));
      return parsed(await createRecord(request, recordId, values, generated));
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
      return (performing.changes.has(action.entity) ? findAndLockRecords : findRecords)(
        request,
        fillMembers(action.where, context),
        action.limit,
      );
  }
}

/** A run keeps its own definition, but writes records of the release that is live now. @throws Fault `conflict`. */
function requireLive(release: ActiveRelease, name: string, edge: string | null): void {
  const view = findEntity(release, name);
  if (view === null) throw new Fault("conflict", { detail: `The live release no longer has the entity \`${name}\`.` });
  if (edge === null || view.entity.stateMachine?.edges.some((each) => each.name === edge) === true) return;
  throw new Fault("conflict", {
    detail: `The live release no longer has the transition \`${edge}\` of ${view.entity.plural}.`,
  });
}

function operationOf(action: RecordAction): Operation {
  switch (action.kind) {
    case "record.find":
      return "read";
    case "record.transition":
      return `transition:${action.edge}`;
    case "record.create":
      return "create";
    case "record.update":
      return "update";
    case "record.delete":
      return "delete";
  }
}

/** A waiting caller has the rights of their request; the caller of a run has their current rights. */
async function actingOf({ release }: ActionsOptions, { step, caller, claimed, open }: Performing): Promise<Acting> {
  if (step.as === "service") return asService(claimed.run);
  return caller ?? callerNow(open, release, claimed.run);
}

/** The service acts within the organization of the run. */
function asService({ kind, workflow, organization }: Run): Acting {
  return { principal: serviceFor(`${kind} ${workflow}`), organization, ip: "" };
}

/** Its writes are traced to the request that caused it. */
function requestOf(
  { release }: ActionsOptions,
  { claimed, tenant, caller, acting }: RecordRequest,
  entity: string,
): Request {
  const { run } = claimed;
  return {
    tenant,
    release,
    entity,
    ...acting,
    requestId: run.requestId ?? run.id,
    cause: causeOf({ caller, claimed }, { kind: acting.principal.kind, id: principalId(acting.principal) }),
  };
}

interface RecordRequest extends Pick<Performing, "claimed" | "caller"> {
  readonly acting: Acting;
  readonly tenant: Tenant;
}

/**
 * The cause in an event, as JSON; null if it is only the event's actor. A call whose caller waits has no stored run
 * that could be the cause, but its origin is known. @param actor The actor that the event itself names. @param subject
 * The record of an event that carries none.
 */
function causeOf(
  { caller, claimed }: Pick<Performing, "caller" | "claimed">,
  actor: Origin,
  subject: Subject | null = null,
): string | null {
  const { id, depth, actorKind, actorId } = claimed.run;
  const isKnown = actorKind === null || actorId === null || (actorKind === actor.kind && actorId === actor.id);
  if (caller !== null && isKnown && subject === null) return null;
  const cause: Cause = {
    ...(caller === null ? { run: id, depth } : {}),
    ...(isKnown ? {} : { origin: { kind: actorKind, id: actorId } }),
    ...(subject === null ? {} : { subject }),
  };
  return JSON.stringify(cause);
}

/** The actor in the audit log and in events for steps that need no rights. */
function actorOf({ kind, workflow, actorKind, actorId }: Run): Origin {
  if (kind === "action" && actorKind !== null && actorId !== null) return { kind: actorKind, id: actorId };
  return { kind: "service", id: `${kind} ${workflow}` };
}

function idOf(template: Template, context: EvaluationContext): string {
  const id = fillTemplate(template, context);
  if (typeof id === "string" && isUuid(id)) return id.toLowerCase();
  throw new Fault("not_found", { detail: "The step names no record." });
}

const parsed = (json: string): JsonValue => JSON.parse(json) as JsonValue;

/** If nobody listens, only its step is stored. */
async function emitEvent(
  { release }: ActionsOptions,
  { claimed, open, context, caller, subject }: Performing,
  action: Extract<StepAction, { readonly kind: "event.emit" }>,
): Promise<JsonValue> {
  const { run } = claimed;
  const { dataSchema } = release.bundle.background.events.find(({ name }) => name === action.event) ?? {};
  const data =
    action.data.kind === "object"
      ? fitMembers(action.data.members, context, dataSchema)
      : fillTemplate(action.data, context);
  const actor = actorOf(run);
  await open.query(
    `INSERT INTO ${release.schema}."_outbox" ("name", "organization_id", "actor_kind", "actor_id", "request_id", "cause", "data")
     SELECT $1::text, $2::uuid, $3::text, $4::text, $5::text, $6::jsonb, $7::jsonb
     WHERE EXISTS (SELECT 1 FROM ${release.schema}.${quoteIdentifier(LISTENERS_TABLE)} l WHERE l."event" = $1::text)`,
    [
      action.event,
      run.organization,
      actor.kind,
      actor.id,
      run.requestId ?? run.id,
      causeOf({ caller, claimed }, actor, subject),
      JSON.stringify(data),
    ],
  );
  return data;
}

/** The dispatcher creates the deliveries, and doesn't repeat existing ones. */
async function sendEvent(
  { release }: ActionsOptions,
  { claimed, open, caller, subject }: Performing,
): Promise<JsonValue> {
  const { run, event } = claimed;
  if (event === null)
    throw new Fault("conflict", { detail: "This run was not started by an event, so there is no event to send." });
  const actor = actorOf(run);
  await open.query(
    `INSERT INTO ${release.schema}."_outbox" ("name", "organization_id", "actor_kind", "actor_id", "request_id", "cause", "data")
     VALUES ($1::text, $2::uuid, $3::text, $4::text, $5::text, $6::jsonb, $7::jsonb)`,
    [
      EMITTED,
      run.organization,
      actor.kind,
      actor.id,
      run.requestId ?? run.id,
      causeOf({ caller, claimed }, actor),
      JSON.stringify({ event_id: event.id, subject }),
    ],
  );
  return { event_id: event.id };
}

async function writeNote(
  { release, masks }: ActionsOptions,
  { claimed, open, context, path, subject }: Performing,
  action: Extract<StepAction, { readonly kind: "audit.write" }>,
): Promise<JsonValue> {
  const { run, event } = claimed;
  const filled = fillTemplate(action.note, context);
  const known = masks();
  // People read the log, as they read its other lines. Another service may have returned the data that it received.
  const values = createMaskedValues();
  if (event !== null) shownEvent(event, known, values);
  values.learn(run.input, known.apply(run.input, known.input(run)));
  const note = values.apply(known.apply(filled, known.step(run, path).input));
  const actor = actorOf(run);
  await open.query(
    `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
     VALUES ($1, $2, $3, 'note', $4, $5::uuid, $6::jsonb)`,
    [
      run.requestId ?? run.id,
      actor.kind,
      actor.id,
      subject?.entity ?? null,
      subject?.id ?? null,
      JSON.stringify({ workflow: run.workflow, run: run.id, event: event?.name ?? null, note }),
    ],
  );
  return null;
}
