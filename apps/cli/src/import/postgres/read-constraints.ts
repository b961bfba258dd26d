// Reads the constraints and indexes of a table. In: its rows of the catalogue. Out: keys, uniques, indexes, references and
// checks. Constructs without a counterpart go to the inventory immediately.
import type { ForeignCheck, ForeignList, ForeignReference, ForeignTable } from "../foreign-schema.ts";
import type { Inventory, Item } from "../inventory.ts";
import type { ConstraintRow, IndexRow, TableRow } from "./catalogue.ts";
import { parseSql } from "./sql-expression.ts";
import { idOf, partitionsOf, type TableContext } from "./table-context.ts";

type Read = Pick<ForeignTable, "key" | "uniques" | "indexes" | "references" | "checks">;

export function readConstraints(table: TableRow, context: TableContext): Read {
  const { catalogue, inventory } = context;
  const constraints = catalogue.constraints.filter((row) => row.table === table.oid);
  const indexes = catalogue.indexes.filter((row) => row.table === table.oid);
  const of = (type: ConstraintRow["type"]): readonly ConstraintRow[] => constraints.filter((row) => row.type === type);
  const path = (name: string): string => `${idOf(table)}.${name}`;
  for (const row of of("x"))
    inventory.leftOut(inventory.found("exclusions", path(row.name)), `Write it under \`exclude:\`: ${row.text}`);
  const keys = of("p").flatMap((row) => listOf(table, row, "primary keys", context));
  const uniques = of("u").flatMap((row) => listOf(table, row, "uniques", context));
  const plain = indexes.filter((row) => row.constraint === null && !row.inherited);
  const indexed = plain.flatMap((row) => indexOf(table, row, context));
  const shared = sharedByPartitions(table, context);
  return {
    key: keys[0] ?? null,
    uniques: [...uniques, ...indexed.filter((one) => one.unique)],
    indexes: [...indexed.filter((one) => !one.unique), ...shared.indexes],
    references: [...of("f").map((row) => referenceOf(idOf(table), row, inventory)), ...shared.references],
    checks: of("c").map((row): ForeignCheck => {
      noteDetails(table, row, inventory);
      return {
        name: row.name,
        item: inventory.found("checks", path(row.name)),
        text: row.text,
        tree: parseSql(row.text),
      };
    }),
  };
}

/** A key or a unique, except one over time. */
function listOf(
  table: TableRow,
  row: ConstraintRow,
  kind: "primary keys" | "uniques",
  context: TableContext,
): ForeignList[] {
  const { catalogue, inventory } = context;
  const item = inventory.found(kind, `${idOf(table)}.${row.name}`);
  noteDetails(table, row, inventory);
  if (row.text.includes("WITHOUT OVERLAPS")) {
    inventory.leftOut(item, `Write it under \`exclude:\`: ${row.text}`);
    return [];
  }
  const index = catalogue.indexes.find((one) => one.table === table.oid && one.constraint === row.name);
  if (index !== undefined) noteIndexDetails(table, index, context);
  return [{ columns: row.columns, item }];
}

function noteDetails(table: TableRow, row: ConstraintRow, inventory: Inventory): void {
  const path = `${idOf(table)}.${row.name}`;
  if (row.deferrable)
    inventory.leftOut(inventory.found("other", `${path} deferrable`), "Plinth checks it with each statement.");
  if (!row.valid) inventory.leftOut(inventory.found("other", `${path} not valid`), "It applies to every record here.");
}

/**
 * The properties of an index in addition to its columns. A unique without distinct nulls is stricter in the source than it can be
 * here.
 */
function noteIndexDetails(table: TableRow, row: IndexRow, { catalogue, inventory }: TableContext): void {
  const detail = (what: string): Item => inventory.found("index details", `${idOf(table)}.${row.name} ${what}`);
  if (row.included.length > 0)
    inventory.leftOut(
      detail(`include (${row.included.join(", ")})`),
      "An index has only its own fields; the unique fields are the same.",
    );
  if (row.descending)
    inventory.leftOut(detail("order"), "An index is a B-tree in ascending order, which Postgres reads both ways.");
  for (const operator of row.operators)
    inventory.leftOut(detail(operator), "An index uses the usual operators of its types.");
  if (!row.nullsNotDistinct || !row.unique) return;
  const isRequired = (name: string | null): boolean =>
    catalogue.columns.some((column) => column.table === table.oid && column.name === name && column.required);
  if (row.columns.every(isRequired)) inventory.expressed(detail("nulls not distinct"));
  else
    inventory.leftOut(
      detail("nulls not distinct"),
      "Records without a value are not compared; make its fields required if only one such record is allowed.",
    );
}

type FoundIndex = ForeignList & { readonly unique: boolean };

function indexOf(table: TableRow, row: IndexRow, context: TableContext): FoundIndex[] {
  const { inventory } = context;
  const item = inventory.found(row.unique ? "uniques" : "indexes", `${idOf(table)}.${row.name}`);
  const problem = indexProblem(row);
  if (problem !== null) {
    inventory.leftOut(item, problem);
    return [];
  }
  noteIndexDetails(table, row, context);
  return [{ columns: row.columns as readonly string[], item, unique: row.unique }];
}

function indexProblem({ columns, partial, method, unique }: IndexRow): string | null {
  const what = unique ? "A unique" : "An index";
  if (columns.includes(null))
    return `${what} over an expression has no counterpart; a separate field can have the value.`;
  if (partial !== null) return `${what} over some of the rows has no counterpart.`;
  if (method === "btree" || method === "hash") return null;
  return `An index of the kind ${method} has no counterpart; \`searchable\` fields have one for full text.`;
}

const actions = { c: "cascade", n: "set_null", d: "set_default" } as const;

function referenceOf(id: string, row: ConstraintRow, inventory: Inventory): ForeignReference {
  const path = `${id}.${row.name}`;
  if (row.deferrable)
    inventory.leftOut(inventory.found("other", `${path} deferrable`), "Plinth checks it with each statement.");
  if (!row.valid) inventory.leftOut(inventory.found("other", `${path} not valid`), "It applies to every record here.");
  return {
    name: row.name,
    item: inventory.found("relations", path),
    columns: row.columns,
    table: row.target ?? "",
    targetColumns: row.targetColumns,
    onDelete: actions[row.onDelete as keyof typeof actions] ?? "restrict",
    onDeleteItem: inventory.found("on delete", path),
    onUpdateItem: inventory.found("on update", path),
    back: null,
  };
}

interface Shared {
  readonly references: readonly ForeignReference[];
  readonly indexes: readonly ForeignList[];
}

/**
 * Constraints of partitions. If all partitions have the same one, it applies to the table; otherwise it can't be expressed. A
 * partition's own primary key and unique only apply within it.
 */
function sharedByPartitions(table: TableRow, { catalogue, inventory }: TableContext): Shared {
  const partitions = partitionsOf(table, catalogue).filter((one) => !one.partitioned);
  const references = new Map<string, ForeignReference>();
  const indexes = new Map<string, ForeignList>();
  const own = catalogue.constraints.filter((row) => partitions.some((one) => one.oid === row.table));
  const likeness = (row: ConstraintRow): string =>
    [row.type, row.columns, row.target, row.targetColumns, row.onDelete, row.type === "c" ? row.text : ""].join("|");
  for (const partition of partitions) {
    for (const row of own.filter((one) => one.table === partition.oid)) {
      const path = `${idOf(partition)}.${row.name}`;
      const everywhere =
        new Set(own.filter((one) => likeness(one) === likeness(row)).map((one) => one.table)).size ===
        partitions.length;
      if (row.type === "f" && everywhere) {
        const known = references.get(likeness(row));
        if (known === undefined) references.set(likeness(row), referenceOf(idOf(partition), row, inventory));
        else
          for (const kind of ["relations", "on delete", "on update"] as const)
            inventory.changed(
              inventory.found(kind, path),
              `It becomes that of ${idOf(table)}, because each partition has it.`,
            );
      } else {
        const kinds = { p: "primary keys", u: "uniques", f: "relations", c: "checks", x: "exclusions" } as const;
        inventory.leftOut(
          inventory.found(kinds[row.type], path),
          "It applies to a partition, which isn't a separate entity.",
        );
      }
    }
    for (const row of catalogue.indexes.filter(
      (one) => one.table === partition.oid && one.constraint === null && !one.inherited,
    )) {
      const key = row.columns.join(" ");
      const everywhere = partitions.every((one) =>
        catalogue.indexes.some((other) => other.table === one.oid && other.columns.join(" ") === key && !other.unique),
      );
      const item = inventory.found(row.unique ? "uniques" : "indexes", `${idOf(partition)}.${row.name}`);
      const problem = indexProblem(row);
      if (problem !== null || row.unique || !everywhere)
        inventory.leftOut(item, problem ?? "It applies to a partition, which isn't a separate entity.");
      else if (indexes.has(key))
        inventory.changed(item, `It becomes that of ${idOf(table)}, because each partition has it.`);
      else indexes.set(key, { columns: row.columns as readonly string[], item });
    }
  }
  return { references: [...references.values()], indexes: [...indexes.values()] };
}
