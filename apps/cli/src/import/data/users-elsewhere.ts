// The app's users in a schema that isn't imported, such as Supabase's `auth.users`. In: a schema with references to them. Out: the
// same schema with their table, and a mapping to the built-in `user`, so that the references find their users.
import type { ForeignSchema, ForeignTable } from "../foreign-schema.ts";
import { createInventory } from "../inventory.ts";
import { readCatalogue } from "../postgres/catalogue.ts";
import { readPostgres } from "../postgres/read-postgres.ts";
import type { DataMapping } from "./mapping.ts";

/** The only columns that an import reads: the others are credentials. */
const userColumns = ["email", "created_at", "updated_at"];

/** @throws CommandFailure if the catalogue can't be read. */
export async function withUsersElsewhere(
  url: string,
  schema: ForeignSchema,
  mapping: DataMapping,
): Promise<{ readonly schema: ForeignSchema; readonly mapping: DataMapping }> {
  const { tables, usersElsewhere } = schema;
  const id = tables
    .flatMap(({ references }) => references.map(({ table }) => table))
    .find((table) => usersElsewhere.includes(table));
  // A table of users of its own has the same people, and the built-in `user` has one record for each.
  if (id === undefined || mapping.tables.some(({ entity }) => entity === "user")) return { schema, mapping };
  const [space = ""] = id.split(".");
  const elsewhere = readPostgres(await readCatalogue(url, [space]), createInventory());
  const found = elsewhere.tables.find((table) => table.id === id);
  const columns = found?.columns.filter(({ name }) => userColumns.includes(name) || found.key?.columns.includes(name));
  if (found === undefined || columns?.some(({ name }) => name === "email") !== true) return { schema, mapping };
  const table: ForeignTable = { ...found, columns, uniques: [], indexes: [], references: [], links: [], checks: [] };
  const fields = columns.flatMap(({ name }) => (userColumns.includes(name) ? [[name, name] as const] : []));
  const users = { table: id, entity: "user", fields: Object.fromEntries(fields), isDerived: true };
  return {
    schema: { ...schema, tables: [table, ...tables] },
    mapping: { ...mapping, tables: [users, ...mapping.tables] },
  };
}
