// In: the section `events`, and all that emits events by itself. Out: the declared events, and every event's name.
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

/** What entities and modules emit: name > entity; null where a module's event carries no record. */
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

/** Names of declared events, as they stand. */
export function declaredEvents(events: Node | undefined): readonly string[] {
  return events?.kind === "map" ? events.entries.map((entry) => entry.key.text) : [];
}

/** Names of the events that inbound webhooks are mapped to, as they stand. */
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
    if (entity !== undefined)
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

/** What `event.data` is where this event comes. */
export function dataShape(name: string, { events, payloads, modules }: BackgroundContext): ValueShape {
  const payload = payloads.get(name) ?? moduleEvents(modules).get(name)?.data;
  if (payload !== undefined) return fieldsShape(payload);
  // An entity's own event carries its record and nothing else; what comes from elsewhere is as it is there.
  return (events.get(name) ?? null) === null ? json : objectOf({});
}

/**
 * The record that a declared event is about: its name begins with the entity's, and it always carries the record's id in
 * a field named after the entity (`shipment.label_created` with `shipment_id`). Null where there is none.
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

/** Whether something emits this event; says so where nothing does. */
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

/** Integrations emit events in the name of what they are for (`payment.succeeded`), or in their own. */
function isIntegrationEvent(name: string, connections: readonly Connection[]): boolean {
  const noun = name.split(".")[0];
  return connections.some((one) => one.kind === noun || one.provider === noun || one.name === noun);
}
