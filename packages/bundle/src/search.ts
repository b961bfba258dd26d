// Search with `q=`. In: SQL. Out: SQL.
import type { SqlTemplate } from "./template.ts";

export interface BundleSearch {
  /** The name of Postgres's text search configuration. */
  readonly language: string;
  /**
   * A `tsvector` of the row alias `{record}`, exactly the expression of an index. In format 2, over unqualified
   * columns.
   */
  readonly words: SqlTemplate;
  /**
   * Texts of the row alias `{record}` for typo-tolerant search, also exactly the expression of an index; absent: there
   * are none.
   */
  readonly similar?: SqlTemplate;
  /** Whether the release stores words with their accents, as older releases did. */
  readonly unfolded?: true;
}

/** The schema with the extensions that projects share. */
export const EXTENSIONS_SCHEMA = "plinth_extensions";

/** A prefix for the words of typo-tolerant search. No other stored word starts with it. */
export const FUZZY_MARK = "~";

/**
 * Letters that are no variant of another one with an accent, as Postgres's `unaccent` replaces them; the two small
 * sigmas count as one.
 */
const LETTERS: readonly [from: string, to: string] = ["øłđðħıŧŋſς", "olddhitnsσ"];
const LIGATURES: readonly (readonly [from: string, to: string])[] = [
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["þ", "th"],
];

/**
 * A text in lower case and without accents: `cafe` also means `café`. Columns are ordered byte by byte, where only
 * ASCII letters have a case; the database's own collation knows the others. A pure ASCII text, recognized by its
 * length, costs a tenth.
 */
export function foldedText(sql: string): string {
  const bare = `normalize(regexp_replace(normalize(${sql}, nfd), '[\\u0300-\\u036f]', '', 'g'), nfc)`;
  const letters = `translate(${loweredText(bare)}, '${LETTERS[0]}', '${LETTERS[1]}')`;
  const folded = LIGATURES.reduce((text, [from, to]) => `replace(${text}, '${from}', '${to}')`, letters);
  return `(case when octet_length(${sql}) = length(${sql}) then ${loweredText(sql)} else ${folded} end)`;
}

/**
 * A text in lower case, with its accents: the form for the dictionary of a language. Turkish has a lower-case letter
 * for each I.
 */
export function loweredText(sql: string, language = "simple"): string {
  const small = language === "turkish" ? `translate(${sql}, 'Iİ', 'ıi')` : sql;
  return `lower((${small}) collate "default")`;
}

/** The result of `foldedText`, computed here. */
export function foldText(text: string): string {
  const lowered = text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
  const letters = [...lowered].map((letter) => [...LETTERS[1]][[...LETTERS[0]].indexOf(letter)] ?? letter).join("");
  return LIGATURES.reduce((folded, [from, to]) => folded.replaceAll(from, to), letters);
}
