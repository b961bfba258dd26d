// Runs one operation as one statement. In: the tenant, the release, the caller and the operation. Out: JSON text, or a
// Fault. It never runs a second statement to interpret the first one. If another request overtook the statement, it
// runs again.
import { bytesOfRows, Overtaken } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Principal } from "../project/principal.ts";
import type { Tenant, TenantRows, TextRow } from "../project/tenant.ts";
import { beyondRange } from "./additions.ts";
import {
  assembleAggregate,
  assembleCreate,
  assembleDelete,
  assembleList,
  assembleLock,
  assembleRead,
  assembleRestore,
  assembleTransition,
  assembleUpdate,
} from "./assemble.ts";
import type { CursorCodec } from "./cursor.ts";
import { busy, faultOf, type StatementKind, turnMissed } from "./database-faults.ts";
import { callerIn, entityView, type StatementCaller } from "./entity-view.ts";
import { AlreadyKept, isAlreadyKept } from "./kept-reply.ts";
import { isNumbered } from "./numbering.ts";
import type { Once } from "./once.ts";
import { arrayLiteral, type Bindings } from "./parameters.ts";
import { PLAIN_READING, type Reading } from "./read-statement.ts";
import type { AggregateQuery } from "./reading/aggregate-query.ts";
import { type Filter, operandsOf } from "./reading/filter.ts";
import { type ListQuery, listName, operands } from "./reading/list-query.ts";
import { countJson, readPage, recordsJson, replyJson } from "./reading/page-json.ts";
import { backwardName } from "./reading/parse-list.ts";
import { type Selection, selectionOperands, WHOLE } from "./reading/selection.ts";
import { withAdvice } from "./reading/slow.ts";
import { groupsTooLarge, REPLY_BYTES_MAX, relatedTooLarge } from "./reading/too-large.ts";
import { heldUp, isBehind, isLocked, isOverlooked, obstacleOf, repeated, TRIES_MAX } from "./repeated.ts";
import type { Statement, WriteStatement } from "./statement.ts";
import { heldByDeleted, refusalOf, staleVersion } from "./write-refusal.ts";

export interface Request {
  readonly tenant: Tenant;
  readonly release: ActiveRelease;
  readonly entity: string;
  readonly principal: Principal;
  readonly organization: string | null;
  readonly ip: string;
  readonly requestId: string;
  /** For a write with an idempotency key: its reply is saved with it. */
  readonly once?: Once | null;
  /** For a write that accepts only these versions of the record. */
  readonly versions?: readonly number[] | null;
  /** For a dry run: the write is judged and answered as usual, and rolled back. */
  readonly isDryRun?: boolean;
  /** The cause, as JSON, if a step made the request; null otherwise. */
  readonly cause?: string | null;
  /** For a caller who reads the reply. @throws Fault if the project can't produce more large replies now. */
  readonly requireRoom?: () => void;
}

/** Field > value in Postgres's text form. A field that wasn't sent is absent. */
export type FieldValues = ReadonlyMap<string, string | null>;

const nothing: FieldValues = new Map();
const none: ReadonlyMap<string, string> = new Map();
/** For the records that a step reads: it gets all of them, or fails. */
const FOUND_BYTES_MAX = 8 * REPLY_BYTES_MAX;

/**
 * `recordId` is null with a key. @returns JSON text. @throws Fault `not_found`, `bad_request` (the key is ambiguous).
 */
export async function readRecord(
  request: Request,
  recordId: string | null,
  reading: Reading = PLAIN_READING,
): Promise<string> {
  const { key, selection } = reading;
  const statement = assembleRead(request.release, request.entity, callerOf(request), reading);
  const values = [...(key === null ? [] : operandsOf(key)), ...selectionOperands(selection)];
  const bindings = { ...bind(request, recordId, nothing), operands: values };
  const { rows, cut } = await runWhole(request, "read", statement, bindings, fetchingOf(selection));
  if (rows.length > 1 || (key !== null && cut === true)) {
    throw new Fault("bad_request", {
      detail: "Several organizations have such a record. Name your organization in the header Plinth-Organization.",
    });
  }
  return rows[0]?.[0] ?? missing();
}

/** Replies with related records are fetched as possibly large. */
function fetchingOf({ expansions }: Selection): Fetching {
  return expansions.length > 0 ? { bytesMax: REPLY_BYTES_MAX } : {};
}

const idAlone: Selection = { ...WHOLE, fields: new Set(["id"]) };

/** Null if the caller sees none. @throws Fault `bad_request` (several organizations have such a record). */
export async function findIdByKey(request: Request, key: Filter): Promise<string | null> {
  try {
    const found = await readRecord(request, null, { selection: idAlone, key, isOfWrite: true });
    return (JSON.parse(found) as { readonly id: string }).id;
  } catch (error) {
    if (error instanceof Fault && error.code === "not_found") return null;
    throw error;
  }
}

/** @returns `{"data":[...],"page":{...}}`. */
export async function listRecords(request: Request, query: ListQuery, cursors: CursorCodec): Promise<Buffer> {
  const { records, first, last, count } = await findPage(request, query, REPLY_BYTES_MAX);
  const list = listName(request.release.projectId, request.entity, query);
  const next = last === null ? "null" : `"${cursors.seal(last, list)}"`;
  const previous = first === null ? "null" : `"${cursors.seal(first, backwardName(list))}"`;
  const counted = count === null ? "" : countJson(Number(count), query.count);
  const page = `"page":{"next_cursor":${next},"prev_cursor":${previous},"has_more":${last !== null}${counted}}`;
  return replyJson(records, page);
}

/** Only the records, as a JSON list. @throws Fault `conflict` if they are too large together. */
export async function listRows(request: Request, query: ListQuery): Promise<string> {
  const { records, isCut } = await findPage(request, query, FOUND_BYTES_MAX);
  if (isCut) throw new Fault("conflict", { detail: "The records that were found are too large together." });
  return `[${records.toString()}]`;
}

/** @returns `{"data":[...],"page":{...}}`: a record for each group. */
export async function aggregateRecords(request: Request, query: AggregateQuery): Promise<Buffer> {
  const statement = assembleAggregate(request.release, request.entity, callerOf(request), query);
  const bindings = { ...bind(request, null, nothing), operands: operandsOf(query.filter) };
  const reading = { bytesMax: REPLY_BYTES_MAX };
  const { rows, cut } = await runWhole(request, "read", statement, bindings, reading).catch((error) => {
    throw withAdvice(error, entityView(request.release, request.entity), query.filter, []);
  });
  if (cut === true) throw groupsTooLarge();
  const data = recordsJson(bytesOfRows(rows), statement.members, query.limit);
  if (data.length > REPLY_BYTES_MAX) throw groupsTooLarge();
  return replyJson(data, `"page":{"has_more":${rows.length > query.limit}}`);
}

/** The neighbour of a page that is empty now is the last or the first page of the list. */
const WHOLE_LIST: TextRow = [];

interface FoundPage {
  /** With commas between them. */
  readonly records: Buffer;
  /** The end of the previous page; null if there is none. */
  readonly first: TextRow | null;
  /** The start of the next page; null if there is none. */
  readonly last: TextRow | null;
  readonly count: string | null;
  readonly isCut: boolean;
}

async function findPage(request: Request, query: ListQuery, bytesMax: number): Promise<FoundPage> {
  const statement = assembleList(request.release, request.entity, callerOf(request), query);
  const cursor = query.from?.key ?? null;
  const bindings = {
    ...bind(request, null, nothing),
    operands: operands(query),
    search: query.search,
    cursor,
    limit: query.limit,
  };
  const found = await runWhole(request, "read", statement, bindings, { bytesMax, asBytes: true }).catch((error) => {
    throw withAdvice(error, entityView(request.release, request.entity), query.filter, query.sort);
  });
  const isBackward = query.from?.backward === true;
  const rows = found.bytes ?? bytesOfRows(found.rows);
  const page = readPage(rows, statement, { limit: query.limit, isBackward });
  // A page ends after this many bytes, and the next one begins there. A record is never cut.
  const isAlone = page.rowCount === 1 && page.records.length > bytesMax;
  if (isAlone && query.selection.expansions.length > 0) throw relatedTooLarge();
  const isCut = found.cut === true;
  const hasMore = isCut || page.rowCount > query.limit;
  const countsNone = statement.countAt !== null && page.rowCount === 0 && query.from === null;
  return {
    records: page.records,
    // A page that was reached from another page has that page as a neighbour.
    first: (isBackward ? hasMore : query.from !== null) ? (page.first ?? WHOLE_LIST) : null,
    last: isBackward || hasMore ? (page.last ?? WHOLE_LIST) : null,
    count: countsNone ? "0" : page.count,
    isCut: isCut && page.rowCount < query.limit,
  };
}

/**
 * `generated`: values for fields that the body doesn't name. No rule sees them as sent, and nobody needs the right to write
 * them. @returns the record as JSON text, or only its id if the caller can't read it. @throws Fault 403, 409, 422.
 */
export async function createRecord(
  request: Request,
  recordId: string,
  values: FieldValues,
  generated: ReadonlyMap<string, string> = none,
): Promise<string> {
  const statement = assembleCreate(request.release, request.entity, callerOf(request), values.keys());
  const bindings = { ...bind(request, recordId, values), generated };
  const rows = await repeated(() => run(request, "create", statement, bindings), obstacleOf(statement));
  if (rows[0] === undefined) throw refusedByRule("create");
  return written(request, statement, rows[0], "create");
}

/** @returns JSON text, or only the id if the caller can't read the record. @throws Fault 403, 404, 409, 422. */
export async function updateRecord(
  request: Request,
  recordId: string,
  values: FieldValues,
  isTouched = false,
): Promise<string> {
  const { release, entity } = request;
  const state = values.get(entityView(release, entity).entity.stateMachine?.field ?? "") ?? null;
  const statement = assembleUpdate(release, entity, callerOf(request), [...values.keys()], state, isTouched);
  return change(request, "update", statement, recordId, values);
}

/** @returns like an update. @throws Fault 403, 404, 409 (another state), 422 (a required field has no value). */
export async function takeTransition(
  request: Request,
  recordId: string,
  edge: string,
  values: FieldValues,
): Promise<string> {
  const given = [...values.keys()];
  const statement = assembleTransition(request.release, request.entity, callerOf(request), edge, given);
  return change(request, "update", statement, recordId, values);
}

/** @throws Fault 403, 404, 409 (not deleted, its place is taken, or it needs a deleted record). */
export async function restoreRecord(request: Request, recordId: string): Promise<string> {
  const statement = assembleRestore(request.release, request.entity, callerOf(request));
  const bindings = bind(request, recordId, nothing);
  for (let tries = 1; ; tries++) {
    const rows = await repeated(() => run(request, "restore", statement, bindings), isOverlooked);
    const [allowed, json, deleted, held, holders, tooLarge, matches] = rows[0] ?? missing();
    if (allowed !== "t") throw refusedByRule("restore");
    if (matches !== "t") throw staleVersion();
    if (deleted !== "t") throw new Fault("conflict", { detail: "The record is not deleted." });
    if (held === "t") throw heldByDeleted(holders ?? "");
    if (tooLarge === "t") throw new Fault("cascade_too_large");
    if (typeof json === "string") return json;
    // Others have restored the record and deleted it again since the statement began, which doesn't see that delete.
    if (tries >= TRIES_MAX) throw busy(undefined);
  }
}

/** @throws Fault 403, 404, 409. */
export async function deleteRecord(request: Request, recordId: string): Promise<void> {
  const statement = assembleDelete(request.release, request.entity, callerOf(request));
  const bindings = bind(request, recordId, nothing);
  if (!statement.cascades) {
    const rows = await repeated(() => run(request, "delete", statement, bindings), isBehind);
    const [deleted, matches, allowed] = rows[0] ?? missing();
    if (deleted === "t") return;
    throw allowed === "t" && matches !== "t" ? staleVersion() : refusedByRule("delete");
  }
  const row = (await repeated(() => run(request, "delete", statement, bindings), isOverlooked))[0] ?? missing();
  const [allowed, tooLarge, restricted, matches] = row;
  if (allowed !== "t") throw refusedByRule("delete");
  if (matches !== "t") throw staleVersion();
  if (tooLarge === "t") throw new Fault("cascade_too_large");
  if (restricted === "t") {
    throw new Fault("reference_restricted", { detail: "The record can't be deleted while others refer to it." });
  }
}

/** Locks records until the transaction ends: those that exist and refer to the parent. @returns their ids. */
export async function lockRecords(
  request: Request,
  operation: "update" | "delete",
  ids: readonly string[],
  parent: { readonly field: string; readonly recordId: string } | null = null,
): Promise<ReadonlySet<string>> {
  const { release, entity } = request;
  const statement = assembleLock(release, entity, callerOf(request), operation, parent?.field ?? null);
  const values = new Map([["id", arrayLiteral(ids)]]);
  if (parent !== null) values.set(parent.field, parent.recordId);
  const rows = await run(request, "update", statement, bind(request, null, values)).catch(heldUp);
  return new Set(rows.map(([id]) => id ?? ""));
}

async function change(
  request: Request,
  kind: StatementKind,
  statement: WriteStatement,
  recordId: string,
  values: FieldValues,
): Promise<string> {
  const bindings = bind(request, recordId, values);
  const current = statement.checks.findIndex((check) => check.kind === "current");
  for (let tries = 1; ; tries++) {
    const rows = await repeated(() => run(request, kind, statement, bindings), obstacleOf(statement)).catch((error) => {
      throw beyondRange(error, values.keys()) ?? error;
    });
    const row = rows[0] ?? missing();
    const overtaken = current !== -1 && row[current] !== "t";
    if (!overtaken) return written(request, statement, row, "update");
    if (tries >= TRIES_MAX) throw busy(undefined);
  }
}

function written(request: Request, statement: WriteStatement, row: TextRow, operation: "create" | "update"): string {
  const { checks } = statement;
  if (row[checks.length] === "t" && checks.every((_, i) => row[i] === "t")) return row[checks.length + 1] ?? lost();
  const view = entityView(request.release, request.entity);
  throw refusalOf(view, request.principal.roles, statement, row) ?? refusedByRule(operation);
}

async function run(
  request: Request,
  kind: StatementKind,
  statement: Statement,
  bindings: Bindings,
): Promise<readonly TextRow[]> {
  return (await runWhole(request, kind, statement, bindings)).rows;
}

interface Fetching {
  readonly bytesMax?: number;
  readonly asBytes?: boolean;
}

async function runWhole(
  request: Request,
  kind: StatementKind,
  statement: Statement,
  bindings: Bindings,
  fetching: Fetching = {},
): Promise<TenantRows> {
  const values = valuesOf(statement.slots, bindings);
  try {
    const { text, keep, writes, confirm, numbers = [] } = statement;
    const undo = request.isDryRun === true;
    const lane = undo ? "slow" : statement.lane;
    const lock = statement.lock && { ...statement.lock, values: valuesOf(statement.lock.slots, bindings) };
    const msMax = request.release.bundle.limits.statementMsMax;
    const admit = request.requireRoom;
    const more = { ...fetching, ...(admit && { admit }) };
    const around = { ...(confirm && { confirm }), ...(lock && { lock }), ...(undo && { undo }) };
    const { tenant } = request;
    const rows = await tenant.run({ text, values, lane, keep, writes, msMax, ...more, ...around, numbers });
    for (const counter of numbers) tenant.tried?.set(counter, (tenant.tried.get(counter) ?? 0) + 1);
    return rows;
  } catch (error) {
    if (error instanceof Overtaken) throw busy(error);
    const cause = error instanceof Fault ? error.cause : error;
    if (kind !== "read" && isLocked(cause)) throw busy(cause);
    if (isAlreadyKept(error)) throw new AlreadyKept(error);
    const waitsForOthers = statement.lock !== undefined || (statement.numbers ?? []).length > 0;
    throw faultOf(waitsForOthers ? turnMissed(error) : error, entityView(request.release, request.entity), kind);
  }
}

function valuesOf(slots: Statement["slots"], bindings: Bindings): readonly (string | null)[] {
  const values: (string | null)[] = new Array(slots.length);
  for (let i = 0; i < slots.length; i++) values[i] = slots[i]!(bindings);
  return values;
}

export function callerOf(request: Omit<Request, "ip" | "requestId">): StatementCaller {
  const { principal, organization, once = null, versions = null } = request;
  const isUndone = request.isDryRun === true || request.tenant.tried !== undefined;
  const isTried = isUndone && entityView(request.release, request.entity).stored.some(isNumbered);
  return {
    ...callerIn(principal, organization),
    ...(once !== null && { isOnce: true }),
    ...(versions !== null && { isConditional: true }),
    ...(isTried && { isTried: true }),
  };
}

function bind(request: Request, recordId: string | null, values: FieldValues): Bindings {
  const { principal, requestId, ip, organization, cause = null, once = null, versions = null } = request;
  const writing = { once, versions, recordId, values, tried: request.tenant.tried ?? null };
  return { principal, requestId, ip, organization, cause, ...writing, cursor: null, limit: null };
}

function missing(): never {
  throw new Fault("not_found");
}

function lost(): never {
  throw new Error("an allowed write has changed nothing");
}

function refusedByRule(operation: string): Fault {
  return new Fault("forbidden", { detail: `A rule does not allow you to ${operation} this record.` });
}
