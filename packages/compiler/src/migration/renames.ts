// Renames everything that stays. In: changed tables, and the constraints with new names. Out: steps of the switch that
// only change metadata. If a new name is still in use, its owner moves away first.

import type { Renamed } from "./checks.ts";
import * as ddl from "./ddl.ts";
import type { TableChange } from "./match.ts";
import { alteration, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { movedName } from "./names.ts";

export interface RenamedTable {
  readonly table: TableChange;
  /** Checks and foreign keys. */
  readonly constraints: readonly Renamed[];
  /** Indexes, including unique ones and those of exclusions: a constraint over an index gets its name. */
  readonly indexes: readonly Renamed[];
}

interface Route {
  readonly from: string;
  readonly via: string | null;
  readonly to: string;
}

/** Through a temporary name, if another one needs its current name. */
function routesOf(renamed: readonly Renamed[]): readonly Route[] {
  const wanted = new Set(renamed.map(([, to]) => to));
  return renamed.map(([from, to]) => ({ from, via: wanted.has(from) ? movedName(from) : null, to }));
}

/** Tables and indexes share one namespace, so each rename depends on all others. */
export function renameSteps(tables: readonly RenamedTable[]): readonly Step[] {
  const relations = routesOf(tables.flatMap((one) => [...tableRename(one.table), ...indexRenames(one)]));
  const routes = new Map(relations.map((route) => [route.from, route]));
  return tables.flatMap((one) => [
    ...moveAway(one, routes),
    ...renameTable(one.table, routes),
    ...renameColumns(one.table),
    ...renameRules(one, routes),
  ]);
}

function tableRename({ before, after, restored }: TableChange): readonly Renamed[] {
  const from = restored?.as ?? before.name;
  return from === after.name ? [] : [[from, after.name]];
}

function indexRenames({ table, indexes }: RenamedTable): readonly Renamed[] {
  const { before, after } = table;
  const key: Renamed = [ddl.primaryKeyName(before.name), ddl.primaryKeyName(after.name)];
  return [...(before.name === after.name ? [] : [key]), ...indexes];
}

type Routes = ReadonlyMap<string, Route>;

function moveAway({ table, indexes, constraints }: RenamedTable, routes: Routes): readonly Step[] {
  const moved = (renamed: readonly Renamed[]): readonly Route[] =>
    renamed.flatMap(([from]) => (routes.get(from)?.via == null ? [] : [routes.get(from)!]));
  const tables = moved(tableRename(table)).map(({ from, via }) => ddl.renameTable(from, via!));
  const sql = [
    ...moved(indexRenames({ table, indexes, constraints })).map(({ from, via }) => ddl.renameIndex(from, via!)),
    ...tables,
  ];
  if (sql.length === 0) return [];
  const summary = `Rename parts of ${table.before.name}, so that others can use their names.`;
  const given = {
    slug: `move-${table.before.name}`,
    stage: "move",
    summary,
    table: table.before.name,
    undo: UNDO_BY_DEPLOY,
    lock: tables.length > 0 ? "access exclusive" : "share update exclusive",
  } as const;
  return [statement(given, sql.join("\n"))];
}

function renameTable(table: TableChange, routes: Routes): readonly Step[] {
  return tableRename(table).map(([from, to]) =>
    alteration(
      {
        slug: `rename-${from}-to-${to}`,
        stage: "rename",
        summary: `Rename ${from} to ${to}. No record is rewritten.`,
        table: table.before.name,
        undo: UNDO_BY_DEPLOY,
      },
      ddl.renameTable(routes.get(from)?.via ?? from, to),
    ),
  );
}

/** Things with a temporary name also get their final one. */
function renameColumns(table: TableChange): readonly Step[] {
  const { before, after } = table;
  const renamed = table.columns.flatMap((change): readonly Renamed[] => {
    const from = (change.how === "kept" ? change.restored?.as : null) ?? change.now;
    return from === change.after.name ? [] : [[from, change.after.name]];
  });
  if (renamed.length === 0) return [];
  const routes = routesOf(renamed);
  const sql = [
    ...routes.flatMap(({ from, via }) => (via === null ? [] : [ddl.renameColumn(after.name, from, via)])),
    ...routes.map(({ from, via, to }) => ddl.renameColumn(after.name, via ?? from, to)),
  ].join("\n");
  const shown = renamed.filter(([from]) => before.columns.some((column) => column.name === from));
  const names = shown.map(([from, to]) => `${from} to ${to}`).join(", ");
  const placed = renamed.filter(([from]) => !shown.some(([other]) => other === from)).map(([, to]) => to);
  const summary = [
    ...(shown.length === 0 ? [] : [`Rename ${names} in ${after.name}. No record is rewritten.`]),
    ...(placed.length === 0 ? [] : [`Replace the old columns of ${after.name} by the new ones: ${placed.join(", ")}.`]),
  ].join(" ");
  const converted = table.columns.some((one) => one.how === "converted");
  const given = {
    slug: `rename-columns-${after.name}`,
    stage: "rename",
    summary,
    table: before.name,
    undo: UNDO_BY_DEPLOY,
  } as const;
  return [alteration({ ...given, class: converted ? "rewrite" : "safe" }, sql)];
}

function renameRules(one: RenamedTable, routes: Routes): readonly Step[] {
  const { table, constraints } = one;
  const steps: Step[] = [];
  const common = { stage: "rename", table: table.before.name, undo: UNDO_BY_DEPLOY } as const;
  const indexes = indexRenames(one);
  if (indexes.length > 0) {
    const sql = indexes.map(([from, to]) => ddl.renameIndex(routes.get(from)?.via ?? from, to)).join("\n");
    const summary = `Rename the indexes of ${table.after.name}.`;
    steps.push(
      statement(
        { ...common, slug: `rename-indexes-${table.after.name}`, lock: "share update exclusive", summary },
        sql,
      ),
    );
  }
  if (constraints.length > 0) {
    const ways = routesOf(constraints);
    const sql = [
      ...ways.flatMap(({ from, via }) => (via === null ? [] : [ddl.renameConstraint(table.after.name, from, via)])),
      ...ways.map(({ from, via, to }) => ddl.renameConstraint(table.after.name, via ?? from, to)),
    ].join("\n");
    const summary = `Rename the constraints of ${table.after.name}.`;
    steps.push(alteration({ ...common, slug: `rename-rules-${table.after.name}`, summary }, sql));
  }
  return steps;
}
