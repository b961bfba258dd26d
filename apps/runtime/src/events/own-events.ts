// Events that Plinth emits about the project's own work. In: the live release, and the event. Out: SQL that emits it if
// somebody listens. A project's own event with the same name takes its place, and is not emitted here.
import type { BundleBackground } from "@plinth/bundle";

/** Their names. */
export type OwnEvent = "run.failed" | "run.needs_attention" | "delivery.failed";

/** Whether the name means Plinth's own event in this release. */
export function isOwnEvent({ events }: Pick<BundleBackground, "events">, name: string): boolean {
  return events.some((event) => event.name === name && event.isOwn === true);
}
