// Stage 8: reads the input of the caller. In: path, query string, checked body. Out: one operation with checked, typed
// input, or a Fault. It refuses everything that it doesn't know, and never converts a value silently.
import type { BundleView } from "@plinth/bundle";
import { Fault, isUuid } from "@plinth/service";
import type { CursorCodec } from "../../query/cursor.ts";
import { entityView } from "../../query/entity-view.ts";
import { type AggregateQuery, parseAggregate } from "../../query/reading/aggregate-query.ts";
import type { Filter } from "../../query/reading/filter.ts";
import type { ListQuery } from "../../query/reading/list-query.ts";
import { parseKey } from "../../query/reading/parse-key.ts";
import { parseList, parseReading } from "../../query/reading/parse-list.ts";
import type { Selection } from "../../query/reading/selection.ts";
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
import { notAnId } from "../not-an-id.ts";
import type { RouteMatch } from "../route-table.ts";

export type Call =
  | { readonly kind: "list"; readonly entity: string; readonly query: ListQuery }
  | { readonly kind: "aggregate"; readonly entity: string; readonly query: AggregateQuery }
  | { readonly kind: "read"; readonly entity: string; readonly recordId: string; readonly selection: Selection }
  | { readonly kind: "find"; readonly entity: string; readonly key: Filter; readonly selection: Selection }
  | {
      readonly kind: "create";
      readonly entity: string;
      readonly recordId: string;
      readonly values: FieldValues;
      /** Values that the service generates for fields that the body doesn't name. */
      readonly generated: ReadonlyMap<string, string>;
    }
  | {
      readonly kind: "update";
      readonly entity: string;
      readonly recordId: string;
      readonly values: FieldValues;
      /** The record gets a new version, even if no value changes. */
      readonly isTouched?: true;
    }
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

/** The view that a list reads; null for the list of all records. */
function listed({ release }: DecodeContext, { entity, view }: RouteMatch): BundleView | null {
  if (view === null) return null;
  return release.bundle.views?.find((one) => one.name === view && one.entity === entity) ?? null;
}

/** @throws Fault 400, 403 (a field that the caller can't write), 404 (not a UUID), 422. */
export function decodeInput(
  context: DecodeContext,
  route: RouteMatch,
  incoming: Incoming,
  body: CheckedBody | null,
): Call {
  const { entity } = route;
  switch (route.operation) {
    case "list": {
      refuseBody(incoming);
      const view = entityView(context.release, entity);
      return { kind: "list", entity, query: parseList(incoming.query, view, context, listed(context, route)) };
    }
    case "aggregate": {
      refuseBody(incoming);
      const view = entityView(context.release, entity);
      return { kind: "aggregate", entity, query: parseAggregate(incoming.query, view, context) };
    }
    case "read": {
      refuseBody(incoming);
      const view = entityView(context.release, entity);
      const selection = parseReading(incoming.query, view, context);
      if (route.key !== null)
        return { kind: "find", entity, key: parseKey(route.key, view, context.principal.roles), selection };
      return { kind: "read", entity, recordId: recordIdOf(route), selection };
    }
    case "create": {
      const recordId = context.newRecordId();
      return { kind: "create", entity, recordId, ...decodeCreate(context, entity, recordId, body) };
    }
    case "update": {
      const recordId = recordIdOf(route);
      return { kind: "update", entity, recordId, values: decodeUpdate(context, entity, recordId, body) };
    }
    case "upsert":
      throw new Error("an upsert is read by upsert.ts");
    case "update_many":
    case "delete_many":
      throw new Error("several records are read by read-many.ts");
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

/** A text that isn't a UUID names no record. */
function recordIdOf(route: RouteMatch): string {
  const id = route.recordId ?? "";
  if (isUuid(id)) return id.toLowerCase();
  throw notAnId(id);
}

function refuseBody(incoming: Incoming): void {
  if (incoming.body !== null) throw new Fault("bad_request", { detail: "This route takes no body." });
}
