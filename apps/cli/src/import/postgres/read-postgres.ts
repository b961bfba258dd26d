// Reads the schema of a Postgres database. In: its catalogue. Out: its tables. Each construct has an item in the inventory.
import type {
  ForeignCheck,
  ForeignColumn,
  ForeignPolicy,
  ForeignSchema,
  ForeignSecurity,
  ForeignTable,
} from "../foreign-schema.ts";
import type { Inventory } from "../inventory.ts";
import type { Catalogue, ColumnRow, PolicyRow, TableRow, TypeRow } from "./catalogue.ts";
import { defaultOf } from "./default-expression.ts";
import { noteOthers, noteTypes } from "./note-others.ts";
import { resolveType } from "./postgres-type.ts";
import { readConstraints } from "./read-constraints.ts";
import { parseSql } from "./sql-expression.ts";
import { idOf, partitionsOf, type TableContext } from "./table-context.ts";

/** The table in which Supabase and similar services store users. */
const usersElsewhere = ["auth.users"];

export function readPostgres(catalogue: Catalogue, inventory: Inventory): ForeignSchema {
  const types = new Map(catalogue.types.map((row) => [row.oid, row]));
  const enums = noteTypes(catalogue, inventory);
  const context: TableContext = { catalogue, types, enums, inventory };
  const tables = catalogue.tables.filter((table) => table.partitionOf === 0);
  noteOthers(catalogue, inventory);
  const read = tables.map((table) => tableOf(table, context));
  return {
    tables: read,
    enums: [...enums.values()],
    usersElsewhere: usersElsewhere.filter((id) => !read.some((table) => table.id === id)),
  };
}

function tableOf(table: TableRow, context: TableContext): ForeignTable {
  const { catalogue, inventory } = context;
  const id = idOf(table);
  const item = inventory.found("tables", id);
  const rows = catalogue.columns.filter((row) => row.table === table.oid);
  const checks: ForeignCheck[] = [];
  const columns = rows.map((row) => columnOf(id, row, checks, context));
  noteParents(table, context);
  notePartitions(table, context);
  const constraints = readConstraints(table, context);
  return {
    id,
    name: table.name,
    space: table.schema,
    item,
    comment: table.comment === null ? null : { text: table.comment, item: inventory.found("comments", id) },
    columns,
    ...constraints,
    checks: [...constraints.checks, ...checks],
    links: [],
    security: securityOf(table, context),
  };
}

function columnOf(id: string, row: ColumnRow, checks: ForeignCheck[], context: TableContext): ForeignColumn {
  const { types, enums, inventory } = context;
  const path = `${id}.${row.name}`;
  const item = inventory.found("fields", path);
  const { type, list, domains, bounds } = resolveType(row.type, row.modifier, types, enums);
  const isRequired = row.required || domains.some((domain) => domain.required);
  for (const domain of list ? [] : domains)
    for (const check of domain.checks) checks.push(domainCheck(path, row.name, domain, check, inventory));
  const text = row.default ?? domains.find((domain) => domain.default !== null)?.default ?? null;
  const fallback = row.identity
    ? ({ kind: "autoincrement" } as const)
    : row.generated
      ? null
      : defaultOf(text, type, list);
  return {
    name: row.name,
    item,
    comment: row.comment === null ? null : { text: row.comment, item: inventory.found("comments", path) },
    type,
    list,
    optional: !isRequired,
    required: isRequired ? inventory.found("not null", path) : null,
    default: fallback === null ? null : { value: fallback, item: inventory.found("defaults", path) },
    generated: row.generated
      ? {
          name: row.name,
          item: inventory.found("generated fields", path),
          text: row.default ?? "",
          tree: parseSql(row.default ?? ""),
        }
      : null,
    bounds,
  };
}

/** A domain's check, for each column of the domain: `VALUE` is the column. */
function domainCheck(
  path: string,
  column: string,
  domain: TypeRow,
  check: TypeRow["checks"][number],
  inventory: Inventory,
): ForeignCheck {
  const tree = parseSql(check.text.replace(/\bVALUE\b/g, `"${column.replaceAll('"', '""')}"`));
  return {
    name: `${column}_is_${domain.name}`,
    item: inventory.found("checks", `${path} (domain ${domain.schema}.${domain.name})`),
    text: check.text,
    tree,
  };
}

function noteParents(table: TableRow, { inventory }: TableContext): void {
  for (const parent of table.parents)
    inventory.leftOut(
      inventory.found("inheritance", `${idOf(table)} inherits ${parent}`),
      "It is an entity with all its columns; the other entity doesn't contain its records.",
    );
}

/** Partitions are the storage of a table: their rows are rows of the table. */
function notePartitions(table: TableRow, { catalogue, inventory }: TableContext): void {
  for (const partition of partitionsOf(table, catalogue)) {
    inventory.changed(
      inventory.found("partitions", idOf(partition)),
      `It is a partition of ${idOf(table)}, whose entity has its rows.`,
    );
    if (partition.comment !== null)
      inventory.leftOut(inventory.found("comments", idOf(partition)), "A partition isn't a separate entity.");
  }
}

function securityOf(table: TableRow, { catalogue, inventory }: TableContext): ForeignSecurity | null {
  const policies = catalogue.policies.filter((row) => row.table === table.oid);
  if (!table.rowSecurity) {
    for (const policy of policies)
      inventory.leftOut(
        inventory.found("policies", `${idOf(table)}.${policy.name}`),
        "Row-level security is not enabled on the table, so it has no effect.",
      );
    return null;
  }
  return {
    item: inventory.found("row security", idOf(table)),
    policies: policies.map((policy) => policyOf(table, policy, inventory)),
  };
}

const operations = { r: "read", a: "create", w: "update", d: "delete", "*": "all" } as const;

function policyOf(table: TableRow, row: PolicyRow, inventory: Inventory): ForeignPolicy {
  const expression = (text: string | null): ForeignPolicy["using"] =>
    text === null ? null : { text, tree: parseSql(text) };
  return {
    name: row.name,
    item: inventory.found("policies", `${idOf(table)}.${row.name}`),
    operation: operations[row.command as keyof typeof operations] ?? "all",
    permissive: row.permissive,
    roles: row.roles,
    using: expression(row.using),
    check: expression(row.check),
  };
}
