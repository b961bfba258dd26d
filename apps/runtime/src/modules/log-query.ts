// Reads the query string of a log: equality filters, a limit, a cursor. In: the text after `?`, and the allowed
// parameters. Out: a LogQuery, or a Fault that names the parameter. It never ignores an unknown parameter.
import type { LogFilters } from "@plinth/bundle";
import { Fault, isUuid } from "@plinth/service";
import type { CursorCodec } from "../query/cursor.ts";
import { parseQueryString } from "../query/reading/query-string.ts";
import { didYouMean } from "../query/suggest.ts";

export interface LogShape {
  /** No other list of the project has this name. */
  readonly name: string;
  /** The route's filters; null if it has none. */
  readonly filters: LogFilters | null;
  /** The default number of entries on a page. Default: 20. */
  readonly limit?: number;
}

export interface LogQuery {
  readonly limit: number;
  /** By name, sorted. */
  readonly filters: ReadonlyMap<string, string>;
  /** The key of the last entry on the previous page. */
  readonly before: string | null;
}

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** @throws Fault `bad_request`, `unknown_parameter`, `invalid_cursor`. */
export function parseLogQuery(text: string, shape: LogShape, projectId: string, cursors: CursorCodec): LogQuery {
  const parameters = parseQueryString(text);
  const kinds = Object.entries(shape.filters ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const known = [...kinds.map(([name]) => name), "cursor", "limit"];
  for (const name of parameters.keys()) if (!known.includes(name)) throw unknown(name, known);
  const filters = new Map<string, string>();
  for (const [name, kind] of kinds) {
    const value = parameters.get(name);
    if (value !== undefined) filters.set(name, readValue(name, value, kind));
  }
  const limit = parseLimit(parameters.get("limit"), shape.limit ?? LIMIT_DEFAULT);
  const cursor = parameters.get("cursor");
  if (cursor === undefined) return { limit, filters, before: null };
  const before = cursors.open(cursor, logName(shape.name, projectId, filters))?.[0];
  if (before == null) {
    throw new Fault("invalid_cursor", {
      detail: "Send the cursor with the same filters as in the request that returned it.",
    });
  }
  return { limit, filters, before };
}

/**
 * Equal for equal queries of the same project, and different from every entity's list, because no entity has such a
 * name.
 */
export function logName(name: string, projectId: string, filters: LogQuery["filters"]): string {
  return JSON.stringify([projectId, name, [...filters]]);
}

function readValue(name: string, value: string, kind: LogFilters[string]): string {
  if (kind === "text") return value;
  if (kind === "uuid") {
    if (isUuid(value)) return value.toLowerCase();
    throw bad(name, "invalid_format", "It must be a UUID.");
  }
  if (kind.includes(value)) return value;
  throw bad(name, "not_allowed", `It must be one of ${kind.join(", ")}.`);
}

function parseLimit(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const limit = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw bad("limit", "out_of_range", `The limit must be a whole number from 1 to ${LIMIT_MAX}.`);
}

function unknown(name: string, known: readonly string[]): Fault {
  const path = name.slice(0, 64);
  const message = `There is no parameter "${path}".${didYouMean(name, known)}`;
  return new Fault("unknown_parameter", { detail: message, errors: [{ path, code: "unknown_parameter", message }] });
}

function bad(path: string, code: string, message: string): Fault {
  return new Fault("bad_request", { detail: `${path}: ${message}`, errors: [{ path, code, message }] });
}
