// Collects events. In: the section `events`, and everything that emits events itself. Out: the declared events, and the
// names of all events.
import type { ValueShape } from "@plinth/expression";
import { expectMap, expectText, mapEntries, type Reader, refuseKey } from "../declarations/expect.ts";
import type { DeclaredEvent } from "../model/background.ts";
import { moduleEvents } from "../modules/modules.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapNode, type Node, type Word, wordOf } from "../text/syntax.ts";
import type { BackgroundContext, Connection } from "./context.ts";
import { readPayload } from "./payload.ts";
import { fieldsShape, json, objectOf } from "./work-scope.ts";

const eventShape = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*\.[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const EVENTS_MAX = 500;

export function isEventName(name: string): boolean {
  return eventShape.test(name) && name.length <= 120;
}

/** Events of entities and modules: name > entity; null if a module's event carries no record. */
export function entityEvents({
  entities,
  modules,
}: Pick<BackgroundContext, "entities" | "modules">): ReadonlyMap<string, string | null> {
  const events = new Map<string, string | null>(
    [...moduleEvents(modules).values()].map(({ name, entity }) => [name, entity]),
  );
  for (const { entity } of entities.values()) {
    for (const verb of ["created", "updated", "deleted", ...(entity.softDelete ? ["restored"] : [])])
      events.set(`${entity.name}.${verb}`, entity.name);
    for (const edge of entity.stateMachine?.edges ?? []) events.set(edge.emit, entity.name);
  }
  return events;
}

/** Names of declared events, as written. */
export function declaredEvents(events: Node | undefined): readonly string[] {
  return events?.kind === "map" ? events.entries.map((entry) => entry.key.text) : [];
}

/** Names of the events that inbound webhooks emit, as written. */
export function mappedEvents(webhooks: Node | undefined): readonly string[] {
  const sources = webhooks?.kind === "map" ? entryOf(webhooks, "in")?.value : undefined;
  return (sources?.kind === "map" ? sources.entries : []).flatMap(({ value }) => {
    const types = value.kind === "map" ? entryOf(value, "events")?.value : undefined;
    return types?.kind === "map"
      ? types.entries.flatMap((one) => (one.value.kind === "scalar" ? [one.value.text] : []))
      : [];
  });
}

type EventContext = Pick<BackgroundContext, "reader" | "entities" | "modules">;

export function readEvents(context: EventContext, node: Node): readonly DeclaredEvent[] {
  const { reader } = context;
  const own = entityEvents(context);
  const entries = mapEntries(reader, node, "`events`");
  const over = entries[EVENTS_MAX];
  if (over !== undefined)
    reader.report.add("too_many", over.key.range, `A blueprint can have at most ${EVENTS_MAX} events.`);
  return entries.map((entry) => {
    const { text, range } = entry.key;
    if (!isEventName(text)) refuseEventName(reader, wordOf(entry.key));
    const entity = own.get(text);
    if (entity !== undefined && moduleEvents(context.modules).get(text)?.yields !== true)
      reader.report.add(
        "event_exists",
        range,
        `${entity === null ? "A module" : `\`${entity}\``} already emits \`${text}\`.`,
        "Remove it here: this event needs no declaration.",
      );
    const isEmpty = entry.value.kind === "scalar" && entry.value.value === null;
    const map = isEmpty ? null : expectMap(reader, entry.value, `The event \`${text}\``);
    return { name: text, ...(map === null ? { payload: [], help: null } : readEvent(context, map)) };
  });
}

function readEvent(context: EventContext, map: MapNode): Omit<DeclaredEvent, "name"> {
  const { reader } = context;
  let payload: DeclaredEvent["payload"] = [];
  let help: string | null = null;
  for (const option of map.entries) {
    if (option.key.text === "payload") payload = readPayload(context, option.value, "`payload`");
    else if (option.key.text === "help") help = expectText(reader, option.value, "`help`")?.text ?? null;
    else refuseKey(reader, option, "an event", ["payload", "help"], []);
  }
  return { payload, help };
}

/** The shape of `event.data` for this event. */
export function dataShape(name: string, { events, payloads, modules }: BackgroundContext): ValueShape {
  const payload = payloads.get(name) ?? moduleEvents(modules).get(name)?.data;
  if (payload !== undefined) return fieldsShape(payload);
  // An entity's own event carries only its record. The data of an inbound webhook is unknown.
  return (events.get(name) ?? null) === null ? json : objectOf({});
}

/**
 * The record of a declared event: its name starts with the entity's name, and it always carries the record's id in a
 * field named after the entity (`shipment.label_created` with `shipment_id`). Null if there is none.
 */
export function subjectOf(
  name: string,
  { entities, payloads }: Pick<BackgroundContext, "entities" | "payloads">,
): { readonly entity: string; readonly field: string } | null {
  const entity = name.split(".")[0] ?? "";
  const field = payloads.get(name)?.find((one) => one.name === `${entity}_id`);
  if (field === undefined || field.optional || !entities.has(entity)) return null;
  const isId = field.type.kind === "uuid" || (field.type.kind === "ref" && field.type.entity === entity);
  return isId ? { entity, field: field.name } : null;
}

export function refuseEventName({ report }: Reader, { text, range }: Word): void {
  report.add(
    "invalid_event_name",
    range,
    `\`${text.slice(0, 120)}\` is not a valid name for an event.`,
    "Use a noun and a verb in the past tense: `shipment.label_created`.",
  );
}

/** Whether something emits this event. Reports a problem if not. */
export function checkEvent(word: Word, { reader, events, connections }: BackgroundContext): boolean {
  if (!isEventName(word.text)) {
    refuseEventName(reader, word);
    return false;
  }
  if (events.has(word.text) || isIntegrationEvent(word.text, connections)) return true;
  reader.report.add(
    "unknown_event",
    word.range,
    `Nothing emits \`${word.text}\`.`,
    suggestFor(word.text, events.keys(), reader.report) ?? "Declare it under `events`.",
  );
  return false;
}

/** Integrations emit events with the name of their kind (`payment.succeeded`), or with their own name. */
function isIntegrationEvent(name: string, connections: readonly Connection[]): boolean {
  const noun = name.split(".")[0];
  return connections.some((one) => one.kind === noun || one.provider === noun || one.name === noun);
}
