// Finds the record of a run. In: the run's definition, and the record that it has looked up. Out: the record's entity
// and id.
import type { JsonValue } from "@plinth/bundle";
import { type JsonRecord, type Subject, subjectOf } from "../events/event.ts";
import type { Interpreting } from "./interpreting.ts";

/** The record that the run has looked up, else that of its event; null if there is none. */
export function subjectOfRun(
  { lookup, claimed }: Pick<Interpreting, "lookup" | "claimed">,
  found: JsonValue | undefined,
): Subject | null {
  const id = (found as JsonRecord | null | undefined)?.["id"];
  if (lookup !== null && typeof id === "string") return { entity: lookup.entity, id };
  return claimed.event === null ? null : subjectOf(claimed.event);
}
