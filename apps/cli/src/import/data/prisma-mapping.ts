// Derives the mapping of a database that Prisma made, for a blueprint of `plinth import prisma`. In: the texts of the schema. Out: the
// mapping, in which entities have the names of the schema, and tables and columns those of the database.
import { createInventory } from "../inventory.ts";
import { type DatabaseNames, databaseNames } from "../prisma/database-names.ts";
import type { PrismaText } from "../prisma/prisma-text.ts";
import { readPrisma } from "../prisma/read-prisma.ts";
import type { LinkDraft } from "../write/draft.ts";
import { draftOf } from "../write/write-blueprint.ts";
import { mappingOf } from "./derive-mapping.ts";
import type { DataMapping, LinkMapping, TableMapping } from "./mapping.ts";
import type { EnumNames } from "./source-sql.ts";

export interface PrismaMapping {
  readonly mapping: DataMapping;
  readonly enums: EnumNames;
}

/** @param usual The database's schema of models without `@@schema`. */
export function prismaMapping(texts: readonly PrismaText[], usual: string): PrismaMapping {
  const names = databaseNames(texts);
  const draft = draftOf(readPrisma(texts, createInventory()), createInventory());
  const { tables, links } = mappingOf(draft);
  const spaceOf = (model: string): string => names.tables.get(model)?.space ?? usual;
  const tableOf = (model: string): string => `${spaceOf(model)}.${names.tables.get(model)?.name ?? model}`;
  const columnOf = (model: string, field: string): string => names.tables.get(model)?.columns.get(field) ?? field;
  const between = new Set(draft.links.filter(({ fields }) => fields.length === 2).map(({ entity }) => entity));
  const pairs = draft.links.flatMap((link) => pairOf(link, names, spaceOf(link.table.id)) ?? []);
  return {
    mapping: {
      tables: [
        ...tables
          .filter(({ entity }) => !between.has(entity))
          .map((one) => ({
            ...one,
            table: tableOf(one.table),
            fields: Object.fromEntries(
              Object.entries(one.fields).map(([field, column]) => [field, columnOf(one.table, column)]),
            ),
          })),
        ...pairs.filter((pair) => "fields" in pair),
      ],
      links: [
        ...links.map((one) => ({
          ...one,
          table: tableOf(one.table),
          own: columnOf(one.table, one.own),
          other: columnOf(one.table, one.other),
        })),
        ...pairs.filter((pair) => "own" in pair),
      ],
    },
    enums: names.enums,
  };
}

/**
 * The table of a many-to-many relation without a model: `_CategoryToProduct` with the columns A and B, in the order of the models'
 * names. Null for a relation of a model with itself, because the schema doesn't tell which column is which.
 */
function pairOf(
  { table, link, entity, fields: [first = "", second] }: LinkDraft,
  { tables }: DatabaseNames,
  space: string,
): TableMapping | LinkMapping | null {
  if (table.id === link.table) return null;
  const models = [table.id, link.table].sort();
  const name = tables.get(table.id)?.relations.get(link.name) ?? models.join("To");
  const [own, other] = models[0] === table.id ? (["A", "B"] as const) : (["B", "A"] as const);
  const at = { table: `${space}._${name}`, entity };
  return second === undefined
    ? { ...at, field: first, own, other }
    : { ...at, fields: { [first]: own, [second]: other }, isDerived: true };
}
