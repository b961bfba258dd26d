// Reads the query string of a list. In: the text behind `?`. Out: a ListQuery, or a Fault that names the parameter.
// It never ignores what it doesn't know: a misspelt filter would answer with everybody's rows.
import type { BundleField } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { CursorCodec } from "./cursor.ts";
import type { EntityView } from "./entity-view.ts";
import { type ListQuery, listName, type SortKey } from "./list-query.ts";
import { didYouMean } from "./suggest.ts";
import { isUuid } from "./uuid-v7.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const SORT_KEYS_MAX = 3;
const FILTERS_MAX = 10;
const PARAMETERS_MAX = 50;
const reserved = ["limit", "cursor", "sort"] as const;

/** @throws Fault `bad_request`, `unknown_parameter`, `invalid_cursor`. */
export function parseList(text: string, view: EntityView, projectId: string, cursors: CursorCodec): ListQuery {
  if (text === "") return { limit: LIMIT_DEFAULT, sort: newestFirst(view), filters: new Map(), after: null };
  const parameters = parseQueryString(text);
  const filters = new Map<string, string>();
  for (const name of [...parameters.keys()].sort()) {
    if ((reserved as readonly string[]).includes(name)) continue;
    filters.set(name, parseFilter(filterField(name, view), parameters.get(name) ?? "", view));
  }
  if (filters.size > FILTERS_MAX) throw bad("", "too_many", `At most ${FILTERS_MAX} filters may be given.`);
  const sort = parseSort(parameters.get("sort"), view);
  const cursor = parameters.get("cursor");
  const after =
    cursor === undefined ? null : cursors.open(cursor, listName(projectId, view.entity.name, sort, filters));
  if (cursor !== undefined && after === null) {
    throw new Fault("invalid_cursor", { detail: "Send the cursor with the same filter and sort that it came with." });
  }
  return { limit: parseLimit(parameters.get("limit")), sort, filters, after };
}

/** Name > value, decoded. @throws Fault `bad_request` where it is malformed or names something twice. */
export function parseQueryString(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const part of text.split("&", PARAMETERS_MAX + 1)) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (parameters.has(name)) throw bad(name, "repeated", "The parameter is given more than once.");
    parameters.set(name, equals === -1 ? "" : decode(part.slice(equals + 1)));
  }
  if (parameters.size > PARAMETERS_MAX) throw bad("", "too_many", `At most ${PARAMETERS_MAX} parameters may be given.`);
  return parameters;
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new Fault("bad_request", { detail: "The query string is not valid percent-encoded UTF-8." });
  }
  if (decoded.includes("\0")) throw new Fault("bad_request", { detail: "The query string holds a NUL character." });
  return decoded;
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return LIMIT_DEFAULT;
  const limit = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw bad("limit", "out_of_range", `The limit is a whole number from 1 to ${LIMIT_MAX}.`);
}

function parseSort(text: string | undefined, view: EntityView): readonly SortKey[] {
  if (text === undefined) return newestFirst(view);
  const keys = text.split(",", SORT_KEYS_MAX + 2).map((part) => {
    const descending = part.startsWith("-");
    const name = descending ? part.slice(1) : part;
    const field = view.fields.get(name);
    if (field?.filterable === true) return { field, descending };
    const hint = didYouMean(name, filterable(view));
    throw bad("sort", "unknown_field", `There is no field "${name.slice(0, 64)}" to sort by.${hint}`);
  });
  if (keys.length > SORT_KEYS_MAX) throw bad("sort", "too_many", `At most ${SORT_KEYS_MAX} fields may be sorted by.`);
  const names = new Set(keys.map((key) => key.field.name));
  if (names.size !== keys.length) throw bad("sort", "repeated", "A field is named more than once.");
  // The id breaks ties in the direction of what stands before it, so that one index can serve both.
  return names.has("id") ? keys : [...keys, { field: idOf(view), descending: keys.at(-1)?.descending ?? true }];
}

/** Ids grow with time, so the primary key alone gives the newest first. */
function newestFirst(view: EntityView): readonly SortKey[] {
  return [{ field: idOf(view), descending: true }];
}

function idOf(view: EntityView): BundleField {
  const id = view.fields.get("id");
  if (id === undefined) throw new Error(`${view.entity.name} has no id`);
  return id;
}

function filterField(name: string, view: EntityView): BundleField {
  const field = view.fields.get(name);
  if (field?.filterable === true) return field;
  const shown = name.slice(0, 64);
  const hint = didYouMean(name, [...reserved, ...filterable(view)]);
  throw new Fault("unknown_parameter", {
    detail: `The parameter "${shown}" is unknown.${hint}`,
    errors: [{ path: shown, code: "unknown_parameter", message: `It is no field of ${view.entity.name}.${hint}` }],
  });
}

function* filterable(view: EntityView): Iterable<string> {
  for (const field of view.entity.fields) if (field.filterable) yield field.name;
}

const dateTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** Checks the value's form, so that Postgres can read it; no coercion beyond the text of a URL. */
function parseFilter(field: BundleField, text: string, view: EntityView): string {
  switch (field.sqlType) {
    case "uuid":
      if (isUuid(text)) return text.toLowerCase();
      throw bad(field.name, "invalid_format", "It must be a UUID.");
    case "integer":
      if (/^-?[0-9]{1,10}$/.test(text) && Math.abs(Number(text)) <= 2 ** 31 - 1) return text;
      throw bad(field.name, "invalid_format", "It must be a whole number of 32 bits.");
    case "boolean":
      if (text === "true" || text === "false") return text;
      throw bad(field.name, "invalid_format", "It must be true or false.");
    case "timestamptz":
      if (dateTime.test(text) && !Number.isNaN(Date.parse(text))) return text;
      throw bad(field.name, "invalid_format", "It must be a time of RFC 3339.");
    default: {
      const allowed = choicesOf(field, view);
      if (allowed === null || allowed.includes(text)) return text;
      throw bad(field.name, "not_allowed", `It must be one of ${allowed.join(", ")}.${didYouMean(text, allowed)}`);
    }
  }
}

function choicesOf(field: BundleField, view: EntityView): readonly string[] | null {
  const check = view.table?.checks.find((each) => each.column === field.column && each.rule.kind === "one_of");
  return check?.rule.kind === "one_of" ? check.rule.values : null;
}

function bad(parameter: string, code: string, message: string): Fault {
  const path = parameter.slice(0, 64);
  return new Fault("bad_request", {
    detail: path === "" ? message : `${path}: ${message}`,
    errors: [{ path, code, message }],
  });
}
