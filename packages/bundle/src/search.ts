// How `q=` searches the records of an entity. In: SQL. Out: SQL.

export interface BundleSearch {
  /** The name of Postgres's text search configuration. */
  readonly language: string;
  /** A `tsvector` over unqualified columns, word for word what an index is over. */
  readonly words: string;
  /** Texts over unqualified columns that similar words are looked for in; absent: none are. */
  readonly similar?: string;
  /** Of a release from before words lost their accents. */
  readonly unfolded?: true;
}

/** Where a database has the extensions that projects share. */
export const EXTENSIONS_SCHEMA = "plinth_extensions";

/** A text without its accents: who types `cafe` means `café`, too. */
export function foldedText(sql: string): string {
  const bare = `normalize(regexp_replace(normalize(${sql}, NFD), '[\\u0300-\\u036f]', '', 'g'), NFC)`;
  return `translate(${bare}, 'øØłŁđĐı', 'oOlLdDi')`;
}
