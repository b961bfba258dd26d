// Matches two schemas. In: the tables before and after, renames, and what is set aside. Out: for each table and column
// its counterpart, and the changes for which no migration is possible. It never writes a step.
import type { Column, Renames, SetAside, Table } from "@plinth/bundle";
import { DELETED_AT } from "../sql/catalog.ts";
import { columnsIn } from "./column-sql.ts";
import { type Conversion, conversionOf } from "./conversions.ts";
import { primaryKeyName } from "./ddl.ts";
import type { Refusal } from "./migration-step.ts";
import { keptTypeOf, returningName, stagedName, typeOfKept } from "./names.ts";

export interface Restored {
  readonly what: SetAside;
  /** Its name when it is restored: another thing can have its name until the renames. */
  readonly as: string;
}

/** The final value of a filled column, over the values of its row before the first step. */
export interface ColumnFill {
  /** If the statement uses the table without an alias. */
  readonly old: string;
  /** Over the row with this alias. */
  readonly of: (row: string) => string;
  /** Each value is known to refer to a record of the column's target table. */
  readonly refers: boolean;
}

/** A column of the new schema. `now` is its name until the switch; `fill`, the value for existing rows. */
export type ColumnChange = (
  | {
      readonly how: "kept";
      readonly before: Column;
      readonly after: Column;
      readonly now: string;
      readonly restored: Restored | null;
    }
  /** Postgres changes the type only in its catalog. */
  | { readonly how: "retyped"; readonly before: Column; readonly after: Column; readonly now: string }
  /** A new column replaces it. */
  | {
      readonly how: "converted";
      readonly before: Column;
      readonly after: Column;
      readonly now: string;
      readonly conversion: Conversion;
    }
  | { readonly how: "added"; readonly before: null; readonly after: Column; readonly now: string }
) & { readonly fill?: ColumnFill };

/** A table in both schemas; a restored one is under the name that it was kept as. */
export interface TableChange {
  readonly before: Table;
  readonly after: Table;
  readonly columns: readonly ColumnChange[];
  readonly dropped: readonly Column[];
  readonly restored: Restored | null;
}

export interface Matched {
  readonly kept: readonly TableChange[];
  /** Created while the old release serves. */
  readonly early: readonly Table[];
  /** Created at the switch: an old thing has one of their names until then. */
  readonly late: readonly Table[];
  readonly dropped: readonly Table[];
  readonly refused: readonly Refusal[];
  /** Names of tables and indexes, which share one namespace. */
  readonly namesBefore: ReadonlySet<string>;
  readonly namesAfter: ReadonlySet<string>;
}

export interface MatchInput {
  readonly before: readonly Table[];
  readonly after: readonly Table[];
  readonly renames: Renames;
  readonly setAside: readonly SetAside[];
  /** Tables, and columns as `table.column`, by their new names, whose values come from others and from nothing else. */
  readonly made?: ReadonlySet<string>;
}

export function match(input: MatchInput): Matched {
  const { after, renames, made } = input;
  const returning = tablesComingBack(input);
  const before = [...input.before, ...returning.map(({ table }) => table)];
  const oldNameOf = new Map(after.map((table) => [table.name, table.name]));
  const standing = new Map(before.map((table) => [table.name, table]));
  for (const [from, to] of Object.entries(renames.tables))
    if (standing.has(from) && oldNameOf.has(to)) oldNameOf.set(to, from);
  for (const { table, name } of returning) oldNameOf.set(name, table.name);
  // A renamed thing doesn't leave its new name to anything else.
  const taken = new Set([...oldNameOf].filter(([to, from]) => to !== from).map(([, from]) => from));
  for (const [to, from] of oldNameOf) if ((to === from && taken.has(from)) || made?.has(to)) oldNameOf.delete(to);

  const kept: TableChange[] = [];
  const created: Table[] = [];
  const refused: Refusal[] = [];
  const used = new Set<string>();
  for (const table of after) {
    const old = standing.get(oldNameOf.get(table.name) ?? "");
    // A table of pairs between other entities is another table.
    if (old === undefined || keyUnderNewNames(old, table, renames) !== table.primaryKey.join()) {
      created.push(table);
      continue;
    }
    used.add(old.name);
    const restored = returning.find((one) => one.table === old)?.restored ?? null;
    const change = matchTable(old, table, input, restored);
    kept.push(change.table);
    refused.push(...change.refused);
  }
  const namesBefore = new Set(before.flatMap(relationNames));
  const isFree = (table: Table): boolean => relationNames(table).every((name) => !namesBefore.has(name));
  return {
    kept,
    early: created.filter(isFree),
    late: created.filter((table) => !isFree(table)),
    dropped: before.filter((table) => !used.has(table.name)),
    refused,
    namesBefore,
    namesAfter: new Set(after.flatMap(relationNames)),
  };
}

function relationNames(table: Table): readonly string[] {
  return [
    table.name,
    primaryKeyName(table.name),
    ...table.uniques.map((unique) => unique.name),
    ...table.indexes.map((index) => index.name),
    ...(table.exclusions ?? []).map((exclusion) => exclusion.name),
    ...(table.search === undefined ? [] : [table.search.index]),
  ];
}

interface Moves {
  /** Names that are left to others. */
  readonly leaving: ReadonlySet<string>;
  readonly arriving: ReadonlySet<string>;
}

/** Only renames with an effect: from an existing name to a new one. */
function movesOf(
  renames: Readonly<Record<string, string>>,
  names: ReadonlySet<string>,
  wanted: ReadonlySet<string>,
): Moves {
  const real = Object.entries(renames).filter(([from, to]) => names.has(from) && wanted.has(to));
  return { leaving: new Set(real.map(([from]) => from)), arriving: new Set(real.map(([, to]) => to)) };
}

const namesIn = (parts: readonly { readonly name: string }[]): ReadonlySet<string> =>
  new Set(parts.map((part) => part.name));

/** A table is restored if each of its columns fits; otherwise a new one is created, and the old one stays set aside. */
function tablesComingBack({ before, after, renames, setAside, made }: MatchInput) {
  const names = namesIn(before);
  const { leaving, arriving } = movesOf(renames.tables, names, namesIn(after));
  return after.flatMap((table) => {
    if ((names.has(table.name) && !leaving.has(table.name)) || arriving.has(table.name)) return [];
    if (made?.has(table.name)) return [];
    const what = setAside.findLast((one) => one.kind === "table" && one.table === table.name && fits(one.was, table));
    if (what?.was == null) return [];
    const as = names.has(table.name) ? returningName(table.name) : table.name;
    return [{ name: table.name, table: what.was, restored: { what, as } }];
  });
}

function fits(was: Table | null, table: Table): boolean {
  if (was == null || was.primaryKey.join() !== table.primaryKey.join()) return false;
  const types = new Map(was.columns.map((column) => [column.name, column]));
  return table.columns.every((column) => {
    const old = types.get(column.name);
    if (old === undefined) return !column.identity;
    return keptTypeOf(old) === keptTypeOf(column) && old.identity === column.identity;
  });
}

interface MatchedTable {
  readonly table: TableChange;
  readonly refused: readonly Refusal[];
}

function matchTable(before: Table, after: Table, input: MatchInput, restored: Restored | null): MatchedTable {
  const back = restored === null ? columnsComingBack(before, after, input) : new Map<string, Restored>();
  const backColumns = [...back.values()].map(({ what }) => keptColumn(what));
  const standing: Table = { ...before, columns: [...before.columns, ...backColumns] };
  const sources = sourcesOf(standing, after, input.renames, back);
  for (const { name } of after.columns) if (input.made?.has(`${after.name}.${name}`)) sources.delete(name);
  const names = new Set(standing.columns.map((column) => column.name));
  const columns: ColumnChange[] = [];
  const refused: Refusal[] = [];
  for (const column of after.columns) {
    const old = sources.get(column.name);
    const staged = names.has(column.name) ? stagedName(column.name) : column.name;
    if (old === undefined) {
      if (column.identity) refused.push({ path: `${after.name}.${column.name}`, reason: identityReason });
      columns.push({ how: "added", before: null, after: column, now: staged });
      continue;
    }
    const change = matchColumn(standing, after, old, column, back.get(column.name) ?? null);
    if ("reason" in change) refused.push({ path: `${after.name}.${column.name}`, reason: change.reason });
    else columns.push(change);
  }
  const wanted = new Set([...sources.values()].map((column) => column.name));
  const dropped = standing.columns.filter((column) => !wanted.has(column.name));
  return { table: { before: standing, after, columns, dropped, restored }, refused };
}

const identityReason = "A column that the database numbers itself can't be added or removed.";

function keyUnderNewNames(before: Table, after: Table, renames: Renames): string {
  return before.primaryKey.map((name) => renames.columns[after.name]?.[name] ?? name).join();
}

function columnsComingBack(
  before: Table,
  after: Table,
  { renames, setAside, made }: MatchInput,
): Map<string, Restored> {
  const names = namesIn(before.columns);
  const { leaving, arriving } = movesOf(renames.columns[after.name] ?? {}, names, namesIn(after.columns));
  const back = new Map<string, Restored>();
  for (const column of after.columns) {
    const { name, identity } = column;
    if ((names.has(name) && !leaving.has(name)) || arriving.has(name) || identity) continue;
    // Old deletion marks would delete records that have been in use since.
    if (made?.has(`${after.name}.${name}`) || name === DELETED_AT) continue;
    const type = keptTypeOf(column);
    const what = setAside.findLast(
      (one) => one.kind === "column" && one.table === before.name && one.column === name && one.sqlType === type,
    );
    if (what !== undefined) back.set(name, { what, as: names.has(name) ? returningName(name) : name });
  }
  return back;
}

function keptColumn(what: SetAside): Column {
  return { name: what.keptAs, ...typeOfKept(what.sqlType ?? ""), nullable: true, default: null, identity: false };
}

/** New name > the column that it was. */
function sourcesOf(before: Table, after: Table, renames: Renames, back: ReadonlyMap<string, Restored>) {
  const columns = new Map(before.columns.map((column) => [column.name, column]));
  const wanted = new Set(after.columns.map((column) => column.name));
  const renamed = Object.entries(renames.columns[after.name] ?? {}).filter(
    ([from, to]) => columns.has(from) && wanted.has(to),
  );
  for (const [to, { what }] of back) renamed.push([what.keptAs, to]);
  const leaving = new Set(renamed.map(([from]) => from));
  const sources = new Map<string, Column>();
  for (const name of wanted) {
    const same = columns.get(name);
    if (same !== undefined && !leaving.has(name)) sources.set(name, same);
  }
  for (const [from, to] of renamed) sources.set(to, columns.get(from)!);
  return sources;
}

function matchColumn(
  before: Table,
  after: Table,
  old: Column,
  column: Column,
  restored: Restored | null,
): ColumnChange | { readonly reason: string } {
  if (old.identity !== column.identity) return { reason: identityReason };
  if (old.encrypted !== column.encrypted) return { reason: encryptionReason(after, column) };
  const pair = { before: old, after: column, now: old.name };
  if (old.sqlType === column.sqlType) return { how: "kept", ...pair, restored };
  const [key, ...more] = before.primaryKey;
  if (key === undefined || more.length > 0 || before.primaryKey.includes(old.name))
    return { reason: `The type of ${after.name}.${column.name} can't change, because it identifies the record.` };
  if (widensInPlace(before, after, old, column)) return { how: "retyped", ...pair };
  const conversion = conversionOf(old.sqlType, column.sqlType);
  if (conversion === null) return { reason: noConversionReason(after, old, column) };
  return { how: "converted", ...pair, now: stagedName(column.name), conversion };
}

/** The planner's SQL has no key, and no log may contain the values. */
function encryptionReason(after: Table, column: Column): string {
  const name = `${after.name}.${column.name}`;
  const why = column.encrypted === true ? "its values are not encrypted" : "its values are encrypted";
  return `${name} can't ${column.encrypted === true ? "become a secret" : "stop being a secret"}: ${why}. Add a new field of the new type, write the values through the API, and remove this field later.`;
}

function noConversionReason(after: Table, old: Column, column: Column): string {
  const name = `${after.name}.${column.name}`;
  return `${name} can't change from ${old.sqlType} to ${column.sqlType}: no conversion keeps all values. Add a new field of the new type, set its values with \`fill\` or from your app, and remove this field later.`;
}

/**
 * More digits before the decimal point only change the catalog. An index with a predicate or an expression would be
 * rebuilt under the strongest lock, so such a column is converted in batches.
 */
function widensInPlace(before: Table, after: Table, old: Column, column: Column): boolean {
  const [from, to] = [old, column].map(({ sqlType }) => /^numeric\((\d+), ?(\d+)\)$/.exec(sqlType));
  if (from == null || to == null || from[2] !== to[2] || Number(to[1]) < Number(from[1])) return false;
  const inParts = (table: Table, name: string): boolean =>
    table.uniques.some((one) => one.where !== null && (one.columns.includes(name) || columnsIn(one.where).has(name))) ||
    table.indexes.some((one) => one.where !== null && columnsIn([...one.keys, one.where].join(" ")).has(name)) ||
    table.indexes.some((one) => one.keys.some((key) => key.startsWith("(") && columnsIn(key).has(name)));
  return !inParts(before, old.name) && !inParts(after, column.name);
}
