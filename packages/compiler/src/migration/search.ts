// Migrates the search column of a table. In: a table's change. Out: steps, and the index with a new name. For a new
// column, its trigger is added first and it is then filled batch by batch; the old release uses its own column until
// the switch.
import type { TableSearch } from "@plinth/bundle";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { backfill } from "./backfill.ts";
import type { Renamed, RuleChange } from "./checks.ts";
import { replaceColumns } from "./column-sql.ts";
import * as ddl from "./ddl.ts";
import type { Matched, TableChange } from "./match.ts";
import { alteration, concurrent, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { searchName, stagedName } from "./names.ts";
import { underNamesOfNow, underNewNames } from "./table-sql.ts";

export function searchChanges(table: TableChange, schema: Matched): RuleChange {
  const [before, after] = [table.before.search, table.after.search];
  if (after === undefined)
    return { steps: before === undefined ? [] : [stop(table), drop(table, before)], renamed: [] };
  const name = searchName(table.after.name);
  if (before !== undefined && underNewNames(table, before.value) === after.value) {
    const renamed: readonly Renamed[] = before.index === after.index ? [] : [[before.index, after.index]];
    const isSame = before.value === after.value && searchName(table.before.name) === name;
    return { steps: isSame ? [] : [stop(table), keep(table, after)], renamed };
  }
  const staged = stagedOf(table, after, schema);
  const isFinal = staged.name === name && staged.column === after.column && staged.value === after.value;
  return {
    steps: [
      ...make(table, after, staged),
      ...(before === undefined ? [] : [stop(table), drop(table, before)]),
      ...(isFinal ? [] : [stop(table, staged.name), keep(table, after)]),
      ...(staged.column === after.column ? [] : [place(table, staged.column, after.column)]),
    ],
    renamed: staged.index === after.index ? [] : [[staged.index, after.index]],
  };
}

interface Staged extends TableSearch {
  /** The names of its trigger and function. */
  readonly name: string;
}

/** Until the switch: over the columns by their current names, next to the column with its names. */
function stagedOf(table: TableChange, search: TableSearch, { namesBefore }: Matched): Staged {
  const { before, after } = table;
  const name = searchName(after.name);
  const isTaken = before.name === after.name ? before.search !== undefined : namesBefore.has(after.name);
  return {
    column: before.search?.column === search.column ? stagedName(search.column) : search.column,
    index: namesBefore.has(search.index) ? stagedName(search.index) : search.index,
    value: underNamesOfNow(table, search.value),
    name: isTaken ? stagedName(name) : name,
  };
}

function make(table: TableChange, { index }: TableSearch, staged: Staged): readonly Step[] {
  const [old, name] = [table.before.name, table.after.name];
  const common = { table: old, undo: UNDO_BY_DEPLOY } as const;
  return [
    alteration(
      { ...common, slug: `add-search-${name}`, stage: "add", summary: `Add the search column of ${name}.` },
      ddl.addColumn(old, { name: staged.column, sqlType: "tsvector", nullable: true, default: null, identity: false }),
    ),
    statement(
      {
        ...common,
        slug: `keep-search-${name}`,
        stage: "feed",
        lock: "share row exclusive",
        summary: `Add a trigger that updates the search column of ${name} when its texts change.`,
      },
      ddl.keepSearch(old, staged.name, staged),
    ),
    backfill(table, {
      slug: `fill-search-${name}`,
      summary: `Fill the search column of ${name}, one batch of records at a time.`,
      undo: UNDO_BY_DEPLOY,
      assignments: [
        {
          column: staged.column,
          value: (row) => replaceColumns(staged.value, (column) => `${row}.${q(column)}`),
          missing: true,
        },
      ],
    }),
    concurrent(
      {
        ...common,
        slug: `index-${index}`,
        stage: "index",
        summary: `Build the search index of ${name}.`,
        scans: true,
      },
      ddl.createIndexOnline(old, ddl.searchIndex(staged)),
      ddl.dropIndexOnline(staged.index),
    ),
  ];
}

/** Before any rename, because it uses the old names of columns. */
function stop(table: TableChange, name: string = searchName(table.before.name)): Step {
  return alteration(
    {
      slug: `stop-${name}`,
      stage: "unfeed",
      summary: `Remove the trigger that updates the search column of ${table.after.name} under its old names.`,
      table: table.before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.keepSearchNoLonger(table.before.name, name),
  );
}

/** When everything has its new name, inside the switch: nothing is written in between. */
function keep({ before, after }: TableChange, search: TableSearch): Step {
  return statement(
    {
      slug: `keep-search-${after.name}`,
      stage: "settle",
      summary: `Add a trigger that updates the search column of ${after.name} under its new names.`,
      table: before.name,
      undo: UNDO_BY_DEPLOY,
      lock: "share row exclusive",
    },
    ddl.keepSearch(after.name, searchName(after.name), search),
  );
}

function place({ before, after }: TableChange, from: string, to: string): Step {
  return alteration(
    {
      slug: `place-search-${after.name}`,
      stage: "settle",
      summary: `Replace the old search column of ${after.name} by the new one.`,
      table: before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.renameColumn(after.name, from, to),
  );
}

/** Nothing is set aside, because it only contains what was made from the texts. Its index is removed with it. */
function drop({ before, after }: TableChange, { column }: TableSearch): Step {
  return alteration(
    {
      slug: `drop-search-${before.name}`,
      stage: "loosen",
      summary: `Remove the search column of ${after.name}.`,
      table: before.name,
      undo: "Deploy the previous version: the search column is built again.",
    },
    ddl.dropColumn(before.name, column),
  );
}
