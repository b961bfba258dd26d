// Describes search with `q=`. In: an entity, and its language. Out: for the bundle, the column to search; for the
// table, the content of that column, and the index over the texts for similar words, which Postgres uses only for
// exactly the same expression.
import type { Entity, Field, SearchWeight } from "@plinth/blueprint";
import {
  type BundleSearch,
  EXTENSIONS_SCHEMA,
  FUZZY_MARK,
  foldedText,
  type Index,
  loweredText,
  type TableSearch,
} from "@plinth/bundle";
import { isServed } from "../sql/column-type.ts";
import { constraintName, quoteIdentifier as q } from "../sql/sql-text.ts";

const COLUMN = "_search";

/** For all texts of one weight together: Postgres stores at most a mebibyte of words for a row. */
const CHARACTERS_MAX = 100_000;

/**
 * For each field: Postgres compares the search words with every part of each text that shares enough trigrams with
 * them.
 */
const SIMILAR_CHARACTERS_MAX = 200;

/** The maximum total length of the words for typo-tolerant search. */
const FUZZY_LETTERS = { min: 4, max: 40 } as const;

/** Null if no field of the entity is searchable. */
export function searchOf(entity: Entity, language = "simple"): BundleSearch | null {
  if (searched(entity).length === 0) return null;
  const similar = similarOf(entity, "{record}.");
  return { language, words: `{record}.${q(COLUMN)}`, ...(similar !== null && { similar }) };
}

export function tableSearchOf(entity: Entity, language = "simple"): TableSearch | null {
  const fields = searched(entity);
  if (fields.length === 0) return null;
  const weights = [...new Set(fields.map(weightOf))].sort();
  const words = weights.map((weight) => {
    const own = wordsOf(documentOf(fields.filter((field) => weightOf(field) === weight)), language);
    // The default weight is `D`.
    return weight === "D" ? own : `setweight(${own}, '${weight}')`;
  });
  const fuzzy = fields.filter(isFuzzy);
  const marked = fuzzy.length === 0 ? [] : [fuzzyWordsOf(documentOf(fuzzy))];
  return {
    column: COLUMN,
    index: constraintName(
      entity.plural,
      fields.map(({ name }) => name),
      "gin",
    ),
    value: `(${[...words, ...marked].join(" || ")})`,
  };
}

export function similarIndexes(entity: Entity): readonly Index[] {
  const similar = similarOf(entity, "");
  if (similar === null) return [];
  const names = searched(entity).map(({ name }) => name);
  const key = `${similar} ${q(EXTENSIONS_SCHEMA)}.gin_trgm_ops`;
  return [{ name: constraintName(entity.plural, names, "trgm"), method: "gin", keys: [key], where: null }];
}

function searched({ fields }: Entity): readonly Field[] {
  return fields.filter((field) => field.searchable && isServed(field));
}

function weightOf({ search }: Field): SearchWeight {
  return search?.weight ?? "D";
}

function isFuzzy({ search }: Field): boolean {
  return search?.fuzzy === true;
}

/** Texts as one, so that a phrase can be found in each, and in every translation. */
function documentOf(fields: readonly Field[]): string {
  const texts = fields.map(({ name, type }) =>
    type.kind === "i18n"
      ? `(select string_agg(_text, ' ') from jsonb_each_text(${q(name)}) as _texts(_language, _text))`
      : q(name),
  );
  return `left(concat_ws(' ', ${texts.join(", ")}), ${CHARACTERS_MAX})`;
}

/**
 * For each position of the text, up to three forms of its word: the dictionary's form of the word as written, the
 * dictionary's form of it without accents, and the word itself without accents, which is used for prefixes. Only the
 * first is right for a word with correct accents: `ändern` without its accent is another word, which the dictionary
 * leaves out. Words that it leaves out have no third form, so that their prefix doesn't find every text. The forms of a
 * position are written as text, so that they share the position.
 */
function wordsOf(document: string, language: string): string {
  const folded = foldedText("_written");
  if (language === "simple")
    return `(select to_tsvector('simple', ${folded}) from (select ${document} as _written offset 0) _d)`;
  const config = `'${language}'`;
  const left = `array(select lexeme from unnest(to_tsvector('simple', _written)) where to_tsvector(${config}, lexeme) = '')`;
  const forms = [
    `to_tsvector(${config}, _written)`,
    `to_tsvector(${config}, _folded)`,
    `ts_delete(to_tsvector('simple', _folded), ${left})`,
  ].map((form) => `${form}::text`);
  const texts = `select _written, ${folded} as _folded from (select ${loweredText(document, language)} as _written offset 0) _d offset 0`;
  return `(select (${forms.join(" || ' ' || ")})::tsvector from (${texts}) _f)`;
}

function fuzzyWordsOf(document: string): string {
  const { min, max } = FUZZY_LETTERS;
  const words = `select '${FUZZY_MARK}' || lexeme from unnest(to_tsvector('simple', ${foldedText("_written")})) where length(lexeme) between ${min} and ${max}`;
  return `(select array_to_tsvector(array(${words})) from (select ${document} as _written offset 0) _d)`;
}

function similarOf(entity: Entity, row: string): string | null {
  const fields = searched(entity).filter(isFuzzy);
  if (fields.length === 0) return null;
  const texts = fields
    .map(({ name }) => `left(coalesce(${row}${q(name)}, ''), ${SIMILAR_CHARACTERS_MAX})`)
    .join(" || ' ' || ");
  return `(${foldedText(texts)})`;
}
