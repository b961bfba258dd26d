// Reads an event from its row. In: the row as JSON. Out: the event.
import type { JsonValue } from "@plinth/bundle";
import type { ProjectEvent } from "./event.ts";
import { parseExactly } from "./exact-json.ts";

type Row = Readonly<Record<string, JsonValue>>;

/** In events from other services, the numbers in `data` keep all their digits. */
export function eventFromText(text: string): ProjectEvent {
  const row = JSON.parse(text) as Row;
  return storedEvent(wasSent(row) ? (parseExactly(text) as Row) : row);
}

/** Whether another service sent the event's data. */
export function wasSent({ actor_kind: kind, actor_id: actor }: Row): boolean {
  return kind === "service" && typeof actor === "string" && actor.startsWith("webhook ");
}

export function storedEvent(event: Row): ProjectEvent {
  return {
    id: event["id"] as string,
    seq: String(event["seq"]),
    name: event["name"] as string,
    at: event["at"] as string,
    entity: textOrNull(event["entity"]),
    recordId: textOrNull(event["record_id"]),
    organization: textOrNull(event["organization_id"]),
    actorKind: textOrNull(event["actor_kind"]),
    actorId: textOrNull(event["actor_id"]),
    requestId: textOrNull(event["request_id"]),
    cause: (event["cause"] ?? null) as ProjectEvent["cause"],
    record: (event["record"] ?? null) as ProjectEvent["record"],
    old: (event["old"] ?? null) as ProjectEvent["old"],
    data: event["data"] ?? null,
  };
}

export function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}
