// Runs one operation as one statement. In: the tenant, the release, who asks and for what. Out: JSON text, or a Fault.
// It never runs a second statement to find out what the first one meant.
import { Fault } from "@plinth/service";
import type { ActiveRelease, Principal, Tenant, TextRow } from "../http/contracts.ts";
import { assembleCreate, assembleDelete, assembleList, assembleRead, assembleUpdate } from "./assemble.ts";
import type { CursorCodec } from "./cursor.ts";
import { faultOf, unknownReference } from "./database-faults.ts";
import { type EntityView, entityView } from "./entity-view.ts";
import { type ListQuery, listName } from "./list-query.ts";
import type { Bindings } from "./parameters.ts";
import type { Statement, WriteStatement } from "./statements.ts";

export interface Request {
  readonly tenant: Tenant;
  readonly release: ActiveRelease;
  readonly entity: string;
  readonly principal: Principal;
  readonly requestId: string;
}

/** Field > value in Postgres's text form; what the caller didn't send is absent. */
export type FieldValues = ReadonlyMap<string, string | null>;

const nothing: FieldValues = new Map();

/** @returns the record as JSON text. @throws Fault `not_found`. */
export async function readRecord(request: Request, recordId: string): Promise<string> {
  const statement = assembleRead(request.release, request.entity, request.principal.roles);
  const rows = await run(request, "read", statement, bind(request, recordId, nothing));
  return rows[0]?.[0] ?? missing();
}

/** @returns `{"data":[...],"page":{...}}`. */
export async function listRecords(request: Request, query: ListQuery, cursors: CursorCodec): Promise<string> {
  const statement = assembleList(request.release, request.entity, request.principal.roles, query);
  const bindings = { ...bind(request, null, query.filters), cursor: query.after };
  const rows = await run(request, "read", statement, bindings);
  const hasMore = rows.length > query.limit;
  const { fields } = entityView(request.release, request.entity).entity;
  const shown = Math.min(rows.length, query.limit);
  let data = "";
  for (let i = 0; i < shown; i++) data += `${i === 0 ? "" : ","}${rowJson(fields, rows[i]!)}`;
  const last = hasMore ? rows[shown - 1]!.slice(fields.length) : null;
  const list = listName(request.release.projectId, request.entity, query.sort, query.filters);
  const next = last === null ? "null" : `"${cursors.seal(last, list)}"`;
  return `{"data":[${data}],"page":{"next_cursor":${next},"has_more":${hasMore}}}`;
}

/** @returns the record as JSON text, or its id alone where the caller may not read it. @throws Fault 403, 409, 422. */
export async function createRecord(request: Request, recordId: string, values: FieldValues): Promise<string> {
  const statement = assembleCreate(request.release, request.entity, request.principal.roles, values.keys());
  const rows = await run(request, "create", statement, bind(request, recordId, values));
  if (rows[0] === undefined) throw refusedByRule("create");
  return outcome(statement, rows[0], "create");
}

/** @returns the record as JSON text, or its id alone where the caller may not read it. @throws Fault 403, 404, 409, 422. */
export async function updateRecord(request: Request, recordId: string, values: FieldValues): Promise<string> {
  const given = [...values.keys()];
  const statement = assembleUpdate(request.release, request.entity, request.principal.roles, given);
  const rows = await run(request, "update", statement, bind(request, recordId, values));
  return rows[0] === undefined ? missing() : outcome(statement, rows[0], "update");
}

/** @throws Fault 403, 404, 409. */
export async function deleteRecord(request: Request, recordId: string): Promise<void> {
  const statement = assembleDelete(request.release, request.entity, request.principal.roles);
  const rows = await run(request, "delete", statement, bind(request, recordId, nothing));
  const deleted = rows[0]?.[0] ?? missing();
  if (deleted !== "t") throw refusedByRule("delete");
}

function outcome(statement: WriteStatement, row: TextRow | undefined, operation: "create" | "update"): string {
  if (row === undefined) throw new Error("a write told nothing of its outcome");
  const unknown = statement.references.filter((_, i) => row[i] !== "t");
  if (unknown.length > 0) {
    throw new Fault("validation_failed", { errors: unknown.map((field) => unknownReference(field.name)) });
  }
  if (row[statement.references.length] !== "t") throw refusedByRule(operation);
  const json = row[statement.references.length + 1];
  if (typeof json !== "string") throw new Error("an allowed write has changed nothing");
  return json;
}

async function run(
  request: Request,
  operation: "read" | "create" | "update" | "delete",
  statement: Statement,
  bindings: Bindings,
): Promise<readonly TextRow[]> {
  const { slots } = statement;
  const values: (string | null)[] = new Array(slots.length);
  for (let i = 0; i < slots.length; i++) values[i] = slots[i]!(bindings);
  try {
    const { text, lane, keep } = statement;
    return (await request.tenant.run({ text, values, lane, keep, writes: operation !== "read" })).rows;
  } catch (error) {
    throw faultOf(error, entityView(request.release, request.entity), operation);
  }
}

function bind(request: Request, recordId: string | null, values: FieldValues): Bindings {
  return { principal: request.principal, requestId: request.requestId, recordId, values, cursor: null };
}

/** JSON from column text: a third of what Postgres takes for building the same list. */
function rowJson(fields: EntityView["entity"]["fields"], row: TextRow): string {
  let json = "{";
  for (let i = 0; i < fields.length; i++) {
    const { name, wire } = fields[i]!;
    const value = row[i]!;
    json += `${i === 0 ? "" : ","}"${name}":`;
    json += value === null ? "null" : wire === "raw" ? value : JSON.stringify(value);
  }
  return `${json}}`;
}

function missing(): never {
  throw new Fault("not_found");
}

function refusedByRule(operation: string): Fault {
  return new Fault("forbidden", { detail: `A rule does not allow you to ${operation} this record.` });
}
