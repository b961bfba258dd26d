// The title of a change without one. In: its diff. Out: one line. Pure.
import type { Change } from "@plinth/blueprint";

export const TITLE_MAX = 120;

/** @param changes In any order of gravity. */
export function titleOf(changes: readonly Change[], isFirst: boolean): string {
  if (isFirst) return "First version";
  // Added and removed things are more important than their consequences.
  const [first, ...others] = changes.toSorted((a, b) => weight(a) - weight(b));
  if (first === undefined) return "Change the text only";
  // A summary can explain the change in further sentences. They don't fit into a title.
  const summary = first.summary.replaceAll("`", "").replace(/\.(\s.*)?$/s, "");
  const rest =
    others.length === 0 ? "" : others.length === 1 ? " and one more change" : ` and ${others.length} more changes`;
  return shortened(summary, TITLE_MAX - rest.length) + rest;
}

const telling = ["entity_added", "entity_removed", "entity_renamed", "field_added", "field_removed", "field_renamed"];

function weight({ kind }: Change): number {
  const at = telling.indexOf(kind);
  return at === -1 ? telling.length : at;
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;
}
