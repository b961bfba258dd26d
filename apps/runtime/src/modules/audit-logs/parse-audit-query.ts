// Reads the query string of the audit log. In: the text behind `?`. Out: an AuditQuery, or a Fault that names the parameter.
// It never ignores what it doesn't know, and never knows which names a project has: the log outlives what it tells of.
import { Fault } from "@plinth/service";
import type { CursorCodec } from "../../query/cursor.ts";
import { parseQueryString } from "../../query/parse-list.ts";
import { didYouMean } from "../../query/suggest.ts";
import { isUuid } from "@plinth/service";

/** Sorted, as the parameters of the statement are. */
export const auditFilters = ["actor_id", "entity", "operation", "record_id", "request_id"] as const;
export type AuditFilter = (typeof auditFilters)[number];

export interface AuditQuery {
  readonly limit: number;
  /** By name, in the order of `auditFilters`. */
  readonly filters: ReadonlyMap<AuditFilter, string>;
  /** The id of the last entry of the page before. */
  readonly before: string | null;
}

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const known: readonly string[] = [...auditFilters, "cursor", "limit"];

/** @throws Fault `bad_request`, `unknown_parameter`, `invalid_cursor`. */
export function parseAuditQuery(text: string, projectId: string, cursors: CursorCodec): AuditQuery {
  const parameters = parseQueryString(text);
  for (const name of parameters.keys()) if (!known.includes(name)) throw unknown(name);
  const filters = new Map<AuditFilter, string>();
  for (const name of auditFilters) {
    const value = parameters.get(name);
    if (value !== undefined) filters.set(name, name === "record_id" ? recordId(value) : value);
  }
  const limit = parseLimit(parameters.get("limit"));
  const cursor = parameters.get("cursor");
  if (cursor === undefined) return { limit, filters, before: null };
  const before = cursors.open(cursor, auditListName(projectId, filters))?.[0];
  if (before == null) {
    throw new Fault("invalid_cursor", { detail: "Send the cursor with the same filters that it came with." });
  }
  return { limit, filters, before };
}

/** Equal for equal questions of one project alone, and of no entity: none is called that. */
export function auditListName(projectId: string, filters: AuditQuery["filters"]): string {
  return JSON.stringify([projectId, "audit-log", [...filters]]);
}

function recordId(value: string): string {
  if (isUuid(value)) return value.toLowerCase();
  throw bad("record_id", "invalid_format", "It must be a UUID.");
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return LIMIT_DEFAULT;
  const limit = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw bad("limit", "out_of_range", `The limit is a whole number from 1 to ${LIMIT_MAX}.`);
}

function unknown(name: string): Fault {
  const path = name.slice(0, 64);
  const message = `There is no parameter "${path}".${didYouMean(name, known)}`;
  return new Fault("unknown_parameter", {
    detail: message,
    errors: [{ path, code: "unknown_parameter", message }],
  });
}

function bad(path: string, code: string, message: string): Fault {
  return new Fault("bad_request", { detail: `${path}: ${message}`, errors: [{ path, code, message }] });
}
