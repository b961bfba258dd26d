// Full-text search: `q=`, over the searchable fields of an entity. In: words as people type them. Out: a condition and
// a rank over the row `_r`. The last word may be incomplete. If the blueprint says `fuzzy`, plain words also find
// similar ones. A record with a searchable field that the caller can't read there isn't found at all.
import {
  type BundleSearch,
  EXTENSIONS_SCHEMA,
  fillTemplate,
  foldedText,
  loweredText,
  type SqlTemplate,
} from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import type { EntityView, StatementCaller } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import { readabilityOf } from "../readable-fields.ts";
import { shownIn } from "./reach.ts";
import { bad, unreadable } from "./refusals.ts";
import { isPlain, readTerms, type TextSearch } from "./search-terms.ts";

const CHARS_MAX = 500;

/** @throws Fault 400, 403. */
export function parseSearch(text: string | undefined, view: EntityView, roles: readonly string[]): TextSearch | null {
  if (text === undefined) return null;
  const fields = searchable(view);
  if (fields.length === 0 || view.entity.search === undefined) {
    throw bad(
      "q",
      "not_searchable",
      `No field of ${view.entity.plural} is searchable. Add \`searchable\` to a text field.`,
    );
  }
  const hidden = fields.find((field) => readabilityOf(view, field, roles) === "never");
  if (hidden !== undefined) throw unreadable("q", hidden.name, "search in");
  if (text.trim() === "") throw bad("q", "required", "The words to search for are missing.");
  if (text.length > CHARS_MAX) throw bad("q", "too_long", `It may have at most ${CHARS_MAX} characters.`);
  const terms = readTerms(text);
  return { text, terms, isFuzzy: view.entity.search.similar !== undefined && isPlain(terms, text) };
}

export function searchConditions(
  view: EntityView,
  { isFuzzy }: TextSearch,
  caller: StatementCaller,
  parameters: Parameters,
): readonly string[] {
  const shown = view.narrowed
    ? searchable(view).flatMap((field) => shownIn(view, caller, field, "_r", parameters))
    : [];
  const found = isFuzzy
    ? `(${holds(view, parameters, "near")} or ${similarTo(view, parameters)})`
    : holds(view, parameters, "beginnings");
  return [found, ...shown];
}

/**
 * First come records with every word itself, then those with words that begin with the last one, then those with words
 * one typing mistake away, then similar words. Within each group, the order is by weight and by how much of the text
 * matches.
 */
export function searchRank(view: EntityView, isFuzzy: boolean, parameters: Parameters): string {
  const rank = (among: Among): string => `ts_rank(${wordsOf(view)}, ${queryOf(view, parameters, among)}, ${BY_LENGTH})`;
  const tier = (among: Among, step: number): string =>
    `when ${holds(view, parameters, among)} then ${step}::real + ${rank(among)}`;
  if (!isFuzzy) return `(case ${tier("words", 2)} else ${rank("beginnings")} end)`;
  const likeness = `1::real - (${plainWords(parameters)} ${operator("<<->")} ${similarOf(view)})`;
  return `(case ${tier("words", 6)} ${tier("beginnings", 4)} ${tier("near", 2)} else ${likeness} end)`;
}

/** Divides a rank by the logarithm of a text's length. */
const BY_LENGTH = 1;

/**
 * The words that a term is compared with: words in all their forms, beginnings of words, or words one typing mistake
 * away.
 */
type Among = "words" | "beginnings" | "near";

function holds(view: EntityView, parameters: Parameters, among: Among): string {
  return `${wordsOf(view)} @@ ${queryOf(view, parameters, among)}`;
}

/** By the trigram index; the server's own threshold decides what is similar. */
function similarTo(view: EntityView, parameters: Parameters): string {
  return `${plainWords(parameters)} ${operator("<%")} ${similarOf(view)}`;
}

function operator(symbol: string): string {
  return `operator(${quoteIdentifier(EXTENSIONS_SCHEMA)}.${symbol})`;
}

function wordsOf(view: EntityView): string {
  return inRow(searchOf(view).words);
}

function similarOf(view: EntityView): string {
  const { similar } = searchOf(view);
  if (similar === undefined) throw new Error(`${view.entity.name} has no fuzzy field`);
  return inRow(similar);
}

function inRow(template: SqlTemplate): string {
  return fillTemplate(template, (hole) => (hole === "record" ? "_r" : undefined));
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
 * A `tsquery`, or null if there is nothing to search for. Each term becomes the stored forms of its words. Stop words
 * are ignored, unless there are no other words: then they are searched.
 */
function queryOf(view: EntityView, parameters: Parameters, among: Among): string {
  const { language, unfolded } = searchOf(view);
  const terms = `select (_term ->> 'group')::integer as _group, _term ->> 'text' as _text, (_term ->> 'excluded')::boolean as _excluded, (_term ->> 'begins')::boolean as _begins, _term ->> 'near' as _near from jsonb_array_elements(${parameters.searchTerms()}) as _terms(_term) offset 0`;
  const folded = unfolded === true ? "_text" : foldedText("_text");
  const itself = "phraseto_tsquery('simple', _folded)::text";
  const lexemes = (text: string): string => `phraseto_tsquery('${language}', ${text})::text`;
  const forms =
    language === "simple"
      ? `${itself} as _known, '' as _bare`
      : `${lexemes(loweredText("_text", language))} as _known, ${lexemes("_folded")} as _bare`;
  const beginning = among === "words" ? "" : ` || case when _begins and right(_itself, 1) = '''' then ':*' else '' end`;
  const near = among === "near" ? "_near" : "null";
  const all = `concat_ws(' | ', nullif(_known, ''), nullif(_bare, ''), nullif(_itself, '')${beginning}, ${near})`;
  return `(select string_agg(_all, ' | ')::tsquery from (select string_agg(_one, ' & ') as _all from (select
    _group, case when _excluded then '!' else '' end || '( ' || _any || ' )' as _one from (select
    _group, _excluded, case when _known <> '' then ${all} when not _excluded and not bool_or(_known <> '' and not _excluded) over () then nullif(_itself${beginning}, '') end as _any from (select
    _t.*, ${forms}, ${itself} as _itself from (select _t.*, ${folded} as _folded from (${terms}) _t offset 0) _t offset 0) _t) _t
    where _any is not null) _t group by _group) _t)`.replace(/\s+/g, " ");
}
