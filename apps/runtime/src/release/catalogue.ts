// Reads a project's current schema from Postgres's catalogue. In: a connection and a project. Out: sorted entries. Data
// that was set aside is left out, because nobody declared it and it is deleted automatically. It never reads a row.
import type { ProjectId } from "@plinth/bundle";
import { tenantNames } from "@plinth/postgres";
import type { PoolClient } from "pg";

export type CatalogueKind =
  | "table"
  | "column"
  | "constraint"
  | "index"
  | "trigger"
  | "policy"
  | "rule"
  | "view"
  | "function";

export interface CatalogueEntry {
  readonly kind: CatalogueKind;
  /** Empty for a view and a function. */
  readonly table: string;
  /** Empty for a table itself. */
  readonly name: string;
  /** As Postgres prints it, without the schema's name. */
  readonly definition: string;
}

export interface Catalogue {
  /** Postgres's major version. Another version may print the same definition differently. */
  readonly serverVersion: number;
  readonly entries: readonly CatalogueEntry[];
}

type Connection = Pick<PoolClient, "query">;

/** @param schema Another schema instead of the project's own, for a rehearsal. */
export async function readCatalogue(client: Connection, projectId: ProjectId, schema?: string): Promise<Catalogue> {
  const name = schema ?? tenantNames(projectId).schema;
  const version = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int / 10000 AS version",
  );
  const { rows } = await client.query<CatalogueEntry>(CATALOGUE, [name, projectId]);
  const qualifier = new RegExp(`(?<![a-z0-9_])"?${name}"?\\.`, "g");
  const entries = rows.map((row) => ({ ...row, definition: row.definition.replace(qualifier, "") }));
  return { serverVersion: version.rows[0]?.version ?? 0, entries };
}

/** `listings`, `listings.price`, `index listings__price__idx of listings`. */
export function pathOf(entry: CatalogueEntry): string {
  switch (entry.kind) {
    case "table":
      return entry.table;
    case "column":
      return `${entry.table}.${entry.name}`;
    case "function":
    case "view":
      return `${entry.kind} ${entry.name}`;
    case "constraint":
    case "index":
    case "trigger":
    case "policy":
    case "rule":
      return `${entry.kind} ${entry.name} of ${entry.table}`;
  }
}

/**
 * `aside_column` and `tenant_table` say what is set aside; constraints and indexes over such a column are left out too.
 * A constraint's own index is covered by the constraint. Everything is read under one snapshot.
 */
const CATALOGUE = `
WITH tenant_table AS (
  SELECT c.oid, c.relname::text AS name, c.relacl, c.relowner, c.relrowsecurity, c.relforcerowsecurity
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT FROM plinth.set_aside s
      WHERE s.project_id = $2 AND s.kind = 'table' AND s.kept_as = c.relname)
), aside_column AS (
  SELECT a.attrelid, a.attnum FROM tenant_table t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
  JOIN plinth.set_aside s ON s.project_id = $2 AND s.kind = 'column' AND s.table_name = t.name AND s.kept_as = a.attname
), entry AS (
  SELECT 'table' AS kind, t.name AS table, '' AS name, concat_ws(' ', 'owner ' || pg_get_userbyid(t.relowner),
    CASE WHEN t.relrowsecurity THEN 'row security' END, CASE WHEN t.relforcerowsecurity THEN 'forced row security' END,
    (SELECT string_agg(g.line, ', ' ORDER BY g.line) FROM (
       SELECT 'grant ' || string_agg(lower(x.privilege_type), ' ' ORDER BY x.privilege_type) || ' to ' ||
         CASE x.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(x.grantee) END AS line
       FROM aclexplode(t.relacl) x WHERE x.grantee <> t.relowner GROUP BY x.grantee) g)) AS definition
  FROM tenant_table t
  UNION ALL
  SELECT 'column', t.name, a.attname::text, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attcollation <> y.typcollation THEN 'collate ' || quote_ident(l.collname) END,
    CASE WHEN a.attnotnull THEN 'not null' END,
    CASE WHEN a.attidentity <> '' THEN 'generated as identity' END,
    CASE WHEN a.attgenerated <> '' THEN 'generated as ' || pg_get_expr(d.adbin, d.adrelid)
         WHEN d.adbin IS NOT NULL THEN 'default ' || pg_get_expr(d.adbin, d.adrelid) END,
    CASE WHEN a.attacl IS NOT NULL THEN 'grants ' || a.attacl::text END)
  FROM tenant_table t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type y ON y.oid = a.atttypid
  LEFT JOIN pg_collation l ON l.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE NOT EXISTS (SELECT FROM aside_column x WHERE x.attrelid = a.attrelid AND x.attnum = a.attnum)
  UNION ALL
  SELECT 'constraint', t.name, k.conname::text, pg_get_constraintdef(k.oid) ||
    CASE WHEN EXISTS (SELECT FROM pg_trigger g WHERE g.tgconstraint = k.oid AND g.tgisinternal AND g.tgenabled <> 'O')
      THEN ' (not enforced)' ELSE '' END
  FROM tenant_table t JOIN pg_constraint k ON k.conrelid = t.oid
  WHERE k.contype IN ('c', 'f', 'p', 'u', 'x')
    AND NOT EXISTS (SELECT FROM aside_column x WHERE x.attrelid = t.oid AND x.attnum = ANY (k.conkey))
    AND (k.confrelid = 0 OR EXISTS (SELECT FROM tenant_table o WHERE o.oid = k.confrelid)
      OR NOT EXISTS (SELECT FROM plinth.set_aside s JOIN pg_class c ON c.relname = s.kept_as
        WHERE s.project_id = $2 AND s.kind = 'table' AND c.oid = k.confrelid))
  UNION ALL
  SELECT 'index', t.name, c.relname::text, pg_get_indexdef(i.indexrelid) || CASE WHEN i.indisvalid THEN '' ELSE ' (invalid)' END
  FROM tenant_table t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
  WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = t.oid AND k.contype IN ('p', 'u', 'x'))
    AND NOT EXISTS (SELECT FROM pg_depend p JOIN aside_column x ON x.attrelid = p.refobjid AND x.attnum = p.refobjsubid
      WHERE p.classid = 'pg_class'::regclass AND p.objid = i.indexrelid AND p.refclassid = 'pg_class'::regclass)
  UNION ALL
  SELECT 'trigger', t.name, g.tgname::text, pg_get_triggerdef(g.oid) || CASE g.tgenabled WHEN 'O' THEN '' ELSE ' (' || g.tgenabled::text || ')' END
  FROM tenant_table t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
  UNION ALL
  SELECT 'policy', t.name, p.polname::text, concat_ws(' ', CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END,
    CASE p.polcmd WHEN 'r' THEN 'select' WHEN 'a' THEN 'insert' WHEN 'w' THEN 'update' WHEN 'd' THEN 'delete' ELSE 'all' END,
    'to ' || (SELECT string_agg(CASE r.role WHEN 0 THEN 'public' ELSE pg_get_userbyid(r.role) END, ', ' ORDER BY r.role)
      FROM unnest(p.polroles) AS r(role)),
    'using ' || pg_get_expr(p.polqual, p.polrelid), 'with check ' || pg_get_expr(p.polwithcheck, p.polrelid))
  FROM tenant_table t JOIN pg_policy p ON p.polrelid = t.oid
  UNION ALL
  SELECT 'rule', t.name, r.rulename::text, pg_get_ruledef(r.oid) || CASE r.ev_enabled WHEN 'O' THEN '' ELSE ' (' || r.ev_enabled::text || ')' END
  FROM tenant_table t JOIN pg_rewrite r ON r.ev_class = t.oid
  UNION ALL
  SELECT 'view', '', c.relname::text, CASE c.relkind WHEN 'm' THEN 'materialized ' ELSE '' END || btrim(pg_get_viewdef(c.oid))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('v', 'm')
  UNION ALL
  SELECT 'function', '', p.oid::regprocedure::text, md5(pg_get_functiondef(p.oid))
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1 AND p.prokind IN ('f', 'p')
)
SELECT kind, "table", name, definition FROM entry ORDER BY "table" COLLATE "C", kind COLLATE "C", name COLLATE "C"`;
