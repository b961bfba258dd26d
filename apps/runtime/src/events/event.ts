// An event as it is kept and as workflows see it.
import type { JsonValue } from "@plinth/bundle";

/** What made the write that an event tells of: a run, and how many runs stand behind it. */
export interface Cause {
  /** Both are absent where an action that its caller waits for made it: no run is kept of that. */
  readonly run?: string;
  readonly depth?: number;
  /** Who stands at the beginning, where the event itself names another one: the service, or nobody. */
  readonly origin?: Origin;
  /** The record that an event is about which carries none: that of the run which emitted it. */
  readonly subject?: Subject;
}

/** A record, by its entity's name. */
export interface Subject {
  readonly entity: string;
  readonly id: string;
}

/** Who has caused something, as `actor_kind` and `actor_id` name them. */
export interface Origin {
  readonly kind: string;
  readonly id: string;
}

export interface ProjectEvent {
  /** UUID. */
  readonly id: string;
  /** The order in which the events of one record were committed. */
  readonly seq: string;
  readonly name: string;
  /** RFC 3339. */
  readonly at: string;
  readonly entity: string | null;
  readonly recordId: string | null;
  readonly organization: string | null;
  readonly actorKind: string | null;
  readonly actorId: string | null;
  readonly requestId: string | null;
  readonly cause: Cause | null;
  readonly record: JsonRecord | null;
  /** The previous values of what changed. */
  readonly old: JsonRecord | null;
  /** What a declared event carries. */
  readonly data: JsonValue;
}

export type JsonRecord = Readonly<Record<string, JsonValue>>;

/**
 * A step's wish that the event of its run be sent to endpoints; its data has the event's id, and the run's subject. No blueprint's
 * event is called so.
 */
export const EMITTED = "_webhook.emitted";

/** The record that an event carries, else the one that it is about; null where it is about none. */
export function subjectOf({ entity, recordId, cause }: ProjectEvent): Subject | null {
  return entity !== null && recordId !== null ? { entity, id: recordId } : (cause?.subject ?? null);
}
