// What a model holds of background work: checked declarations of events, workers, workflows, schedules, actions, webhooks
// and integrations. Types alone.
import type { JsonValue } from "./json-value.ts";

/** Each list is sorted by name. */
export interface Background {
  readonly events: readonly BackgroundPart[];
  readonly workers: readonly BackgroundPart[];
  readonly workflows: readonly BackgroundPart[];
  readonly schedules: readonly BackgroundPart[];
  readonly actions: readonly BackgroundPart[];
  readonly inboundWebhooks: readonly BackgroundPart[];
  readonly outboundWebhooks: BackgroundPart | null;
  readonly integrations: readonly BackgroundPart[];
}

export interface BackgroundPart {
  readonly name: string;
  /** The declaration in its canonical form: long keys, sorted. */
  readonly declaration: JsonValue;
  /** What leaves the project when it runs: `webhook`, `email`, `http`, `model`; with the entity whose records go. */
  readonly egress: readonly { readonly to: string; readonly entity: string | null }[];
}
