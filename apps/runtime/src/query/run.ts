// Runs one operation as one statement. In: the tenant, the release, who asks and for what. Out: JSON text, or a Fault.
// It never runs a second statement to find out what the first one meant; it repeats one that another request overtook.
import { isForeignKeyViolation, isRetryable, Overtaken } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Principal } from "../project/principal.ts";
import type { Tenant, TenantRows, TextRow } from "../project/tenant.ts";
import {
  assembleCreate,
  assembleDelete,
  assembleList,
  assembleRead,
  assembleRestore,
  assembleTransition,
  assembleUpdate,
} from "./assemble.ts";
import type { CursorCodec } from "./cursor.ts";
import { faultOf, type StatementKind } from "./database-faults.ts";
import { type Asker, askerIn, entityView } from "./entity-view.ts";
import { type ListQuery, listName } from "./list-query.ts";
import type { Member } from "./list-statement.ts";
import type { Bindings } from "./parameters.ts";
import type { Statement, WriteStatement } from "./statement.ts";
import { heldByDeleted, refusalOf } from "./write-refusal.ts";

export interface Request {
  readonly tenant: Tenant;
  readonly release: ActiveRelease;
  readonly entity: string;
  readonly principal: Principal;
  readonly organization: string | null;
  readonly ip: string;
  readonly requestId: string;
  /** What made it, as JSON, where a step did; null where its caller says all of it. */
  readonly cause?: string | null;
  /** Of a caller who reads the reply. @throws Fault where no more large replies may be made for the project now. */
  readonly requireRoom?: () => void;
}

/** Field > value in Postgres's text form; what the caller didn't send is absent. */
export type FieldValues = ReadonlyMap<string, string | null>;

const nothing: FieldValues = new Map();
const none: ReadonlyMap<string, string> = new Map();
/** A page ends behind so many characters, however many records were asked for; the next one begins there. */
const REPLY_BYTES_MAX = 1_048_576;
/** Of the records that a step looks for: it sees all of them, or fails. */
const FOUND_BYTES_MAX = 8 * REPLY_BYTES_MAX;
/** Times that a statement is run when others keep overtaking it. */
const TRIES_MAX = 4;

/** @returns the record as JSON text. @throws Fault `not_found`. */
export async function readRecord(request: Request, recordId: string): Promise<string> {
  const statement = assembleRead(request.release, request.entity, askerOf(request));
  const rows = await run(request, "read", statement, bind(request, recordId, nothing));
  return rows[0]?.[0] ?? missing();
}

/** @returns `{"data":[...],"page":{...}}`. */
export async function listRecords(request: Request, query: ListQuery, cursors: CursorCodec): Promise<string> {
  const { data, last } = await readPage(request, query, REPLY_BYTES_MAX);
  const list = listName(request.release.projectId, request.entity, query);
  const next = last === null ? "null" : `"${cursors.seal(last, list)}"`;
  return `{"data":${data},"page":{"next_cursor":${next},"has_more":${last !== null}}}`;
}

/** The records alone, as a JSON list. @throws Fault `conflict` where they are too large together. */
export async function listRows(request: Request, query: ListQuery): Promise<string> {
  const { data, isCut } = await readPage(request, query, FOUND_BYTES_MAX);
  if (isCut) throw new Fault("conflict", { detail: "The records that were looked for are too large together." });
  return data;
}

/** `last`: where the next page begins; null where there is none. */
async function readPage(
  request: Request,
  query: ListQuery,
  bytesMax: number,
): Promise<{ readonly data: string; readonly last: TextRow | null; readonly isCut: boolean }> {
  const statement = assembleList(request.release, request.entity, askerOf(request), query);
  const bindings = { ...bind(request, null, query.filters), cursor: query.after, limit: query.limit };
  const { rows, cut } = await runWhole(request, "read", statement, bindings, bytesMax);
  const hasMore = cut === true || rows.length > query.limit;
  const { members, keysAt } = statement;
  const shown = Math.min(rows.length, query.limit);
  let data = "";
  for (let i = 0; i < shown; i++) data += `${i === 0 ? "" : ","}${rowJson(members, rows[i]!)}`;
  return {
    data: `[${data}]`,
    last: hasMore ? rows[shown - 1]!.slice(keysAt) : null,
    isCut: cut === true && rows.length < query.limit,
  };
}

/**
 * `made`: values for fields that the body doesn't name: no rule sees them as sent, and nobody needs the right to write them.
 * @returns the record as JSON text, or its id alone where the caller may not read it. @throws Fault 403, 409, 422.
 */
export async function createRecord(
  request: Request,
  recordId: string,
  values: FieldValues,
  made: ReadonlyMap<string, string> = none,
): Promise<string> {
  const statement = assembleCreate(request.release, request.entity, askerOf(request), values.keys());
  const attempt = statement.lock === undefined ? run : repeated;
  const rows = await attempt(request, "create", statement, { ...bind(request, recordId, values), made });
  if (rows[0] === undefined) throw refusedByRule("create");
  return written(request, statement, rows[0], "create");
}

/** @returns the record as JSON text, or its id alone where the caller may not read it. @throws Fault 403, 404, 409, 422. */
export async function updateRecord(request: Request, recordId: string, values: FieldValues): Promise<string> {
  const { release, entity } = request;
  const state = values.get(entityView(release, entity).entity.stateMachine?.field ?? "") ?? null;
  const statement = assembleUpdate(release, entity, askerOf(request), [...values.keys()], state);
  return change(request, "update", statement, recordId, values);
}

/** @returns as an update. @throws Fault 403, 404, 409 (another state), 422 (what the edge requires has no value). */
export async function takeTransition(
  request: Request,
  recordId: string,
  edge: string,
  values: FieldValues,
): Promise<string> {
  const given = [...values.keys()];
  const statement = assembleTransition(request.release, request.entity, askerOf(request), edge, given);
  return change(request, "update", statement, recordId, values);
}

/** @throws Fault 403, 404, 409 (not deleted, its place is taken, or a record that it needs is deleted). */
export async function restoreRecord(request: Request, recordId: string): Promise<string> {
  const statement = assembleRestore(request.release, request.entity, askerOf(request));
  const rows = await repeated(request, "restore", statement, bind(request, recordId, nothing));
  const [allowed, json, deleted, held, holders, tooLarge] = rows[0] ?? missing();
  if (allowed !== "t") throw refusedByRule("restore");
  if (deleted !== "t") throw new Fault("conflict", { detail: "The record is not deleted." });
  if (held === "t") throw heldByDeleted(holders ?? "");
  if (tooLarge === "t") throw new Fault("cascade_too_large");
  return json ?? lost();
}

/** @throws Fault 403, 404, 409. */
export async function deleteRecord(request: Request, recordId: string): Promise<void> {
  const statement = assembleDelete(request.release, request.entity, askerOf(request));
  const bindings = bind(request, recordId, nothing);
  if (!statement.cascades) {
    const rows = await run(request, "delete", statement, bindings);
    const deleted = rows[0]?.[0] ?? missing();
    if (deleted !== "t") throw refusedByRule("delete");
    return;
  }
  const [allowed, tooLarge, restricted] = (await repeated(request, "delete", statement, bindings))[0] ?? missing();
  if (allowed !== "t") throw refusedByRule("delete");
  if (tooLarge === "t") throw new Fault("cascade_too_large");
  if (restricted === "t") {
    throw new Fault("reference_restricted", { detail: "The record can't be deleted while others refer to it." });
  }
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
    const attempt = statement.lock === undefined ? run : repeated;
    const row = (await attempt(request, kind, statement, bindings))[0] ?? missing();
    const overtaken = current !== -1 && row[current] !== "t";
    if (!overtaken) return written(request, statement, row, "update");
    if (tries >= TRIES_MAX) throw busy(undefined);
  }
}

/** A row that came to refer to what is being deleted after the statement began is found by its next run. */
async function repeated(
  request: Request,
  kind: StatementKind,
  statement: Statement,
  bindings: Bindings,
): Promise<readonly TextRow[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await run(request, kind, statement, bindings);
    } catch (error) {
      const cause = error instanceof Fault ? error.cause : error;
      const overtaken = cause instanceof Overtaken;
      if (!overtaken && !isForeignKeyViolation(cause) && !isRetryable(cause)) throw error;
      if (tries >= TRIES_MAX) throw overtaken ? busy(cause) : error;
    }
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

async function runWhole(
  request: Request,
  kind: StatementKind,
  statement: Statement,
  bindings: Bindings,
  bytesMax?: number,
): Promise<TenantRows> {
  const values = valuesOf(statement.slots, bindings);
  try {
    const { text, lane, keep, writes, confirm } = statement;
    const lock = statement.lock && { ...statement.lock, values: valuesOf(statement.lock.slots, bindings) };
    const msMax = request.release.bundle.limits.statementMsMax;
    const admit = request.requireRoom;
    const more = { ...(bytesMax !== undefined && { bytesMax }), ...(admit && { admit }) };
    const around = { ...(confirm && { confirm }), ...(lock && { lock }) };
    return await request.tenant.run({ text, values, lane, keep, writes, msMax, ...more, ...around });
  } catch (error) {
    if (error instanceof Overtaken) throw busy(error);
    throw faultOf(error, entityView(request.release, request.entity), kind);
  }
}

function valuesOf(slots: Statement["slots"], bindings: Bindings): readonly (string | null)[] {
  const values: (string | null)[] = new Array(slots.length);
  for (let i = 0; i < slots.length; i++) values[i] = slots[i]!(bindings);
  return values;
}

export function askerOf({ principal, organization }: Pick<Request, "principal" | "organization">): Asker {
  return askerIn(principal, organization);
}

function bind(request: Request, recordId: string | null, values: FieldValues): Bindings {
  const { principal, requestId, ip, organization, cause = null } = request;
  return { principal, requestId, ip, organization, cause, recordId, values, cursor: null, limit: null };
}

/** JSON from column text: a third of what Postgres takes for building the same list. */
function rowJson(members: readonly Member[], row: TextRow): string {
  let json = "";
  for (let i = 0; i < members.length; i++) {
    const { name, wire, flag } = members[i]!;
    if (flag !== null && row[flag] !== "t") continue;
    const value = row[i]!;
    json += `${json === "" ? "" : ","}"${name}":`;
    json += value === null ? "null" : wire === "raw" ? value : JSON.stringify(value);
  }
  return `{${json}}`;
}

function missing(): never {
  throw new Fault("not_found");
}

function lost(): never {
  throw new Error("an allowed write has changed nothing");
}

function busy(cause: unknown): Fault {
  return new Fault("unavailable", {
    detail: "Other requests keep changing the same records; try again.",
    headers: { "retry-after": "1" },
    cause,
  });
}

function refusedByRule(operation: string): Fault {
  return new Fault("forbidden", { detail: `A rule does not allow you to ${operation} this record.` });
}
