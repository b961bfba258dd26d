// Opens a Postgres database as the source of an import. In: its address, its schemas, and files with a mapping. Out: a source of records.
// It derives the mapping in the same way as `plinth import postgres`.
import type { ForeignSchema } from "../foreign-schema.ts";
import { createInventory } from "../inventory.ts";
import { readCatalogue } from "../postgres/catalogue.ts";
import { readPostgres } from "../postgres/read-postgres.ts";
import { readPrismaTexts } from "../prisma/prisma-text.ts";
import { deriveMapping } from "./derive-mapping.ts";
import type { RecordSource } from "./import-plan.ts";
import { overrideMapping, writeMapping } from "./mapping.ts";
import { planSteps } from "./plan-steps.ts";
import { prismaMapping } from "./prisma-mapping.ts";
import { openSource, type Source } from "./source.ts";
import { literal } from "./source-sql.ts";
import { withUsersElsewhere } from "./users-elsewhere.ts";

export interface DatabaseOptions {
  /** Names, separated by commas. */
  readonly schema: string;
  readonly map?: string;
  readonly writeMap?: string;
  /** The Prisma schema that the blueprint was imported from: a file or a folder. */
  readonly prisma?: string;
}

/** @throws CommandFailure if the database or the mapping can't be read. */
export async function openDatabase(url: string, options: DatabaseOptions): Promise<RecordSource> {
  const schemas = options.schema.split(",").map((name) => name.trim());
  const read = readPostgres(await readCatalogue(url, schemas), createInventory());
  const prisma =
    options.prisma === undefined ? null : prismaMapping(await readPrismaTexts(options.prisma), schemas[0] ?? "public");
  const { schema, mapping: derived } = await withUsersElsewhere(url, read, prisma?.mapping ?? deriveMapping(read));
  const mapping = options.map === undefined ? derived : await overrideMapping(derived, options.map);
  if (options.writeMap !== undefined) await writeMapping(mapping, options.writeMap);
  const source = await openSource(url, schemas);
  const { fingerprint, label, trimsScale, close } = source;
  const tables = {
    byId: new Map(schema.tables.map((table) => [table.id, table])),
    trimsScale,
    ...(prisma !== null && { enums: prisma.enums }),
  };
  return {
    fingerprint,
    label,
    plan: async (shape, { hasOrganization }) => {
      const rowsOf = await estimates(source, schema);
      return planSteps({ source, schema, mapping, shape, tables, rowsOf, hasOrganization });
    },
    close,
  };
}

/** The server's estimate. Null for tables without one. */
async function estimates(source: Source, schema: ForeignSchema): Promise<(table: string) => number | null> {
  const names = schema.tables.map(({ space, name }) => `(${literal(space ?? "public")}, ${literal(name)})`);
  if (names.length === 0) return () => null;
  const rows = await source.rows<{ id: string; rows: number }>(
    `SELECT n.nspname || '.' || c.relname AS id, CASE WHEN c.relkind = 'p'
       THEN (SELECT sum(greatest(p.reltuples, 0)) FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid WHERE i.inhparent = c.oid)
       ELSE c.reltuples END::float8 AS rows
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE (n.nspname, c.relname) IN (${names.join(", ")})`,
  );
  const known = new Map(rows.map((row) => [row.id, Number(row.rows)]));
  return (table) => {
    const count = known.get(table);
    return count === undefined || count < 0 ? null : count;
  };
}
