// Computes `fill` of existing records. In: two models, then matched tables. Out: the same tables, in which filled
// columns have their values as SQL. The SQL uses the values from before the first step, whenever it runs, so that no
// fill depends on the progress of another column or table.
import { type Field, isGeneratedForExisting, type Model, targetOf } from "@plinth/blueprint";
import type { Renames } from "@plinth/bundle";
import type { Expression } from "@plinth/expression";
import { lower } from "../rules/lower.ts";
import { keptValue } from "../rules/stored-value.ts";
import { type Catalog, catalogOf, DELETED_AT, entityOf } from "../sql/catalog.ts";
import { sqlTypeOf } from "../sql/column-type.ts";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import type { ColumnChange, Matched, TableChange } from "./match.ts";
import type { Refusal } from "./migration-step.ts";
import { slugSql } from "./slug-sql.ts";
import { changeOf, existingValueOf, forgetsDeleted, rowsOf } from "./table-sql.ts";

/** A column on the path to a value, by its new names. */
interface Place {
  readonly table: string;
  readonly column: string;
}

export interface DeclaredFill {
  /**
   * The value, given the SQL of the column at the end of a path. Null if it is unknown, or not valid for the column.
   */
  readonly value: (write: (way: readonly Place[]) => string) => string;
  /** It was not declared before: a field that was is already filled. */
  readonly isNew: boolean;
  /** Each value is known to refer to a record of the column's target table. The default is false. */
  readonly refers?: boolean;
}

/** Table > column, both by their new names. */
export type Fills = Readonly<Record<string, Readonly<Record<string, DeclaredFill>>>>;

export function fillsOf(before: Model | null, after: Model, { tables, columns }: Renames): Fills {
  const catalog = catalogOf(after);
  const oldTables = new Map(Object.entries(tables).map(([from, to]) => [to, from]));
  return Object.fromEntries(
    after.entities.map(({ name: entity, plural, fields }) => {
      const old = before?.entities.find((one) => one.plural === (oldTables.get(plural) ?? plural));
      const oldColumns = new Map(Object.entries(columns[plural] ?? {}).map(([from, to]) => [to, from]));
      const fills = fields.flatMap((field) => {
        const was = old?.fields.find(({ name }) => name === (oldColumns.get(field.name) ?? field.name));
        const value = valueDeclaredBy(field, entity, catalog);
        return value === null ? [] : [[field.name, { value, isNew: was?.fill === undefined }] as const];
      });
      return [plural, Object.fromEntries(fills)];
    }),
  );
}

function valueDeclaredBy(field: Field, entity: string, catalog: Catalog): DeclaredFill["value"] | null {
  const { fill, type } = field;
  if (isGeneratedForExisting(field)) {
    const own = (name: string) => wayOf([name], entity, catalog);
    return (write) => slugSql(write(own(field.type.from)), write(own("id")));
  }
  if (fill === undefined) return null;
  return (write) => {
    const path = (names: readonly string[]): string => write(wayOf(names, entity, catalog));
    return fitted(lower(fill, { entity, catalog, path }), fill, sqlTypeOf(type));
  };
}

function wayOf(names: readonly string[], entity: string, catalog: Catalog): readonly Place[] {
  let at = entityOf(catalog, entity);
  return names.map((column, index) => {
    const place = { table: at.table, column };
    const type = at.fields.get(column);
    const target = type === undefined ? null : targetOf(type);
    if (target !== null && index < names.length - 1) at = entityOf(catalog, target);
    return place;
  });
}

/** Numbers are rounded to the decimal places of the column; a number that is too large becomes null. */
function fitted(value: string, fill: Expression, sqlType: string): string {
  const { kind } = fill.type;
  if (kind !== "int" && kind !== "decimal" && kind !== "float") return `(${keptValue(value, fill)})::${sqlType}`;
  // The smallest whole number has no positive counterpart, which would overflow.
  const number = kind === "float" ? value : `(${value})::numeric`;
  if (sqlType === "double precision") return `(case when abs(${number}) < 1e150 then ${number} end)::double precision`;
  const exact = kind === "float" ? `(case when abs(${value}) < 1e30 then (${value})::numeric end)` : number;
  const [, precision, scale] = /^numeric\((\d+), ?(\d+)\)$/.exec(sqlType) ?? [];
  if (precision === undefined) {
    const most = sqlType === "integer" ? "2147483647" : "9223372036854775807";
    return `(case when ${exact} = trunc(${exact}) and ${exact} between -${most} - 1 and ${most} then ${exact} end)::${sqlType}`;
  }
  const bound = `1${"0".repeat(Number(precision) - Number(scale))}`;
  return `(case when abs(round(${exact}, ${scale})) < ${bound} then round(${exact}, ${scale}) end)::${sqlType}`;
}

/** The maximum length of one value's SQL: it includes the SQL of other fills that it reads. */
const VALUE_LENGTH_MAX = 100_000;

class TooLong extends Error {}

export function withFills(schema: Matched, fills: Fills): Matched {
  const kept = new Map(schema.kept.map((table) => [table.after.name, table]));
  const created = new Map([...schema.early, ...schema.late].map((table) => [table.name, table]));
  const refused: Refusal[] = [];
  let aliases = 0;
  /** The remaining length for the current value; not counted when it is known to be short enough. */
  let left = Number.POSITIVE_INFINITY;

  function fillOf(table: TableChange, change: ColumnChange): DeclaredFill | null {
    const fill = fills[table.after.name]?.[change.after.name];
    return fill !== undefined && isApplied(change, fill) ? fill : null;
  }

  /** The value of the column at the switch. */
  function value(table: TableChange, change: ColumnChange, row: string): string {
    const existingValue = existingValueOf(change, row);
    const fill = fillOf(table, change);
    if (fill === null) return existingValue;
    const filled = filledValue(table, change, fill, row);
    // Deleted records are removed at the switch, and don't have to satisfy the rules of the others.
    if (!forgetsDeleted(table)) return filled;
    return `(case when ${row}.${q(DELETED_AT)} is null then ${filled} else ${existingValue} end)`;
  }

  function filledValue(table: TableChange, change: ColumnChange, fill: DeclaredFill, row: string): string {
    const existingValue = existingValueOf(change, row);
    const given = fill.value((way) => follow(table, way, row));
    const missing = change.before === null ? null : `${row}.${q(change.before.name)} is null`;
    const fallback = change.after.default;
    if (missing === null) return fallback === null ? given : `coalesce(${given}, ${fallback})`;
    if (change.how === "kept" && change.restored !== null && fallback !== null)
      return `coalesce(${existingValue}, ${given}, ${fallback})`;
    return `(case when ${missing} then ${given} else ${existingValue} end)`;
  }

  function follow(table: TableChange, [place, ...rest]: readonly Place[], row: string): string {
    if (place === undefined) throw new Error("a way without a column");
    const here = value(table, changeOf(table, place.column), row);
    left -= here.length;
    if (left < 0) throw new TooLong();
    const [next] = rest;
    if (next === undefined) return here;
    const target = kept.get(next.table);
    if (target === undefined) return nothingOf(rest.at(-1) ?? next);
    const alias = `_f${++aliases}`;
    return `(select ${follow(target, rest, alias)} from ${rowsOf(target)} ${alias} where ${alias}."id" = ${here})`;
  }

  /** A table that the same plan creates has no rows yet. */
  function nothingOf({ table, column }: Place): string {
    const of = created.get(table) ?? kept.get(table)?.after;
    const sqlType = of?.columns.find(({ name }) => name === column)?.sqlType;
    if (sqlType === undefined) throw new Error(`there is no column ${table}.${column}`);
    return `null::${sqlType}`;
  }

  const filled = schema.kept.map((table) => ({
    ...table,
    columns: table.columns.map((change): ColumnChange => {
      const declared = fillOf(table, change);
      if (declared === null) return change;
      try {
        left = VALUE_LENGTH_MAX;
        const old = value(table, change, q(table.before.name));
        const of = (row: string): string => value(table, change, row);
        return { ...change, fill: { old, of, refers: declared.refers === true } };
      } catch (error) {
        if (!(error instanceof TooLong)) throw error;
        const reason = `The fill of ${table.after.name}.${change.after.name} depends on too many other fills. Deploy some of them first.`;
        refused.push({ path: `${table.after.name}.${change.after.name}`, reason });
        return change;
      } finally {
        left = Number.POSITIVE_INFINITY;
      }
    }),
  }));
  return { ...schema, kept: filled, refused: [...schema.refused, ...refused] };
}

/** Rows without a value: in a new column, in a column that newly requires one, or in one that gets its first `fill`. */
function isApplied(change: ColumnChange, { isNew }: DeclaredFill): boolean {
  if (change.before === null) return true;
  return (
    change.before.nullable && (!change.after.nullable || isNew || (change.how === "kept" && change.restored !== null))
  );
}
