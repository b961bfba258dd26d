// Reads the schema of a Postgres database. In: a connection and a schema's name. Out: its tables, and notes about what has
// no counterpart. It runs in a read-only transaction and looks at the catalogue alone, never at a row.
import { createPool } from "@plinth/postgres";
import { CommandFailure, messageOf } from "../failure.ts";
import { defaultOf } from "./default-expression.ts";
import type { ForeignColumn, ForeignReference, ForeignSchema, ForeignTable, ImportNote } from "./foreign-schema.ts";
import { isArray, type PostgresType, typeOf } from "./postgres-type.ts";

/** @throws CommandFailure where the database can't be reached or has no such schema. */
export async function readPostgres(url: string, schema: string): Promise<ForeignSchema> {
  const pool = createPool({ connectionString: url, max: 1, applicationName: "plinth import" });
  try {
    const client = await pool.connect();
    try {
      await client.query("BEGIN READ ONLY");
      const rows = async <T>(text: string): Promise<T[]> => (await client.query(text, [schema])).rows as T[];
      const found = await rows<{ oid: string }>("SELECT oid FROM pg_namespace WHERE nspname = $1");
      if (found.length === 0) throw new CommandFailure(`The database has no schema "${schema}".`);
      const catalogue = {
        tables: await rows<TableRow>(TABLES),
        columns: await rows<ColumnRow>(COLUMNS),
        constraints: await rows<ConstraintRow>(CONSTRAINTS),
        indexes: await rows<IndexRow>(INDEXES),
      };
      const beside = await rows<{ what: string }>(BESIDE);
      await client.query("ROLLBACK");
      return schemaOf(catalogue, beside);
    } finally {
      client.release();
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`The database could not be read: ${messageOf(error)}`, 1, { cause: error });
  } finally {
    await pool.end();
  }
}

interface TableRow {
  readonly name: string;
  readonly comment: string | null;
  readonly policies: readonly string[];
  readonly triggers: readonly string[];
}

interface ColumnRow extends PostgresType {
  readonly table: string;
  readonly name: string;
  readonly comment: string | null;
  readonly required: boolean;
  readonly default: string | null;
  readonly generated: boolean;
  readonly identity: boolean;
}

interface ConstraintRow {
  readonly table: string;
  readonly name: string;
  readonly type: "p" | "u" | "f" | "c" | "x";
  readonly columns: readonly string[];
  readonly definition: string;
  readonly target: string | null;
  readonly targetColumns: readonly string[];
  /** Postgres's letters: a no action, r restrict, c cascade, n set null, d set default. */
  readonly onDelete: string;
}

interface IndexRow {
  readonly table: string;
  readonly name: string;
  readonly unique: boolean;
  /** Null where a key is an expression. */
  readonly columns: readonly (string | null)[];
  readonly partial: boolean;
}

const TABLES = `
  SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
    ARRAY(SELECT p.polname::text FROM pg_policy p WHERE p.polrelid = c.oid ORDER BY 1) AS policies,
    ARRAY(SELECT t.tgname::text FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal ORDER BY 1) AS triggers
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname`;

const COLUMNS = `
  SELECT c.relname AS "table", a.attname AS name, col_description(c.oid, a.attnum) AS comment,
    a.attnotnull AS required, pg_get_expr(d.adbin, d.adrelid) AS "default",
    a.attgenerated <> '' AS generated, a.attidentity <> '' AS identity,
    t.typname AS "typeName", t.typtype AS "typeKind", a.atttypmod AS modifier,
    CASE WHEN t.typtype = 'd' THEN b.typname WHEN t.typcategory = 'A' THEN e.typname END AS "elementName",
    CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS "baseModifier",
    ARRAY(SELECT v.enumlabel::text FROM pg_enum v WHERE v.enumtypid = coalesce(e.oid, t.oid) ORDER BY v.enumsortorder)
      AS "enumValues",
    t.typcategory = 'A' AS "isArray"
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
  LEFT JOIN pg_type b ON b.oid = t.typbasetype
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname, a.attnum`;

const CONSTRAINTS = `
  SELECT c.relname AS "table", k.conname AS name, k.contype AS type, pg_get_constraintdef(k.oid) AS definition,
    ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u (num, place)
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num ORDER BY u.place) AS columns,
    f.relname AS target, k.confdeltype AS "onDelete",
    ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u (num, place)
      JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num ORDER BY u.place) AS "targetColumns"
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_class f ON f.oid = k.confrelid
  WHERE n.nspname = $1 AND k.contype IN ('p', 'u', 'f', 'c', 'x') AND k.conparentid = 0
  ORDER BY c.relname, k.conname`;

const INDEXES = `
  SELECT c.relname AS "table", i.relname AS name, x.indisunique AS "unique", x.indpred IS NOT NULL AS partial,
    ARRAY(SELECT a.attname::text FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS u (num, place)
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.num ORDER BY u.place) AS columns
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.oid)
  ORDER BY c.relname, i.relname`;

const BESIDE = `
  SELECT CASE c.relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'materialized view ' ELSE 'foreign table ' END || c.relname AS what
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('v', 'm', 'f')
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  UNION ALL
  SELECT 'function ' || p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = $1 AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  ORDER BY 1`;

interface Catalogue {
  readonly tables: readonly TableRow[];
  readonly columns: readonly ColumnRow[];
  readonly constraints: readonly ConstraintRow[];
  readonly indexes: readonly IndexRow[];
}

function schemaOf(catalogue: Catalogue, beside: readonly { readonly what: string }[]): ForeignSchema {
  const notes: ImportNote[] = beside.map(({ what }) => ({
    kind: "left_out",
    path: what,
    text: "Only tables become entities.",
  }));
  const tables = catalogue.tables.map((table) => tableOf(table, catalogue, notes));
  return { tables, notes };
}

function tableOf(table: TableRow, catalogue: Catalogue, notes: ImportNote[]): ForeignTable {
  const own = <T extends { readonly table: string }>(rows: readonly T[]): T[] =>
    rows.filter((row) => row.table === table.name);
  const leftOut = (what: string, text: string): void =>
    void notes.push({ kind: "left_out", path: `${table.name}.${what}`, text });
  for (const policy of table.policies) leftOut(policy, "Row-level policies become permissions; write them by hand.");
  for (const trigger of table.triggers)
    leftOut(trigger, "Triggers become workers or computed fields; write them by hand.");
  const constraints = own(catalogue.constraints);
  for (const { type, name, definition } of constraints) {
    if (type === "c") leftOut(name, `A check: ${definition}. Write it under \`checks:\`, or as min, max or pattern.`);
    if (type === "x") leftOut(name, `An exclusion constraint: ${definition}.`);
  }
  const indexes = own(catalogue.indexes);
  for (const index of indexes) {
    if (index.columns.includes(null)) leftOut(index.name, "An index over an expression.");
    else if (index.partial)
      leftOut(index.name, index.unique ? "A unique rule over part of the rows." : "An index over part of the rows.");
  }
  const plain = indexes.filter((index) => !index.partial && !index.columns.includes(null));
  const named = (unique: boolean): string[][] =>
    plain.filter((index) => index.unique === unique).map((index) => index.columns as string[]);
  return {
    name: table.name,
    comment: table.comment,
    columns: own(catalogue.columns).map((column) => columnOf(column, constraints, notes)),
    primaryKey: constraints.find((one) => one.type === "p")?.columns ?? [],
    uniques: [...constraints.filter((one) => one.type === "u").map((one) => one.columns), ...named(true)],
    indexes: named(false),
    links: [],
  };
}

function columnOf(column: ColumnRow, constraints: readonly ConstraintRow[], notes: ImportNote[]): ForeignColumn {
  const path = `${column.table}.${column.name}`;
  if (column.generated) {
    const text = `It is generated (${column.default ?? ""}); write it as computed(...).`;
    notes.push({ kind: "changed", path, text });
  }
  return {
    name: column.name,
    comment: column.comment,
    type: typeOf(column),
    list: isArray(column),
    optional: !column.required,
    default: column.identity
      ? { kind: "autoincrement" }
      : column.generated
        ? null
        : defaultOf(column.default, typeOf(column)),
    references: referenceOf(column, constraints, notes),
  };
}

function referenceOf(
  column: ColumnRow,
  constraints: readonly ConstraintRow[],
  notes: ImportNote[],
): ForeignReference | null {
  const key = constraints.find((one) => one.type === "f" && one.columns[0] === column.name);
  if (key === undefined) return null;
  const [target] = key.targetColumns;
  if (key.columns.length > 1 || key.target === null || target === undefined) {
    const text = `Its key has several columns: ${key.definition}. Refer to the record's id instead.`;
    notes.push({ kind: "left_out", path: `${column.table}.${key.name}`, text });
    return null;
  }
  const actions = { c: "cascade", n: "set_null", d: "set_default" } as const;
  const onDelete = actions[key.onDelete as keyof typeof actions] ?? "restrict";
  return { table: key.target, column: target, onDelete };
}
