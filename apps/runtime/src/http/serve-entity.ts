// Serves a request about records whose caller is known and may make such requests. In: a route and the input. Out: a
// reply, or a Fault. The request is about one record by its id, one by a unique key, or several.
import { type ByteGate, Fault } from "@plinth/service";
import type { SecretBox } from "../identity/secret-box.ts";
import type { Caller } from "../project/principal.ts";
import type { CursorCodec } from "../query/cursor.ts";
import { entityView } from "../query/entity-view.ts";
import { findReply } from "../query/kept-replies.ts";
import { type Once, onceOf } from "../query/once.ts";
import { parseKey } from "../query/reading/parse-key.ts";
import { parseReading } from "../query/reading/parse-list.ts";
import { requireOperation } from "../query/require-operation.ts";
import { findIdByKey, type Request } from "../query/run.ts";
import { auditShown } from "../query/shown-again.ts";
import { checkMembers } from "../records/check-body.ts";
import { checkerOf } from "../records/checkers.ts";
import type { BodyThreads } from "./body/body-threads.ts";
import type { Incoming, Reply } from "./contracts.ts";
import { type FaultLog, publicFault } from "./public-fault.ts";
import { type RateLimit, rateLimitHeaders } from "./rate-limiter.ts";
import type { RouteMatch } from "./route-table.ts";
import { bodyKindOf, checkRequestBody } from "./stages/check-body.ts";
import { requireWanted, versionsWanted } from "./stages/conditions.ts";
import { type Call, type DecodeContext, decodeInput } from "./stages/decode-input.ts";
import { execute } from "./stages/execute.ts";
import { executeOnce, mayBeRepeated, replayed } from "./stages/execute-once.ts";
import { limitOf, limitRate, type RateLimits, requireAllowance } from "./stages/limit-rate.ts";
import { count, decodeFamily, type Family, familyOf } from "./stages/read-children.ts";
import { type ManyOperation, manyOf, readMany } from "./stages/read-many.ts";
import type { Project } from "./stages/resolve-project.ts";
import { respond } from "./stages/respond.ts";
import { decodeUpsert } from "./stages/upsert.ts";
import { writeFamily } from "./stages/write-children.ts";
import { writeMany } from "./stages/write-many.ts";
import { asDryRun, writeQueryOf } from "./stages/write-query.ts";
import { replayOf } from "./together.ts";

export interface EntityDependencies extends FaultLog, RateLimits {
  /** Replies that nobody has read yet. */
  readonly replies: ByteGate;
  readonly bodyThreads: BodyThreads;
  /** Replaces the limit of the project's own blueprint. */
  readonly callerLimit: RateLimit | null;
  readonly cursors: CursorCodec;
  readonly secretBox: SecretBox;
  /** UUID v7, increasing. */
  readonly newRecordId: () => string;
}

/** The caller, in the organization in which the request is made. */
export interface Acting extends Caller {
  readonly organization: string | null;
}

/** The same for each attempt of a request. */
interface Serving {
  readonly dependencies: EntityDependencies;
  readonly caller: Acting;
  readonly project: Project;
  readonly route: RouteMatch;
}

export function serveEntity(
  dependencies: EntityDependencies,
  incoming: Incoming,
  caller: Acting,
  project: Project,
  route: RouteMatch,
): Promise<Reply> {
  const serving = { dependencies, caller, project, route };
  const many = manyOf(route, incoming);
  if (many !== null) return serveMany(serving, incoming, many);
  return route.key !== null && route.operation !== "read" ? writeByKey(serving, incoming) : serveOne(serving, incoming);
}

async function serveOne(serving: Serving, incoming: Incoming): Promise<Reply> {
  const { dependencies, project, route } = serving;
  const { release } = project;
  const family = familyOf(release, route, incoming);
  const body =
    family === null
      ? await checkRequestBody(dependencies.bodyThreads, release, route, incoming)
      : checkMembers(checkerOf(release, route.entity, bodyKindOf(route)), family.own);
  const decode = (): Call => decodeInput(contextOf(serving), route, incoming, body);
  if (incoming.method !== "GET") return write(serving, incoming, family, decode);
  return respond(await execute(dependencies, requestOf(serving, incoming), decode()), incoming);
}

/** @param family The records in the body, if there are any. Each counts as one more request of the caller. */
async function write(serving: Serving, incoming: Incoming, family: Family | null, decode: () => Call): Promise<Reply> {
  const { dependencies, caller, project, route } = serving;
  const { release, tenant } = project;
  const context = contextOf(serving);
  const { isTried, shown } = writeQueryOf(incoming, route.operation !== "delete");
  const { call, children } = family === null ? { call: decode(), children: [] } : decodeFamily(context, family, decode);
  const operation = call.kind === "update" ? call.kind : route.operation;
  const versions = versionsWanted(release, { ...route, operation }, incoming.headers);
  const request = { ...requestOf(serving, incoming), versions };
  const once = onceOf(incoming, caller.principal, caller.organization);
  const path = route.key === null ? incoming.path : recordsPath(route);
  if (family === null && shown === "")
    return perform(dependencies, { ...incoming, path }, request, call, once, isTried);
  const selection = parseReading(shown, entityView(release, route.entity), context);
  const allowance = family === null ? {} : spend(serving, incoming, count(family) - 1);
  // If several callers write the same version, only one succeeds, even if they only write its children.
  const isTouched = children.length > 0 && versions !== null;
  const own = call.kind === "update" && isTouched ? ({ ...call, isTouched } as const) : call;
  const whole = { door: tenant, once, isTried, call: own, children, selection, path };
  const reply = await writeFamily(dependencies, request, whole);
  return { ...reply, headers: { ...reply.headers, ...allowance } };
}

/** Counts this many more requests against the caller's limit. @throws Fault `rate_limited`. */
function spend(
  { dependencies, caller, project }: Serving,
  { ip }: Incoming,
  more: number,
): Readonly<Record<string, string>> {
  if (more === 0) return {};
  const limit = dependencies.callerLimit ?? limitOf(project.release);
  const allowance = limitRate(dependencies, limit, caller, ip, more);
  requireAllowance(allowance);
  return rateLimitHeaders(allowance);
}

/** Runs one statement. @param incoming For a create, its path is the path of the list. */
async function perform(
  dependencies: EntityDependencies,
  incoming: Incoming,
  request: Request,
  call: Call,
  once: Once | null,
  isTried: boolean,
): Promise<Reply> {
  if (isTried) return tryOne(dependencies, incoming, request, call);
  if (once === null) return respond(await execute(dependencies, request, call), incoming);
  const located = call.kind === "create" ? { ...once, location: `${incoming.path}/${call.recordId}` } : once;
  const effect = () => execute(dependencies, { ...request, once: located }, call);
  return respond(await executeOnce(request, located, effect), incoming);
}

/**
 * A dry run is rolled back together with its audit line. Therefore an existing record that it has shown is audited
 * separately.
 */
async function tryOne(
  dependencies: EntityDependencies,
  incoming: Incoming,
  request: Request,
  call: Call,
): Promise<Reply> {
  const outcome = await execute(dependencies, { ...request, isDryRun: true }, call);
  if (outcome.kind === "record" && "recordId" in call) {
    const { tenant, release, entity } = request;
    await auditShown(tenant, release, request, [{ operation: "read", entity, recordId: call.recordId, changes: null }]);
  }
  return asDryRun(respond(outcome, incoming));
}

/**
 * Others can create or delete the record between the look-up and the write. The write notices it, and the look-up is
 * repeated.
 */
const TRIES_MAX = 3;

/** Updates or deletes the record that has the key. An upsert creates it if the caller sees none. */
async function writeByKey(serving: Serving, incoming: Incoming): Promise<Reply> {
  const { caller, route } = serving;
  const once = onceOf(incoming, caller.principal, caller.organization);
  if (route.operation !== "upsert" || once === null || writeQueryOf(incoming, true).isTried) {
    return writeTheOne(serving, incoming);
  }
  const before = await repetition(serving, incoming, once);
  if (before !== null) return before;
  try {
    return await writeTheOne(serving, incoming);
  } catch (error) {
    const since = mayBeRepeated(error) ? await repetition(serving, incoming, once) : null;
    if (since === null) throw error;
    return since;
  }
}

/**
 * A repeated upsert finds the record that the first request has created. The saved reply therefore comes before all
 * other checks.
 */
async function repetition(serving: Serving, incoming: Incoming, once: Once): Promise<Reply | null> {
  const { project, route } = serving;
  const reply = await findReply(project.release, project.tenant, once);
  if (reply === null) return null;
  const isTogether = writeQueryOf(incoming, true).shown !== "" || familyOf(project.release, route, incoming) !== null;
  if (isTogether) return replayOf(reply);
  const outcome = await replayed(requestOf(serving, incoming), reply);
  return respond(outcome, { ...incoming, path: recordsPath(route) });
}

async function writeTheOne(serving: Serving, incoming: Incoming): Promise<Reply> {
  const { caller, project, route } = serving;
  const { release } = project;
  const { principal } = caller;
  if (route.key === null) throw new Error(`${route.pattern} has no key`);
  // A caller who can't read any of them finds none.
  requireOperation(release, route.entity, "read", principal.roles);
  const key = parseKey(route.key, entityView(release, route.entity), principal.roles);
  const request = requestOf(serving, incoming);
  for (let tries = 1; ; tries++) {
    const recordId = await findIdByKey(request, key);
    try {
      return await (route.operation === "upsert"
        ? upsert(serving, incoming, recordId)
        : writeFound(serving, incoming, recordId));
    } catch (error) {
      const code = recordId === null ? "unique_violation" : "not_found";
      if (!(error instanceof Fault) || error.code !== code || route.operation !== "upsert" || tries >= TRIES_MAX) {
        throw error;
      }
    }
  }
}

async function writeFound(serving: Serving, incoming: Incoming, recordId: string | null): Promise<Reply> {
  const { caller, route } = serving;
  if (recordId !== null) return serveOne({ ...serving, route: { ...route, recordId } }, incoming);
  const missing = (): never => {
    throw new Fault("not_found");
  };
  const { isTried } = writeQueryOf(incoming, route.operation !== "delete");
  const once = onceOf(incoming, caller.principal, caller.organization);
  // A second request with this key no longer finds a record that the first one has deleted.
  if (once === null || isTried) return missing();
  return respond(await executeOnce(requestOf(serving, incoming), once, missing), incoming);
}

async function upsert(serving: Serving, incoming: Incoming, recordId: string | null): Promise<Reply> {
  const { dependencies, project, route } = serving;
  const { release } = project;
  requireWanted(incoming.headers, recordId !== null);
  const family = familyOf(release, route, incoming);
  const created = { ...route, operation: "create" } as const;
  const body =
    family === null
      ? await checkRequestBody(dependencies.bodyThreads, release, created, incoming)
      : checkMembers(checkerOf(release, route.entity, "create"), family.own);
  const decode = (): Call => decodeUpsert(contextOf(serving), route, incoming.headers, recordId, body);
  return write(serving, incoming, family, decode);
}

function recordsPath({ pattern, key }: RouteMatch): string {
  return pattern.slice(0, -`/by/${key?.fields.join(",")}/:key`.length);
}

function contextOf({ dependencies, caller, project }: Serving): DecodeContext {
  const { principal, organization } = caller;
  return { ...dependencies, release: project.release, principal, organization };
}

function requestOf({ dependencies, caller, project, route }: Serving, { id: requestId, ip }: Incoming): Request {
  const { principal, projectId, organization } = caller;
  const room = (): void => requireRoom(dependencies.replies, projectId);
  return { ...project, entity: route.entity, principal, organization, ip, requestId, requireRoom: room };
}

/** Each record counts as one more request of the caller. */
async function serveMany(serving: Serving, incoming: Incoming, operation: ManyOperation): Promise<Reply> {
  const { dependencies, caller, project, route } = serving;
  const { principal, organization } = caller;
  const { release, tenant } = project;
  const { id: requestId, ip } = incoming;
  const { entity } = route;
  const context = { ...contextOf(serving), bodyThreads: dependencies.bodyThreads };
  const call = await readMany(context, entity, operation, incoming);
  const allowance = spend(serving, incoming, call.items.length - 1);
  const options = {
    door: tenant,
    once: onceOf(incoming, principal, organization),
    publicFault: (error: unknown) => publicFault(error, dependencies, incoming),
    now: Date.now,
  };
  const reply = await writeMany(options, { tenant, release, entity, principal, organization, ip, requestId }, call);
  return { ...reply, headers: { ...reply.headers, ...allowance } };
}

export function requireRoom(replies: ByteGate, projectId: string): void {
  if (replies.hasRoom(projectId)) return;
  throw new Fault("unavailable", {
    detail: "This project's callers haven't read their earlier replies yet.",
    headers: { "retry-after": "1" },
  });
}
