// Random schemas and random changes between them. In: numbers from a generator. Out: tables, renames, rows. Only
// property tests import this.
import type { Check, Column, Renames, Table } from "@plinth/bundle";
import fc from "fast-check";
import { conversionOf } from "../conversions.ts";
import { check, index, optional, references, required, searched, table, unique } from "./sample-tables.ts";

/** `uid` identifies the same object under another name. */
export interface ColumnSketch {
  readonly uid: number;
  name: string;
  type: string;
  nullable: boolean;
  fallback: boolean;
  /** The number of a rule of the type, 0 for none. */
  rule: number;
  /** 0 for none, 1 alone, 2 together with the next column. */
  unique: number;
  index: boolean;
  /** The `uid` of the table that it refers to. */
  target: number | null;
}

export interface TableSketch {
  readonly uid: number;
  name: string;
  soft: boolean;
  named: boolean;
  columns: ColumnSketch[];
}

export type Sketch = readonly TableSketch[];

const types = [
  "text",
  "integer",
  "bigint",
  "numeric(8,2)",
  "numeric(12,2)",
  "numeric(12,4)",
  "double precision",
  "boolean",
  "date",
  "timestamptz",
  "uuid",
  "text[]",
  "integer[]",
  "jsonb",
] as const;
const columnNames = ["a", "b", "c", "d", "e", "f"];
const tableNames = ["posts", "pages", "notes", "tags"];

const fallbacks: Readonly<Record<string, string>> = {
  text: "'2'",
  boolean: "false",
  date: "'2024-02-29'",
  timestamptz: "now()",
  uuid: "'00000000-0000-7000-8000-0000000000ff'",
  "text[]": "'{}'",
  "integer[]": "'{}'",
  jsonb: "'[]'",
};

export const values: Readonly<Record<string, readonly string[]>> = {
  text: ["1", "2", "7", "true", "2024-02-29", "12.50", "x y", "00000000-0000-7000-8000-00000000000a", "it's"],
  integer: ["0", "1", "2", "40", "-3"],
  bigint: ["0", "1", "2", "9007199254740993"],
  "numeric(8,2)": ["0", "1.00", "2.50", "-3"],
  "numeric(12,2)": ["0", "1.00", "2.50", "1234567890.12"],
  "numeric(12,4)": ["0", "1.0001", "2.5"],
  "double precision": ["0", "1", "2.5", "1e20", "0.1"],
  boolean: ["true", "false"],
  date: ["2024-02-29", "0001-01-01"],
  timestamptz: ["2024-02-29T12:00:00Z", "2024-02-29T00:00:00.5Z"],
  uuid: ["00000000-0000-7000-8000-00000000000a", "00000000-0000-7000-8000-00000000000b"],
  "text[]": ["{}", "{1}", "{1,2}"],
  "integer[]": ["{}", "{1}", "{1,2}"],
  jsonb: ["[]", "[1]", '{"a":1}'],
};

function ruleOf({ type, rule }: ColumnSketch): Check["rule"] | null {
  if (rule === 0) return null;
  if (type === "text")
    return [
      { kind: "length", min: 1, max: 60 } as const,
      { kind: "length", min: 1, max: 4 } as const,
      { kind: "one_of", values: ["2", "1", "7", "true"] } as const,
    ][rule - 1]!;
  if (type === "text[]") return { kind: "subset_of", values: rule === 1 ? ["2", "1"] : ["1"] };
  if (type === "integer[]" || type === "jsonb") return { kind: "length", min: null, max: rule };
  if (/^(int|bigint|numeric|double)/.test(type))
    return { kind: "range", min: "-10", max: rule === 1 ? null : String(10 * rule) };
  return null;
}

export function lower(sketch: Sketch): readonly Table[] {
  return sketch.map((one) => {
    const columns: Column[] = one.columns.map((column) => {
      const fallback = column.fallback ? (fallbacks[column.type] ?? "2") : null;
      const target = column.target === null ? null : fallback;
      return column.nullable || column.target !== null
        ? optional(column.name, column.type, column.target === null ? (target ?? fallback) : null)
        : required(column.name, column.type, fallback);
    });
    const first = one.columns.find((column) => column.type !== "jsonb");
    const texts = one.columns.filter(({ type }) => type === "text").map(({ name }) => name);
    return table(one.name, {
      columns: one.soft ? [...columns, optional("deleted_at", "timestamptz")] : columns,
      uniques: one.columns.flatMap((column, at) => {
        if (column.unique === 0 || column.type === "jsonb") return [];
        const next = one.columns[at + 1];
        const pair = column.unique === 2 && next !== undefined ? [column.name, next.name] : [column.name];
        return [unique(one.name, pair, one.soft ? '"deleted_at" is null' : null)];
      }),
      indexes: one.columns.flatMap((column) => (column.index ? [index(one.name, [column.name])] : [])),
      foreignKeys: one.columns.flatMap((column) => {
        const target = sketch.find((other) => other.uid === column.target);
        if (target === undefined || column.type !== "uuid") return [];
        return [references(one.name, column.name, target.name, column.rule === 1 ? "cascade" : "no action")];
      }),
      checks: [
        ...one.columns.flatMap((column) => {
          const rule = ruleOf(column);
          return rule === null ? [] : [check(one.name, column.name, rule)];
        }),
        ...(one.named && first !== undefined
          ? [
              {
                name: `${one.name}__named__check`,
                columns: [first.name],
                rule: { kind: "sql", sql: `coalesce("${first.name}"::text, '"a"') <> 'x y'` } as const,
              },
            ]
          : []),
      ],
      ...(one.named && texts.length > 0 && { search: searched(one.name, texts) }),
    });
  });
}

interface ColumnParts {
  readonly name: number;
  readonly type: number;
  readonly nullable: boolean;
  readonly fallback: boolean;
  readonly rule: number;
  readonly unique: number;
  readonly index: boolean;
  readonly refers: boolean;
}

const column: fc.Arbitrary<ColumnParts> = fc.record({
  name: fc.nat(5),
  type: fc.nat(types.length - 1),
  nullable: fc.boolean(),
  fallback: fc.boolean(),
  rule: fc.nat(3),
  unique: fc.constantFrom(0, 0, 0, 1, 2),
  index: fc.boolean(),
  refers: fc.boolean(),
});

interface Edit {
  readonly kind: number;
  readonly table: number;
  readonly column: number;
  readonly number: number;
  readonly made: ColumnParts;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.nat(18),
  table: fc.nat(9),
  column: fc.nat(9),
  number: fc.nat(99),
  made: column,
});

export interface Change {
  readonly before: Sketch;
  readonly after: Sketch;
  /** A number for each row of every table. */
  readonly rows: readonly number[];
  /** Whether both releases write while the plan runs. */
  readonly busy: boolean;
}

export const change: fc.Arbitrary<Change> = fc
  .record({
    tables: fc.array(
      fc.record({
        name: fc.nat(3),
        soft: fc.boolean(),
        named: fc.boolean(),
        columns: fc.array(column, { maxLength: 5 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    edits: fc.array(edit, { minLength: 1, maxLength: 8 }),
    rows: fc.array(fc.nat(9999), { maxLength: 5 }),
    busy: fc.boolean(),
  })
  .map(({ tables, edits, rows, busy }) => {
    const before: TableSketch[] = [];
    for (const one of tables) {
      const name = freeName(tableNames, one.name, before);
      if (name === null) continue;
      const made: TableSketch = { uid: before.length, name, soft: one.soft, named: one.named, columns: [] };
      before.push(made);
      for (const part of one.columns) addColumn(made, part, before, made.columns.length);
    }
    const after = structuredClone(before);
    for (const [at, one] of edits.entries()) applyEdit(after, one, 100 + at);
    repair(before);
    repair(after);
    return { before, after, rows, busy };
  });

function freeName(pool: readonly string[], at: number, taken: readonly { readonly name: string }[]): string | null {
  const free = pool.filter((name) => !taken.some((one) => one.name === name));
  return free[at % Math.max(1, free.length)] ?? null;
}

function addColumn(to: TableSketch, made: ColumnParts, all: readonly TableSketch[], uid: number): void {
  const name = freeName(columnNames, made.name, to.columns);
  const type = types[made.type]!;
  if (name === null) return;
  const target = made.refers && type === "uuid" ? (all[made.name % all.length]?.uid ?? null) : null;
  to.columns.push({ ...made, uid, name, type, target });
}

/** No reference to a removed table, or from a column that isn't a reference. */
function repair(sketch: readonly TableSketch[]): void {
  for (const one of sketch)
    for (const part of one.columns)
      if (part.type !== "uuid" || !sketch.some((other) => other.uid === part.target)) part.target = null;
}

function applyEdit(all: TableSketch[], { kind, table: at, column: of, number, made }: Edit, uid: number): void {
  const one = all[at % Math.max(1, all.length)];
  if (kind === 0 || one === undefined) {
    const name = freeName(tableNames, number, all);
    if (name === null) return;
    const fresh: TableSketch = { uid, name, soft: made.fallback, named: made.nullable, columns: [] };
    all.push(fresh);
    addColumn(fresh, made, all, uid);
    return;
  }
  const part = one.columns[of % Math.max(1, one.columns.length)];
  const other = all[number % all.length]!;
  switch (kind) {
    case 1:
      all.splice(all.indexOf(one), 1);
      return;
    case 2:
      one.name = freeName([...tableNames, "memos"], number, all) ?? one.name;
      return;
    case 3:
      [one.name, other.name] = [other.name, one.name];
      return;
    case 4:
      one.soft = !one.soft;
      return;
    case 5:
      one.named = !one.named;
      return;
    case 6:
    case 7:
      addColumn(one, made, all, uid);
      return;
  }
  if (part === undefined) return;
  const second = one.columns[number % one.columns.length]!;
  switch (kind) {
    case 8:
      one.columns.splice(one.columns.indexOf(part), 1);
      return;
    case 9:
      part.name = freeName([...columnNames, "g"], number, one.columns) ?? part.name;
      return;
    case 10:
      [part.name, second.name] = [second.name, part.name];
      return;
    case 11:
    case 12:
    case 13:
      part.type = retyped(part.type, number);
      return;
    case 14:
      part.nullable = !part.nullable;
      return;
    case 15:
      part.fallback = !part.fallback;
      return;
    case 16:
      part.rule = made.rule;
      return;
    case 17:
      part.unique = made.unique;
      part.index = made.index;
      return;
    case 18:
      part.type = "uuid";
      part.target = other.uid;
      return;
  }
}

/** Usually a type with a conversion. */
function retyped(from: string, number: number): string {
  const fine = types.filter((to) => to !== from && conversionOf(from, to) !== null);
  return number % 10 === 0 ? types[number % types.length]! : (fine[number % fine.length] ?? from);
}

/** Objects with a new name, in both directions. */
export function renamesOf(before: Sketch, after: Sketch): Renames {
  const tables: Record<string, string> = {};
  const columns: Record<string, Record<string, string>> = {};
  for (const one of after) {
    const old = before.find((other) => other.uid === one.uid);
    if (old === undefined) continue;
    if (old.name !== one.name) tables[old.name] = one.name;
    for (const part of one.columns) {
      const was = old.columns.find((other) => other.uid === part.uid);
      if (was !== undefined && was.name !== part.name)
        columns[one.name] = { ...columns[one.name], [was.name]: part.name };
    }
  }
  return { tables, columns };
}
