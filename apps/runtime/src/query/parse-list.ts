// Reads the query string of a list. In: the text behind `?`. Out: a ListQuery, or a Fault that names the parameter.
// It never ignores what it doesn't know: a misspelt filter would answer with everybody's rows.
import type { BundleField } from "@plinth/bundle";
import { Fault, isUuid } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Principal } from "../project/principal.ts";
import type { CursorCodec } from "./cursor.ts";
import type { EntityView } from "./entity-view.ts";
import { type ListQuery, listName, type SortKey } from "./list-query.ts";
import { pageBound, readabilityOf } from "./readable-fields.ts";
import { didYouMean } from "./suggest.ts";

const LIMIT_DEFAULT = 20;
const SORT_KEYS_MAX = 3;
const FILTERS_MAX = 10;
const PARAMETERS_MAX = 50;
const reserved = ["limit", "cursor", "sort"] as const;
/** Of the project's operators alone. No field's name begins like this, so it stands in no filter's way. */
const DELETED = "_deleted";

export interface ListContext {
  readonly release: ActiveRelease;
  readonly principal: Principal | Pick<Principal, "roles">;
  readonly cursors: CursorCodec;
}

/** @throws Fault `bad_request`, `unknown_parameter`, `invalid_cursor`, `forbidden` (a field that the caller can't read). */
export function parseList(text: string, view: EntityView, { release, principal, cursors }: ListContext): ListQuery {
  const { roles } = principal;
  const { projectId } = release;
  const bound = pageBound(view, roles, release.bundle.limits.pageMax);
  const limitDefault = Math.min(LIMIT_DEFAULT, bound);
  if (text === "")
    return { limit: limitDefault, sort: newestFirst(view), filters: new Map(), deleted: false, after: null };
  const parameters = parseQueryString(text);
  const deleted = asksForDeleted(parameters.get(DELETED), view, principal);
  const filters = parseFilters(parameters, view, roles, deleted ? [...reserved, DELETED] : reserved);
  const sort = parseSort(parameters.get("sort"), view, roles);
  const cursor = parameters.get("cursor");
  const after =
    cursor === undefined
      ? null
      : cursors.open(cursor, listName(projectId, view.entity.name, { sort, filters, deleted }));
  if (cursor !== undefined && after === null) {
    throw new Fault("invalid_cursor", { detail: "Send the cursor with the same filter and sort that it came with." });
  }
  return { limit: parseLimit(parameters.get("limit"), limitDefault, bound), sort, filters, deleted, after };
}

/**
 * The filters among the parameters, by field name, sorted.
 * @param others What else may be given. @throws Fault `bad_request`, `unknown_parameter`, `forbidden`.
 */
export function parseFilters(
  parameters: ReadonlyMap<string, string>,
  view: EntityView,
  roles: readonly string[],
  others: readonly string[],
): ReadonlyMap<string, string> {
  const filters = new Map<string, string>();
  for (const name of [...parameters.keys()].sort()) {
    if (others.includes(name)) continue;
    const field = filterField(name, view, roles, others);
    filters.set(name, parseFilter(field, parameters.get(name) ?? "", view));
  }
  if (filters.size > FILTERS_MAX) throw bad("", "too_many", `At most ${FILTERS_MAX} filters may be given.`);
  return filters;
}

/** False to everybody else: the parameter then is as unknown as any other that is no field. */
function asksForDeleted(text: string | undefined, view: EntityView, principal: ListContext["principal"]): boolean {
  if (text === undefined || view.entity.softDelete === null) return false;
  if (!("kind" in principal) || principal.kind !== "operator" || principal.readOnly) return false;
  if (text === "only") return true;
  throw bad(DELETED, "not_allowed", "It is `only`, or isn't given.");
}

/**
 * Name > value, decoded. The text is read to its end: it is no longer than a request line may be, and a filter that was left
 * out would show records that nobody asked for.
 * @throws Fault `bad_request` where it is malformed, names something twice, or names too much.
 */
export function parseQueryString(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const parts = text.split("&").filter((part) => part !== "");
  if (parts.length > PARAMETERS_MAX) throw bad("", "too_many", `At most ${PARAMETERS_MAX} parameters may be given.`);
  for (const part of parts) {
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (parameters.has(name)) throw bad(name, "repeated", "The parameter is given more than once.");
    parameters.set(name, equals === -1 ? "" : decode(part.slice(equals + 1)));
  }
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

function parseLimit(text: string | undefined, usual: number, bound: number): number {
  if (text === undefined) return usual;
  const limit = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= bound) return limit;
  throw bad("limit", "out_of_range", `The limit is a whole number from 1 to ${bound}.`);
}

function parseSort(text: string | undefined, view: EntityView, roles: readonly string[]): readonly SortKey[] {
  if (text === undefined) return newestFirst(view);
  const keys = text.split(",", SORT_KEYS_MAX + 2).map((part) => {
    const descending = part.startsWith("-");
    const name = descending ? part.slice(1) : part;
    const field = view.fields.get(name);
    if (field !== undefined && isFilterable(field)) {
      // In an order by what is hidden in some records, their places would tell it.
      if (readabilityOf(view, field, roles) === "always") return { field, descending };
      throw unreadable("sort", name, "sort by");
    }
    const hint = didYouMean(name, filterable(view, roles));
    throw bad("sort", "unknown_field", `There is no field "${name.slice(0, 64)}" to sort by.${hint}`);
  });
  if (keys.length > SORT_KEYS_MAX) throw bad("sort", "too_many", `At most ${SORT_KEYS_MAX} fields may be sorted by.`);
  const names = new Set(keys.map((key) => key.field.name));
  if (names.size !== keys.length) throw bad("sort", "repeated", "A field is named more than once.");
  // The id breaks ties in the direction of what stands before it, so that one index can serve both.
  return names.has("id") ? keys : [...keys, { field: idOf(view), descending: keys.at(-1)?.descending ?? true }];
}

/** Ids grow with time, so the primary key alone gives the newest first. */
/** In the order of the indexes that the compiler makes for lists: by the id alone, a filter would be looked for row by row. */
function newestFirst(view: EntityView): readonly SortKey[] {
  const createdAt = view.stored.find((field) => field.name === "created_at" && !field.optional);
  const keys = createdAt === undefined ? [idOf(view)] : [createdAt, idOf(view)];
  return keys.map((field) => ({ field, descending: true }));
}

function idOf(view: EntityView): BundleField {
  const id = view.fields.get("id");
  if (id === undefined) throw new Error(`${view.entity.name} has no id`);
  return id;
}

function filterField(name: string, view: EntityView, roles: readonly string[], others: readonly string[]): BundleField {
  const field = view.fields.get(name);
  if (field !== undefined && isFilterable(field)) {
    if (readabilityOf(view, field, roles) !== "never") return field;
    throw unreadable(name, name, "filter by");
  }
  const shown = name.slice(0, 64);
  if (field !== undefined && !field.hidden) {
    throw new Fault("unknown_parameter", {
      detail: `Records can't be filtered by "${shown}".`,
      errors: [
        { path: shown, code: "unknown_parameter", message: "Records can't be filtered by a field of its type." },
      ],
    });
  }
  const hint = didYouMean(name, [...others.filter((other) => other !== DELETED), ...filterable(view, roles)]);
  throw new Fault("unknown_parameter", {
    detail: `The parameter "${shown}" is unknown.${hint}`,
    errors: [{ path: shown, code: "unknown_parameter", message: `It is no field of ${view.entity.name}.${hint}` }],
  });
}

/** An internal field is to callers as if it weren't there. */
export function isFilterable(field: BundleField): boolean {
  return field.filterable && field.column !== null && !field.hidden && !field.secret;
}

function* filterable(view: EntityView, roles: readonly string[]): Iterable<string> {
  for (const field of view.shown) {
    if (isFilterable(field) && readabilityOf(view, field, roles) !== "never") yield field.name;
  }
}

function unreadable(parameter: string, field: string, verb: string): Fault {
  const message = `Your role does not allow you to ${verb} ${field}.`;
  return new Fault("forbidden", { detail: message, errors: [{ path: parameter, code: "not_readable", message }] });
}

interface Form {
  readonly pattern: RegExp;
  readonly message: string;
  readonly fits?: (text: string) => boolean;
}

const number = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/;
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));
const days = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** By type: how a value is written in a URL, so that Postgres can read it; no coercion beyond that. */
const forms: Readonly<Record<string, Form>> = {
  uuid: { pattern: /^/, fits: isUuid, message: "It must be a UUID." },
  integer: {
    pattern: /^-?[0-9]{1,10}$/,
    fits: (text) => Math.abs(Number(text)) <= 2 ** 31 - 1,
    message: "It must be a whole number of 32 bits.",
  },
  bigint: {
    pattern: /^-?[0-9]{1,19}$/,
    fits: (text) => BigInt.asIntN(64, BigInt(text)) === BigInt(text),
    message: "It must be a whole number of 64 bits.",
  },
  numeric: { pattern: number, fits: (text) => text.length <= 100, message: "It must be a decimal number." },
  "double precision": {
    pattern: /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$/,
    fits: (text) => text.length <= 100 && Number.isFinite(Number(text)),
    message: "It must be a number.",
  },
  boolean: { pattern: /^(true|false)$/, message: "It must be true or false." },
  date: {
    pattern: days,
    fits: (text) => isTime(`${text}T00:00:00Z`) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text),
    message: "It must be a date: 2024-12-31.",
  },
  time: {
    pattern: /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/,
    message: "It must be a time of day: 23:59:59.",
  },
  timestamptz: {
    pattern: /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/,
    fits: isTime,
    message: "It must be a time of RFC 3339: 2024-12-31T23:59:59Z.",
  },
  interval: {
    pattern: /^P(?=[0-9T])(\d{1,9}W)?(\d{1,9}D)?(T(?=[0-9])(\d{1,9}H)?(\d{1,9}M)?(\d{1,9}(\.\d{1,6})?S)?)?$/,
    message: "It must be a duration of ISO 8601 without years and months: P1DT12H.",
  },
};

/** How a value of the type is written, for whom has written it otherwise; null where the type says nothing of it. */
export function formOf({ sqlType, wire }: BundleField): string | null {
  if (wire !== "string") return null;
  return digitsOf(sqlType) ?? forms[sqlType.replace(/\(.*\)/, "")]?.message ?? null;
}

/** How many digits an exact number may have; null for another type. */
function digitsOf(sqlType: string): string | null {
  const [, precision, scale] = (/^numeric\((\d+),(\d+)\)$/.exec(sqlType) ?? []).map(Number);
  if (precision === undefined || scale === undefined) return null;
  const [before, places] = [precision - scale, scale === 0 ? "" : ` and ${scale} after it`];
  return `It must be a decimal number with at most ${before} digits before the point${places}: ${(1).toFixed(scale)}.`;
}

function parseFilter(field: BundleField, text: string, view: EntityView): string {
  const form = forms[field.sqlType.replace(/\(.*\)/, "")];
  if (form !== undefined) {
    if (form.pattern.test(text) && form.fits?.(text) !== false)
      return field.sqlType === "uuid" ? text.toLowerCase() : text;
    throw bad(field.name, "invalid_format", form.message);
  }
  const allowed = choicesOf(field, view);
  if (allowed === null || allowed.includes(text)) return text;
  throw bad(field.name, "not_allowed", `It must be one of ${allowed.join(", ")}.${didYouMean(text, allowed)}`);
}

function choicesOf(field: BundleField, view: EntityView): readonly string[] | null {
  const check = view.table?.checks.find(
    (each) => each.columns.length === 1 && each.columns[0] === field.column && each.rule.kind === "one_of",
  );
  return check?.rule.kind === "one_of" ? check.rule.values : null;
}

function bad(parameter: string, code: string, message: string): Fault {
  const path = parameter.slice(0, 64);
  return new Fault("bad_request", {
    detail: path === "" ? message : `${path}: ${message}`,
    errors: [{ path, code, message }],
  });
}
