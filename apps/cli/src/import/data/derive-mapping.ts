// Derives the mapping of tables and columns with the importer of schemas. In: a foreign schema. Out: the mapping for a blueprint
// of `plinth import postgres`, and references, which are columns with keys of other tables. It never reads a project.
import type { ForeignSchema } from "../foreign-schema.ts";
import { createInventory } from "../inventory.ts";
import type { Draft } from "../write/draft.ts";
import { draftOf } from "../write/write-blueprint.ts";
import type { DataMapping, LinkMapping, TableMapping } from "./mapping.ts";

export function deriveMapping(schema: ForeignSchema): DataMapping {
  return mappingOf(draftOf(schema, createInventory()));
}

/** The same with the names of tables and columns in the draft. */
export function mappingOf(draft: Draft): DataMapping {
  const tables = draft.entities.map(({ name, table, fieldOf, fields }): TableMapping => {
    const mapped = Object.fromEntries([...fieldOf].map(([column, field]) => [field, column]));
    const [first] = fields.keys();
    // Columns that don't fit in a profile belong to the user of the same row. Its key is a column of the user.
    const isDetails = draft.people?.details?.name === name;
    const [key] = (isDetails ? draft.people?.table : null)?.key?.columns ?? [];
    return {
      table: table.id,
      entity: name,
      fields: first !== undefined && key !== undefined ? { [first]: key, ...mapped } : mapped,
      isDerived: true,
    };
  });
  const { people } = draft;
  const users: readonly TableMapping[] =
    people === null
      ? []
      : [
          {
            table: people.table.id,
            entity: "user",
            fields: Object.fromEntries([...people.fieldOf].map(([column, field]) => [field, column])),
            isDerived: true,
          },
        ];
  const links = draft.joins.flatMap(({ table, entity, field, own, other }): LinkMapping[] => {
    const [[ownColumn], [otherColumn]] = [own.columns, other.columns];
    if (ownColumn === undefined || otherColumn === undefined) return [];
    return [{ table: table.id, entity, field, own: ownColumn, other: otherColumn }];
  });
  return { tables: [...users, ...tables], links };
}
