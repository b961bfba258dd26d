// Reads the catalogue of a Postgres database. In: a connection and the names of schemas. Out: rows, one for each object. It only
// reads the catalogue, never a row of a table, on one read-only connection.
import postgres from "postgres";
import { CommandFailure, messageOf } from "../../failure.ts";

export interface Catalogue {
  readonly types: readonly TypeRow[];
  readonly tables: readonly TableRow[];
  readonly columns: readonly ColumnRow[];
  readonly constraints: readonly ConstraintRow[];
  readonly indexes: readonly IndexRow[];
  readonly policies: readonly PolicyRow[];
  readonly others: readonly OtherRow[];
}

export interface TypeRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** b base, e enum, d domain, c composite, r range, m multirange. */
  readonly kind: string;
  /** For an array the type of its members, otherwise 0. */
  readonly member: number;
  /** For a domain its base type, otherwise 0. */
  readonly base: number;
  readonly baseModifier: number;
  readonly required: boolean;
  readonly default: string | null;
  readonly labels: readonly string[];
  readonly checks: readonly { readonly name: string; readonly text: string }[];
  readonly comment: string | null;
  /** In one of the imported schemas, and not part of a table or an extension. */
  readonly own: boolean;
}

export interface TableRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly comment: string | null;
  readonly partitioned: boolean;
  /** The table of a partition, otherwise 0. */
  readonly partitionOf: number;
  readonly parents: readonly string[];
  readonly rowSecurity: boolean;
}

export interface ColumnRow {
  readonly table: number;
  readonly name: string;
  readonly comment: string | null;
  readonly type: number;
  readonly modifier: number;
  readonly required: boolean;
  readonly default: string | null;
  readonly generated: boolean;
  readonly identity: boolean;
}

export interface ConstraintRow {
  readonly table: number;
  readonly name: string;
  readonly type: "p" | "u" | "f" | "c" | "x";
  readonly columns: readonly string[];
  readonly text: string;
  readonly target: string | null;
  readonly targetColumns: readonly string[];
  /** Postgres's letters: a no action, r restrict, c cascade, n set null, d set default. */
  readonly onDelete: string;
  readonly onUpdate: string;
  readonly deferrable: boolean;
  readonly valid: boolean;
}

export interface IndexRow {
  readonly table: number;
  readonly name: string;
  /** The constraint of the index. Null if it has none. */
  readonly constraint: string | null;
  readonly unique: boolean;
  readonly nullsNotDistinct: boolean;
  readonly method: string;
  /** Null if a key is an expression. */
  readonly columns: readonly (string | null)[];
  readonly included: readonly string[];
  readonly partial: string | null;
  readonly descending: boolean;
  readonly operators: readonly string[];
  readonly text: string;
  /** Part of an index of the partitioned table. */
  readonly inherited: boolean;
}

export interface PolicyRow {
  readonly table: number;
  readonly name: string;
  /** r read, a create, w update, d delete, * all. */
  readonly command: string;
  readonly permissive: boolean;
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
}

export interface OtherRow {
  readonly what: string;
  readonly path: string;
}

/** @throws CommandFailure if the database can't be reached or lacks one of the schemas. */
export async function readCatalogue(url: string, schemas: readonly string[]): Promise<Catalogue> {
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { application_name: "plinth import" },
  });
  try {
    // A result begins with the first columns: statements without columns share the result of the one before them.
    const [, found = [], ...rows] = (await sql.unsafe(batchFor(schemas)).simple()) as unknown as readonly object[][];
    const missing = schemas.find((name) => !(found as { name: string }[]).some((one) => one.name === name));
    if (missing !== undefined) throw new CommandFailure(`The database has no schema "${missing}".`);
    const read = <T>(at: number): readonly T[] => [...(rows[at] ?? [])] as T[];
    return {
      types: read<TypeRow>(0),
      tables: read<TableRow>(1),
      columns: read<ColumnRow>(2),
      constraints: read<ConstraintRow>(3),
      indexes: read<IndexRow>(4),
      policies: read<PolicyRow>(5),
      others: read<OtherRow>(6),
    };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`The database could not be read: ${messageOf(error)}`, 1, { cause: error });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * All queries are one text and one transaction: they see the same moment, a pooler before the database keeps them on one
 * connection, and no setting outlives them. postgres.js's own transactions are not used, because after a lost connection one of
 * its queries can run inside another transaction.
 */
function batchFor(schemas: readonly string[]): string {
  const list = `ARRAY[${schemas.map((name) => `'${name.replaceAll("'", "''")}'`).join(", ")}]::name[]`;
  return [
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    // So that names outside of pg_catalog are printed with their schema.
    "SET LOCAL search_path = pg_catalog",
    "SELECT nspname AS name FROM pg_namespace WHERE nspname = ANY($1)",
    ...[TYPES, TABLES, COLUMNS, CONSTRAINTS, INDEXES, POLICIES, OTHERS],
    "COMMIT",
  ]
    .map((text) => text.replaceAll("$1", () => list))
    .join(";\n");
}

/** Not created by an extension. */
const own = (object: string): string =>
  `NOT EXISTS (SELECT 1 FROM pg_depend e WHERE e.objid = ${object} AND e.deptype = 'e')`;
const table = (alias: string): string =>
  `n.nspname = ANY($1) AND ${alias}.relkind IN ('r', 'p') AND ${own(`${alias}.oid`)}`;
const names = (numbers: string, relation: string): string =>
  `ARRAY(SELECT a.attname::text FROM unnest(${numbers}) WITH ORDINALITY AS u (num, place)
    JOIN pg_attribute a ON a.attrelid = ${relation} AND a.attnum = u.num ORDER BY u.place)`;

const TYPES = `
  SELECT t.oid::int8::float8 AS oid, n.nspname AS schema, t.typname AS name, t.typtype AS kind,
    CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END::int8::float8 AS member, t.typbasetype::int8::float8 AS base,
    t.typtypmod AS "baseModifier", t.typnotnull AS required, t.typdefault AS "default",
    ARRAY(SELECT v.enumlabel::text FROM pg_enum v WHERE v.enumtypid = t.oid ORDER BY v.enumsortorder) AS labels,
    coalesce((SELECT json_agg(json_build_object('name', k.conname, 'text', pg_get_expr(k.conbin, 0)) ORDER BY k.conname)
      FROM pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c'), '[]') AS checks,
    obj_description(t.oid, 'pg_type') AS comment,
    n.nspname = ANY($1) AND ${own("t.oid")} AND t.typcategory <> 'A'
      AND (t.typtype <> 'c' OR (SELECT r.relkind FROM pg_class r WHERE r.oid = t.typrelid) = 'c') AS own
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
  WHERE n.nspname NOT IN ('information_schema', 'pg_toast') ORDER BY n.nspname, t.typname`;

const TABLES = `
  SELECT c.oid::int8::float8 AS oid, n.nspname AS schema, c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
    c.relkind = 'p' AS partitioned, c.relrowsecurity AS "rowSecurity",
    CASE WHEN c.relispartition THEN (SELECT i.inhparent FROM pg_inherits i WHERE i.inhrelid = c.oid) ELSE 0 END::int8::float8
      AS "partitionOf",
    ARRAY(SELECT pn.nspname || '.' || p.relname FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent
      JOIN pg_namespace pn ON pn.oid = p.relnamespace WHERE i.inhrelid = c.oid ORDER BY i.inhseqno) AS parents
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${table("c")} ORDER BY n.nspname, c.relname`;

const COLUMNS = `
  SELECT c.oid::int8::float8 AS "table", a.attname AS name, col_description(c.oid, a.attnum) AS comment,
    a.atttypid::int8::float8 AS type, a.atttypmod AS modifier, a.attnotnull AS required,
    pg_get_expr(d.adbin, d.adrelid) AS "default", a.attgenerated <> '' AS generated, a.attidentity <> '' AS identity
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${table("c")} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.oid, a.attnum`;

const CONSTRAINTS = `
  SELECT c.oid::int8::float8 AS "table", k.conname AS name, k.contype AS type,
    CASE k.contype WHEN 'c' THEN pg_get_expr(k.conbin, k.conrelid) ELSE pg_get_constraintdef(k.oid) END AS text,
    ${names("k.conkey", "k.conrelid")} AS columns, fn.nspname || '.' || f.relname AS target,
    ${names("k.confkey", "k.confrelid")} AS "targetColumns", k.confdeltype AS "onDelete", k.confupdtype AS "onUpdate",
    k.condeferrable AS deferrable, k.convalidated AS valid
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_class f ON f.oid = k.confrelid LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
  WHERE ${table("c")} AND k.contype IN ('p', 'u', 'f', 'c', 'x') AND k.conparentid = 0
    AND NOT (k.contype = 'c' AND c.relispartition AND k.coninhcount > 0)
  ORDER BY c.oid, k.conname`;

const INDEXES = `
  SELECT c.oid::int8::float8 AS "table", i.relname AS name, x.indisunique AS "unique",
    coalesce((to_jsonb(x) ->> 'indnullsnotdistinct')::bool, false) AS "nullsNotDistinct", m.amname AS method,
    (SELECT k.conname FROM pg_constraint k WHERE k.conindid = i.oid AND k.contype IN ('p', 'u', 'x') LIMIT 1) AS "constraint",
    ARRAY(SELECT a.attname::text FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS u (num, place)
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.num WHERE u.place <= x.indnkeyatts ORDER BY u.place)
      AS columns,
    ARRAY(SELECT a.attname::text FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS u (num, place)
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.num WHERE u.place > x.indnkeyatts ORDER BY u.place)
      AS included,
    pg_get_expr(x.indpred, x.indrelid) AS partial, EXISTS (SELECT 1 FROM unnest(x.indoption::int2[]) o WHERE o <> 0) AS descending,
    ARRAY(SELECT o.opcname::text FROM unnest(x.indclass::oid[]) AS u (oid) JOIN pg_opclass o ON o.oid = u.oid
      WHERE NOT o.opcdefault) AS operators,
    pg_get_indexdef(i.oid) AS text, EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhrelid = i.oid) AS inherited
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
  JOIN pg_am m ON m.oid = i.relam JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${table("c")} ORDER BY c.oid, i.relname`;

const POLICIES = `
  SELECT c.oid::int8::float8 AS "table", p.polname AS name, p.polcmd AS command, p.polpermissive AS permissive,
    ARRAY(SELECT coalesce(r.rolname::text, 'public') FROM unnest(p.polroles) AS u (oid) LEFT JOIN pg_roles r ON r.oid = u.oid)
      AS roles,
    pg_get_expr(p.polqual, p.polrelid) AS using, pg_get_expr(p.polwithcheck, p.polrelid) AS check
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${table("c")} ORDER BY c.oid, p.polname`;

/** Other objects than tables and their parts. */
const OTHERS = `
  SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' ELSE 'foreign table' END AS what,
    n.nspname || '.' || c.relname AS path
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY($1) AND c.relkind IN ('v', 'm', 'f') AND ${own("c.oid")}
  UNION ALL
  SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i')) THEN 'owned sequence'
    ELSE 'sequence' END, n.nspname || '.' || c.relname
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY($1) AND c.relkind = 'S' AND ${own("c.oid")}
  UNION ALL
  SELECT 'function', n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = ANY($1) AND ${own("p.oid")}
  UNION ALL
  SELECT 'trigger', n.nspname || '.' || c.relname || '.' || t.tgname
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY($1) AND NOT t.tgisinternal AND t.tgparentid = 0
  UNION ALL
  SELECT 'rule', n.nspname || '.' || c.relname || '.' || r.rulename
  FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY($1) AND r.rulename <> '_RETURN'
  UNION ALL
  SELECT 'comment', n.nspname || '.' || c.relname || coalesce('.' || a.attname, '')
  FROM pg_description d JOIN pg_class c ON d.classoid = 'pg_class'::regclass AND c.oid = d.objoid
  JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = nullif(d.objsubid, 0)
  WHERE n.nspname = ANY($1) AND c.relkind NOT IN ('r', 'p') AND ${own("c.oid")}
  UNION ALL
  SELECT 'comment', n.nspname || '.' || c.relname || '.' || k.conname
  FROM pg_description d JOIN pg_constraint k ON d.classoid = 'pg_constraint'::regclass AND k.oid = d.objoid
  JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY($1)
  UNION ALL
  SELECT 'comment', n.nspname || '.' || p.proname
  FROM pg_description d JOIN pg_proc p ON d.classoid = 'pg_proc'::regclass AND p.oid = d.objoid
  JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = ANY($1) AND ${own("p.oid")}
  UNION ALL
  SELECT 'grant', n.nspname || '.' || c.relname || ' to ' || CASE WHEN g.grantee = 0 THEN 'public' ELSE pg_get_userbyid(g.grantee) END
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  CROSS JOIN LATERAL (SELECT DISTINCT x.grantee FROM aclexplode(c.relacl) x WHERE x.grantee <> c.relowner) g
  WHERE n.nspname = ANY($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND ${own("c.oid")}
  UNION ALL
  SELECT 'statistics', n.nspname || '.' || s.stxname FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace
  WHERE n.nspname = ANY($1)
  UNION ALL
  SELECT 'operator', n.nspname || '.' || o.oprname FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace
  WHERE n.nspname = ANY($1) AND ${own("o.oid")}
  UNION ALL
  SELECT 'collation', n.nspname || '.' || o.collname FROM pg_collation o JOIN pg_namespace n ON n.oid = o.collnamespace
  WHERE n.nspname = ANY($1) AND ${own("o.oid")}
  UNION ALL
  SELECT 'text search configuration', n.nspname || '.' || o.cfgname FROM pg_ts_config o
  JOIN pg_namespace n ON n.oid = o.cfgnamespace WHERE n.nspname = ANY($1) AND ${own("o.oid")}
  UNION ALL
  SELECT 'extension', extname::text FROM pg_extension WHERE extname <> 'plpgsql'
  UNION ALL
  SELECT 'event trigger', evtname::text FROM pg_event_trigger
  UNION ALL
  SELECT 'publication', pubname::text FROM pg_publication
  ORDER BY 1, 2`;
