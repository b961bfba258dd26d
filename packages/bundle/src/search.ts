// How `q=` searches the records of an entity. In: SQL. Out: SQL.
import type { SqlTemplate } from "./template.ts";

export interface BundleSearch {
  /** The name of Postgres's text search configuration. */
  readonly language: string;
  /** A `tsvector` of the row alias `{record}`, word for word what an index is over. Of format 2, over unqualified columns. */
  readonly words: SqlTemplate;
  /** Texts of the row alias `{record}` that similar words are looked for in, word for word as well; absent: none are. */
  readonly similar?: SqlTemplate;
  /** Of a release from before words lost their accents: they are stored as they are written. */
  readonly unfolded?: true;
}

/** Where a database has the extensions that projects share. */
export const EXTENSIONS_SCHEMA = "plinth_extensions";

/** Stands in front of the words that mistyped ones are looked for among. No text that is searched for holds a word with it. */
export const FUZZY_MARK = "~";

/** Letters that are no other one with an accent, as Postgres's `unaccent` replaces them; and the two small sigmas are one. */
const LETTERS: readonly [from: string, to: string] = ["øłđðħıŧŋſς", "olddhitnsσ"];
const LIGATURES: readonly (readonly [from: string, to: string])[] = [
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["þ", "th"],
];

/**
 * A text in lower case and without accents: `cafe` means `café`, too. Columns are ordered byte by byte, where only letters of ASCII
 * have a case; the database's own collation knows the others. A text of ASCII alone, which costs a tenth, is told by its length.
 */
export function foldedText(sql: string): string {
  const bare = `normalize(regexp_replace(normalize(${sql}, nfd), '[\\u0300-\\u036f]', '', 'g'), nfc)`;
  const letters = `translate(${loweredText(bare)}, '${LETTERS[0]}', '${LETTERS[1]}')`;
  const folded = LIGATURES.reduce((text, [from, to]) => `replace(${text}, '${from}', '${to}')`, letters);
  return `(case when octet_length(${sql}) = length(${sql}) then ${loweredText(sql)} else ${folded} end)`;
}

/** A text in lower case, with its accents: as the dictionary of a language knows its words. Turkish has a small letter for each I. */
export function loweredText(sql: string, language = "simple"): string {
  const small = language === "turkish" ? `translate(${sql}, 'Iİ', 'ıi')` : sql;
  return `lower((${small}) collate "default")`;
}

/** What `foldedText` makes of a text, made here. */
export function foldText(text: string): string {
  const lowered = text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
  const letters = [...lowered].map((letter) => [...LETTERS[1]][[...LETTERS[0]].indexOf(letter)] ?? letter).join("");
  return LIGATURES.reduce((folded, [from, to]) => folded.replaceAll(from, to), letters);
}
