// Full text: `q=`, over the searchable fields of an entity. In: words as people type them. Out: a condition and a rank over the row `_r`.
// The last word may be the beginning of one. A record with a searchable field that the caller can't read there isn't found at all.
import type { Index } from "@plinth/bundle";
import type { Asker, EntityView } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import { readabilityOf } from "../readable-fields.ts";
import { shownIn } from "./reach.ts";
import { bad, unreadable } from "./refusals.ts";

const CHARS_MAX = 500;

/** @throws Fault 400, 403. */
export function parseSearch(text: string | undefined, view: EntityView, roles: readonly string[]): string | null {
  if (text === undefined) return null;
  const fields = searchable(view);
  if (fields.length === 0 || textIndex(view) === undefined) {
    throw bad(
      "q",
      "not_searchable",
      `Nothing of ${view.entity.plural} is searchable: add \`searchable\` to a text field.`,
    );
  }
  const hidden = fields.find((field) => readabilityOf(view, field, roles) === "never");
  if (hidden !== undefined) throw unreadable("q", hidden.name, "search in");
  if (text.trim() === "") throw bad("q", "required", "Say what to look for.");
  if (text.length <= CHARS_MAX) return text;
  throw bad("q", "too_long", `It may have at most ${CHARS_MAX} characters.`);
}

export function searchConditions(view: EntityView, asker: Asker, parameters: Parameters): readonly string[] {
  const shown = view.narrowed ? searchable(view).flatMap((field) => shownIn(view, asker, field, "_r", parameters)) : [];
  return [`${documentOf(view)} @@ ${queryOf(parameters)}`, ...shown];
}

export function searchRank(view: EntityView, parameters: Parameters): string {
  return `ts_rank(${documentOf(view)}, ${queryOf(parameters)})`;
}

function searchable(view: EntityView): EntityView["stored"] {
  return view.stored.filter((field) => field.searchable);
}

function textIndex({ table }: EntityView): Index | undefined {
  return table?.indexes.find(({ method }) => method === "gin");
}

/** Word for word what the index is over. */
function documentOf(view: EntityView): string {
  const [key] = textIndex(view)?.keys ?? [];
  if (key === undefined) throw new Error(`${view.entity.name} has no index of its texts`);
  return key;
}

/** A negated phrase ends with a parenthesis, behind which no mark of a beginning can stand. */
function queryOf(parameters: Parameters): string {
  const words = `websearch_to_tsquery('simple', ${parameters.search()})::text`;
  return `(select case when right(_q._t, 1) = '''' then (_q._t || ${parameters.searchEnd()})::tsquery else _q._t::tsquery end from (select ${words} as _t) _q)`;
}
