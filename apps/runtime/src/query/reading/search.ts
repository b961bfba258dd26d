// Full text: `q=`, over the searchable fields of an entity. In: words as people type them. Out: a condition and a rank over the row `_r`.
// The last word may be the beginning of one; where the blueprint says `fuzzy`, plain words find similar ones, too, behind all that have
// the words themselves. A record with a searchable field that the caller can't read there isn't found at all.
import { type BundleSearch, EXTENSIONS_SCHEMA, foldedText } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import type { Asker, EntityView } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import { readabilityOf } from "../readable-fields.ts";
import { shownIn } from "./reach.ts";
import { bad, unreadable } from "./refusals.ts";

/** What is looked for in texts. */
export interface TextSearch {
  readonly text: string;
  /** Similar words are found as well. */
  readonly isFuzzy: boolean;
}

const CHARS_MAX = 500;

/** @throws Fault 400, 403. */
export function parseSearch(text: string | undefined, view: EntityView, roles: readonly string[]): TextSearch | null {
  if (text === undefined) return null;
  const fields = searchable(view);
  if (fields.length === 0 || view.entity.search === undefined) {
    throw bad(
      "q",
      "not_searchable",
      `Nothing of ${view.entity.plural} is searchable: add \`searchable\` to a text field.`,
    );
  }
  const hidden = fields.find((field) => readabilityOf(view, field, roles) === "never");
  if (hidden !== undefined) throw unreadable("q", hidden.name, "search in");
  if (text.trim() === "") throw bad("q", "required", "Say what to look for.");
  if (text.length <= CHARS_MAX) return { text, isFuzzy: isFuzzy(view, text) };
  throw bad("q", "too_long", `It may have at most ${CHARS_MAX} characters.`);
}

export function searchConditions(
  view: EntityView,
  { isFuzzy }: TextSearch,
  asker: Asker,
  parameters: Parameters,
): readonly string[] {
  const shown = view.narrowed ? searchable(view).flatMap((field) => shownIn(view, asker, field, "_r", parameters)) : [];
  const matches = matchOf(view, parameters);
  const similar = isFuzzy ? ` or ${similarTo(view, parameters)}` : "";
  return [`(${matches}${similar})`, ...shown];
}

export function searchRank(view: EntityView, isFuzzy: boolean, parameters: Parameters): string {
  const rank = `ts_rank(${searchOf(view).words}, ${queryOf(view, parameters)})`;
  if (!isFuzzy) return rank;
  const likeness = `1::real - (${plainWords(parameters)} ${operator("<<->")} ${searchOf(view).similar})`;
  return `(case when ${matchOf(view, parameters)} then 1::real + ${rank} else ${likeness} end)`;
}

function matchOf(view: EntityView, parameters: Parameters): string {
  return `${searchOf(view).words} @@ ${queryOf(view, parameters)}`;
}

/** What is quoted, excluded or an alternative says just which words it means. */
function isFuzzy({ entity }: EntityView, text: string): boolean {
  return entity.search?.similar !== undefined && !/"|(?:^|\s)-|\sor\s/i.test(text);
}

/** By the index of three-letter parts; the server's own threshold says how like is similar. */
function similarTo(view: EntityView, parameters: Parameters): string {
  return `${plainWords(parameters)} ${operator("<%")} ${searchOf(view).similar}`;
}

function operator(symbol: string): string {
  return `operator(${quoteIdentifier(EXTENSIONS_SCHEMA)}.${symbol})`;
}

function plainWords(parameters: Parameters): string {
  return foldedText(parameters.search());
}

function searchable(view: EntityView): EntityView["stored"] {
  return view.stored.filter((field) => field.searchable);
}

function searchOf({ entity }: EntityView): BundleSearch {
  if (entity.search === undefined) throw new Error(`${entity.name} is not searchable`);
  return entity.search;
}

/**
 * The last word is looked for as the dictionary knows it, and as the beginning of one: `'run' | 'runn':*`. A negated phrase ends
 * with a parenthesis, behind which no mark of a beginning can stand.
 */
function queryOf(view: EntityView, parameters: Parameters): string {
  const { language, unfolded } = searchOf(view);
  const folded = unfolded === true ? (sql: string) => sql : foldedText;
  const typed = language === "simple" ? parameters.search() : telling(language, parameters);
  const query = (of: string, words: string): string => `websearch_to_tsquery('${of}', ${folded(words)})::text`;
  const last = parameters.lastWord();
  const parts = `${query(language, typed)} as _t, ${query(language, last)} as _known, ${query("simple", last)} as _typed`;
  return `(select case
      when coalesce(_known, '') = '' or right(_t, length(_known)) <> _known then _t
      when _known ~ '^''[^'']*''$' and _typed ~ '^''[^'']*''$'
        then left(_t, length(_t) - length(_known)) || '( ' || _known || ' | ' || _typed || ':* )'
      when right(_t, 1) = '''' then _t || ':*'
      else _t
    end::tsquery from (select ${parts}) _q)`.replace(/\s+/g, " ");
}

/** Without the words that the dictionary leaves out: it knows them by their accents. What is quoted stays as it is. */
function telling(language: string, parameters: Parameters): string {
  const typed = parameters.search();
  const kept = `_w !~ '^\\w+$' or plainto_tsquery('${language}', _w)::text <> ''`;
  const words = `(select string_agg(_w, ' ' order by _n) from unnest(regexp_split_to_array(${typed}, '\\s+')) with ordinality as _words(_w, _n) where ${kept})`;
  return `(case when position('"' in ${typed}) > 0 then ${typed} else coalesce(${words}, '') end)`;
}
