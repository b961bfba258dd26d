// An event as it is stored, and as workflows see it.
import type { JsonValue } from "@plinth/bundle";

/** The run that made the event's write, and the number of runs that led to it. */
export interface Cause {
  /** Both are absent if the write was made by an action that its caller waits for: such an action has no stored run. */
  readonly run?: string;
  readonly depth?: number;
  /** The first cause, if the event itself names another one: the service, or nobody. */
  readonly origin?: Origin;
  /** The record for an event that carries none: that of the run which emitted it. */
  readonly subject?: Subject;
}

/** A record, with the name of its entity. */
export interface Subject {
  readonly entity: string;
  readonly id: string;
}

/** The cause, as `actor_kind` and `actor_id` name it. */
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
  /** The data of a declared event. */
  readonly data: JsonValue;
}

export type JsonRecord = Readonly<Record<string, JsonValue>>;

/**
 * A step's request to send the event of its run to endpoints. Its data has the event's id and the run's subject. No
 * blueprint can declare this name.
 */
export const EMITTED = "_webhook.emitted";

/** The record in the event, else the record that the event is about; null if there is none. */
export function subjectOf({ entity, recordId, cause }: ProjectEvent): Subject | null {
  return entity !== null && recordId !== null ? { entity, id: recordId } : (cause?.subject ?? null);
}
