// Stage 8: what the caller sends. In: path, query string, checked body. Out: one operation with checked, typed input, or a Fault.
// It never lets through what it doesn't know, and never turns one value into another.
import { Fault, isUuid } from "@plinth/service";
import type { CursorCodec } from "../../query/cursor.ts";
import { entityView } from "../../query/entity-view.ts";
import type { ListQuery } from "../../query/list-query.ts";
import { parseList } from "../../query/parse-list.ts";
import type { FieldValues } from "../../query/run.ts";
import type { CheckedBody } from "../../records/check-body.ts";
import {
  type BodyContext,
  decodeCreate,
  decodeTransition,
  decodeUpdate,
  requireNoFields,
} from "../../records/decode-body.ts";
import type { Incoming } from "../contracts.ts";
import type { RouteMatch } from "../route-table.ts";

export type Call =
  | { readonly kind: "list"; readonly entity: string; readonly query: ListQuery }
  | { readonly kind: "read"; readonly entity: string; readonly recordId: string }
  | {
      readonly kind: "create";
      readonly entity: string;
      readonly recordId: string;
      readonly values: FieldValues;
      /** What the service makes for fields that the body doesn't name. */
      readonly made: ReadonlyMap<string, string>;
    }
  | { readonly kind: "update"; readonly entity: string; readonly recordId: string; readonly values: FieldValues }
  | { readonly kind: "delete"; readonly entity: string; readonly recordId: string }
  | { readonly kind: "restore"; readonly entity: string; readonly recordId: string }
  | {
      readonly kind: "transition";
      readonly entity: string;
      readonly recordId: string;
      readonly edge: string;
      readonly values: FieldValues;
    };

export interface DecodeContext extends BodyContext {
  readonly cursors: CursorCodec;
  readonly newRecordId: () => string;
}

/** @throws Fault 400, 403 (a field that the caller may not write), 404 (no UUID), 422. */
export function decodeInput(
  context: DecodeContext,
  route: RouteMatch,
  incoming: Incoming,
  body: CheckedBody | null,
): Call {
  const { entity } = route;
  if (route.operation !== "list") refuseQuery(incoming);
  switch (route.operation) {
    case "list": {
      refuseBody(incoming);
      const view = entityView(context.release, entity);
      return { kind: "list", entity, query: parseList(incoming.query, view, context) };
    }
    case "read":
      refuseBody(incoming);
      return { kind: "read", entity, recordId: recordIdOf(route) };
    case "create": {
      const recordId = context.newRecordId();
      return { kind: "create", entity, recordId, ...decodeCreate(context, entity, recordId, body) };
    }
    case "update": {
      const recordId = recordIdOf(route);
      return { kind: "update", entity, recordId, values: decodeUpdate(context, entity, recordId, body) };
    }
    case "delete":
      refuseBody(incoming);
      return { kind: "delete", entity, recordId: recordIdOf(route) };
    case "restore":
      requireNoFields(body);
      return { kind: "restore", entity, recordId: recordIdOf(route) };
    case "transition": {
      const recordId = recordIdOf(route);
      const edge = route.edge ?? "";
      const values = decodeTransition(context, entity, edge, recordId, body);
      return { kind: "transition", entity, recordId, edge, values };
    }
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
