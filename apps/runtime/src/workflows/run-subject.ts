// Which record a run is about. In: what it is walked with, and the record that it has found. Out: the record's entity and id.
import type { JsonValue } from "@plinth/bundle";
import { type JsonRecord, type Subject, subjectOf } from "../events/event.ts";
import type { Interpreting } from "./interpreting.ts";

/** The record that the run looked for, else that of its event; null where it is about none. */
export function subjectOfRun(
  { lookup, claimed }: Pick<Interpreting, "lookup" | "claimed">,
  found: JsonValue | undefined,
): Subject | null {
  const id = (found as JsonRecord | null | undefined)?.["id"];
  if (lookup !== null && typeof id === "string") return { entity: lookup.entity, id };
  return claimed.event === null ? null : subjectOf(claimed.event);
}
