// Stage 6: what the caller sends. In: path, query string, body. Out: one operation with checked, typed input, or a Fault.
// It never lets through what it doesn't know, and never turns one value into another.
import type { BundleField } from "@plinth/bundle";
import { Fault, type FieldError } from "@plinth/service";
import type { CursorCodec } from "../../query/cursor.ts";
import { type EntityView, entityView } from "../../query/entity-view.ts";
import type { ListQuery } from "../../query/list-query.ts";
import { userId } from "../../query/parameters.ts";
import { parseList } from "../../query/parse-list.ts";
import type { FieldValues } from "../../query/run.ts";
import { isUuid } from "../../query/uuid-v7.ts";
import type { ActiveRelease, Incoming, Principal } from "../contracts.ts";
import type { RouteMatch } from "../route-table.ts";
import { parseStrictJson } from "../strict-json.ts";
import { problemsOf } from "../validators.ts";

export type Call =
  | { readonly kind: "list"; readonly entity: string; readonly query: ListQuery }
  | { readonly kind: "read"; readonly entity: string; readonly recordId: string }
  | { readonly kind: "create"; readonly entity: string; readonly values: FieldValues }
  | { readonly kind: "update"; readonly entity: string; readonly recordId: string; readonly values: FieldValues }
  | { readonly kind: "delete"; readonly entity: string; readonly recordId: string };

/** @throws Fault 400, 403 (a field that only admins set), 404 (no UUID), 415, 422. */
export function decodeInput(
  release: ActiveRelease,
  route: RouteMatch,
  principal: Principal,
  incoming: Incoming,
  cursors: CursorCodec,
): Call {
  const view = entityView(release, route.entity);
  const { entity } = route;
  if (route.operation !== "list") refuseQuery(incoming);
  switch (route.operation) {
    case "list":
      refuseBody(incoming);
      return { kind: "list", entity, query: parseList(incoming.query, view, release.projectId, cursors) };
    case "read":
      refuseBody(incoming);
      return { kind: "read", entity, recordId: recordIdOf(route) };
    case "create":
      return { kind: "create", entity, values: decodeBody(release, view, "create", principal, incoming) };
    case "update": {
      const recordId = recordIdOf(route);
      return { kind: "update", entity, recordId, values: decodeBody(release, view, "update", principal, incoming) };
    }
    case "delete":
      refuseBody(incoming);
      return { kind: "delete", entity, recordId: recordIdOf(route) };
  }
}

/** What is no UUID names no record: the same answer as for a record that doesn't exist. */
function recordIdOf(route: RouteMatch): string {
  const id = route.recordId ?? "";
  if (!isUuid(id)) throw new Fault("not_found");
  return id.toLowerCase();
}

function refuseQuery(incoming: Incoming): void {
  if (incoming.query === "") return;
  const name = incoming.query.split(/[=&]/, 1)[0]!.slice(0, 64);
  throw new Fault("unknown_parameter", {
    detail: "This route takes no query parameters.",
    errors: [{ path: name, code: "unknown_parameter", message: "This route takes no query parameters." }],
  });
}

function refuseBody(incoming: Incoming): void {
  if (incoming.body !== null) throw new Fault("bad_request", { detail: "This route takes no body." });
}

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

function decodeBody(
  release: ActiveRelease,
  view: EntityView,
  operation: "create" | "update",
  principal: Principal,
  incoming: Incoming,
): FieldValues {
  const { body } = incoming;
  if (body === null) throw new Fault("malformed_json", { detail: "The request has no body." });
  const type = incoming.headers["content-type"] ?? "";
  if (type !== "application/json" && !jsonType.test(type)) {
    throw new Fault("unsupported_media_type", { detail: "Send the body as application/json in UTF-8." });
  }
  const given = parseStrictJson(body);
  const problems = problemsOf(release, view.entity.name, operation, given);
  if (problems.length > 0) throw new Fault("validation_failed", { errors: problems });
  const values = toFieldValues(view, given as Record<string, unknown>);
  requireAdmin(view, principal, values);
  if (operation === "create") requireUser(view, principal, values);
  return values;
}

function toFieldValues(view: EntityView, body: Readonly<Record<string, unknown>>): FieldValues {
  const values = new Map<string, string | null>();
  for (const name of Object.keys(body)) {
    const field = view.fields.get(name);
    // The schema knows fields alone; one that it wrongly lets through must not become a column.
    if (field === undefined || field.writer === "service") throw new Error(`the schema lets ${name} through`);
    values.set(name, toText(field, body[name]));
  }
  return values;
}

function toText(field: BundleField, value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return field.sqlType === "uuid" ? value.toLowerCase() : value;
    case "number":
    case "boolean":
      return String(value);
    default:
      if (value === null) return null;
      throw new Error(`the schema lets ${typeof value} through for ${field.name}`);
  }
}

/** Fields that the service fills with the current user: naming oneself is fine, naming another takes an admin. */
function requireAdmin(view: EntityView, principal: Principal, values: FieldValues): void {
  if (principal.roles.includes("admin")) return;
  const own = userId(principal);
  const others = view.entity.fields.filter(
    (field) => field.writer === "admin" && values.has(field.name) && values.get(field.name) !== own,
  );
  if (others.length === 0) return;
  throw new Fault("forbidden", {
    detail: `Only an admin may set ${others.map((field) => field.name).join(", ")} to another user.`,
    errors: others.map((field) => ({
      path: `/${field.name}`,
      code: "admin_only",
      message: "Only an admin may set it.",
    })),
  });
}

/** Where nobody is signed in, the service has no user to fill in. */
function requireUser(view: EntityView, principal: Principal, values: FieldValues): void {
  if (userId(principal) !== null) return;
  const errors: FieldError[] = view.entity.fields
    .filter((field) => field.writer === "admin" && !field.optional && (values.get(field.name) ?? null) === null)
    .map((field) => ({ path: `/${field.name}`, code: "required", message: "No user is signed in: name one." }));
  if (errors.length > 0) throw new Fault("validation_failed", { errors });
}
