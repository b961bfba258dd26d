// What `q=` looks in. In: an entity, and the language whose words it knows. Out: SQL over its columns, for the bundle, and the indexes
// over just that SQL: Postgres uses one only where a statement says it word for word.
import type { Entity, Field, SearchWeight } from "@plinth/blueprint";
import { type BundleSearch, EXTENSIONS_SCHEMA, foldedText, type Index } from "@plinth/bundle";
import { isServed } from "../sql/column-type.ts";
import { constraintName, quoteIdentifier as q } from "../sql/sql-text.ts";

/** Null where nothing of the entity is searchable. */
export function searchOf(entity: Entity, language = "simple"): BundleSearch | null {
  const fields = searched(entity);
  if (fields.length === 0) return null;
  const weights = [...new Set(fields.map(weightOf))].sort();
  const words = weights.flatMap((weight) => wordsOf(fields, weight, language)).join(" || ");
  const similar = fields.filter(({ search }) => search?.fuzzy === true);
  return {
    language,
    words: `(${words})`,
    ...(similar.length > 0 && { similar: `(${textOf(similar)})` }),
  };
}

export function searchIndexes(entity: Entity, language: string | undefined): readonly Index[] {
  const search = searchOf(entity, language);
  if (search === null) return [];
  const names = searched(entity).map(({ name }) => name);
  const { words, similar } = search;
  const index = (kind: string, key: string): Index => ({
    name: constraintName(entity.plural, names, kind),
    method: "gin",
    keys: [key],
    where: null,
  });
  return [
    index("gin", words),
    ...(similar === undefined ? [] : [index("trgm", `${similar} ${q(EXTENSIONS_SCHEMA)}.gin_trgm_ops`)]),
  ];
}

function searched({ fields }: Entity): readonly Field[] {
  return fields.filter((field) => field.searchable && isServed(field));
}

function weightOf({ search }: Field): SearchWeight {
  return search?.weight ?? "D";
}

/** Of the fields of one weight: texts as one, so that a phrase may be found in each, and every translation. */
function wordsOf(fields: readonly Field[], weight: SearchWeight, language: string): readonly string[] {
  const own = fields.filter((field) => weightOf(field) === weight);
  const texts = own.filter(({ type }) => type.kind !== "i18n");
  const documents = [
    ...(texts.length === 0 ? [] : [textOf(texts)]),
    ...own
      .filter(({ type }) => type.kind === "i18n")
      .map(({ name }) => `${foldedText(`coalesce(${q(name)}, '{}'::jsonb)::text`)}::jsonb`),
  ].map((document) => `to_tsvector('${language}', ${document})`);
  // What has no other weight counts as `D`.
  return weight === "D" ? documents : documents.map((document) => `setweight(${document}, '${weight}')`);
}

function textOf(fields: readonly Field[]): string {
  return foldedText(fields.map(({ name }) => `coalesce(${q(name)}, '')`).join(" || ' ' || "));
}
