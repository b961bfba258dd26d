// The part of an event that conditions and templates can read. In: an event. Out: their evaluation context.
import type { EvaluationContext, Value } from "@plinth/expression";
import type { ProjectEvent } from "./event.ts";

/** `record` as in the event, `old` with the previous values of what changed, and the event itself. */
export function eventContext(event: ProjectEvent): EvaluationContext {
  return {
    rows: { record: { values: event.record ?? {} }, old: { values: { ...event.record, ...event.old } } },
    user: { id: event.actorKind === "user" ? event.actorId : null, email: null, roles: [] },
    organization: event.organization,
    now: event.at,
    values: { event: eventValue(event) },
  };
}

/** `event.*`, with the names that authors use. */
export function eventValue(event: ProjectEvent): Value {
  const value: Value = {
    id: event.id,
    name: event.name,
    at: event.at,
    entity: event.entity,
    record_id: event.recordId,
    organization_id: event.organization,
    actor: { kind: event.actorKind, id: event.actorId },
    request_id: event.requestId,
    data: event.data as Value,
  };
  // Only by its name: if a template contains the whole event, it contains no record with its internal fields.
  return Object.defineProperty(value, "record", { value: event.record });
}
