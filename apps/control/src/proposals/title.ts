// The title of a change without one. In: its diff. Out: one line. Pure.
import type { Change, ChangeClass } from "@plinth/blueprint";

export const TITLE_MAX = 120;

/** @param changes In any order of gravity. */
export function titleOf(changes: readonly Change[], isFirst: boolean): string {
  if (isFirst) return "First version";
  // What loses data, gives access or lets data out comes first: a list of titles must not hide it. Then added and removed things, and
  // their consequences last.
  const [first, ...others] = changes.toSorted((a, b) => risk(a) - risk(b) || weight(a) - weight(b));
  if (first === undefined) return "Change the text only";
  // A summary can explain the change in further sentences. They don't fit into a title.
  const summary = first.summary.replaceAll("`", "").replace(/\.(\s.*)?$/s, "");
  const rest =
    others.length === 0 ? "" : others.length === 1 ? " and one more change" : ` and ${others.length} more changes`;
  return shortened(summary, TITLE_MAX - rest.length) + rest;
}

const telling = ["entity_added", "entity_removed", "entity_renamed", "field_added", "field_removed", "field_renamed"];

const risks: readonly ChangeClass[] = ["destructive", "loosens_access", "widens_egress"];

function risk({ classes }: Change): number {
  const at = risks.findIndex((each) => classes.includes(each));
  return at === -1 ? risks.length : at;
}

function weight({ kind }: Change): number {
  const at = telling.indexOf(kind);
  return at === -1 ? telling.length : at;
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;
}
