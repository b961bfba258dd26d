// Migrates whole tables: creates, removes and restores them, and changes the worker's rights. In: tables. Out: steps.
import type { ForeignKey, SetAside, Table } from "@plinth/bundle";
import * as ddl from "./ddl.ts";
import { targetOfNow } from "./foreign-keys.ts";
import type { Matched, TableChange } from "./match.ts";
import { facts, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { keptName, movedName, searchName } from "./names.ts";

/** @param filled Tables that get rows before the switch: their foreign keys are added while they are empty. */
export function createSteps(schema: Matched, filled: ReadonlySet<string>): readonly Step[] {
  const early = new Set(schema.early);
  return [...schema.early, ...schema.late].flatMap((table) => [
    create(table, early.has(table) ? "create" : "create_late"),
    ...table.foreignKeys.map((key) =>
      refer(table, key, schema, { early: early.has(table), filled: filled.has(table.name) }),
    ),
  ]);
}

function create(table: Table, stage: "create" | "create_late"): Step {
  const given = {
    slug: `create-table-${table.name}`,
    stage,
    summary: `Create the table ${table.name}.`,
    table: null,
    undo: "Deploy the previous version: the table is set aside.",
  } as const;
  return statement(given, ddl.createTable(table));
}

/** The table is empty, so there is nothing to validate; the target is locked against writers for a moment. */
function refer(
  table: Table,
  key: ForeignKey,
  schema: Matched,
  { early, filled }: { readonly early: boolean; readonly filled: boolean },
): Step {
  const target = early ? targetOfNow(schema, key.table) : null;
  const stands = schema.kept.find((one) => one.after.name === key.table);
  const given = {
    slug: `reference-${table.name}-${key.column}`,
    stage: target === null ? "refer_late" : filled ? "add" : "refer",
    summary: `Add a foreign key from ${table.name}.${key.column} to ${key.table}.`,
    table: stands?.before.name ?? null,
    undo: UNDO_BY_DEPLOY,
    lock: stands === undefined ? "none" : "share row exclusive",
  } as const;
  const sql = ddl.addForeignKey(table.name, { ...key, table: target ?? key.table }, "checked");
  return statement(given, sql);
}

/** It stays unchanged except for its names, its foreign keys, and its rights: its names may be needed again. */
export function setTableAside(table: Table, tag: string, why: "destructive" | "rewrite"): Step {
  const was = tableAside(table, tag);
  const what: SetAside = { kind: "table", table: table.name, column: null, keptAs: was.name, sqlType: null, was };
  const pairs = [table.uniques, table.indexes].flatMap((parts, kind) =>
    parts.map((part, index) => [part.name, (kind === 0 ? was.uniques : was.indexes)[index]!.name] as const),
  );
  const sql = [
    // Its search column is built again when it is restored.
    ...(table.search === undefined
      ? []
      : [ddl.keepSearchNoLonger(table.name, searchName(table.name)), ddl.dropColumn(table.name, table.search.column)]),
    ...table.foreignKeys.map((key) => ddl.dropConstraint(table.name, key.name)),
    ...(table.privileges.length === 0 ? [] : [ddl.revoke(table.name, table.privileges)]),
    ddl.renameIndex(ddl.primaryKeyName(table.name), ddl.primaryKeyName(was.name)),
    ...pairs.map(([from, to]) => ddl.renameIndex(from, to)),
    ...(table.exclusions ?? []).map(({ name }) => ddl.renameConstraint(table.name, name, keptName(tag, name))),
    ddl.renameTable(table.name, was.name),
  ].join("\n");
  return {
    kind: "set_aside",
    ...facts({
      slug: `set-aside-${table.name}`,
      stage: "set_aside",
      summary: `Remove ${table.name}, and keep its records for a while.`,
      table: table.name,
      undo: "Declare it again while its records are kept: they come back.",
      class: why,
      lock: "access exclusive",
    }),
    what,
    sql,
  };
}

function tableAside({ search: _, ...table }: Table, tag: string): Table {
  return {
    ...table,
    name: keptName(tag, table.name),
    uniques: table.uniques.map((unique) => ({ ...unique, name: keptName(tag, unique.name) })),
    indexes: table.indexes.map((index) => ({ ...index, name: keptName(tag, index.name) })),
    ...(table.exclusions && {
      exclusions: table.exclusions.map((one) => ({ ...one, name: keptName(tag, one.name) })),
    }),
    foreignKeys: [],
    privileges: [],
  };
}

export function restoreTable(table: TableChange): readonly Step[] {
  const { before, after, restored } = table;
  if (restored === null) return [];
  const given = facts({
    slug: `restore-${after.name}`,
    stage: "restore",
    summary: `Restore ${after.name}, with the records that it had when it was removed.`,
    table: before.name,
    undo: "Remove it again: it is set aside again.",
    lock: "access exclusive",
  });
  return [{ kind: "restore", ...given, what: restored.what, sql: ddl.renameTable(before.name, restored.as) }];
}

/**
 * A column that is set aside is found by its table's name, so a rename of the table must be recorded. Its time starts
 * again.
 */
export function takeAlong(
  { before, after, columns, restored }: TableChange,
  setAside: readonly SetAside[],
): readonly Step[] {
  if (restored !== null || before.name === after.name) return [];
  const back = new Set(columns.map(({ now }) => now));
  return setAside
    .filter(({ kind, table, keptAs }) => kind === "column" && table === before.name && !back.has(keptAs))
    .flatMap((what) => {
      const given = facts({
        slug: `take-along-${after.name}-${what.column}`,
        stage: "settle",
        summary: `Rename the kept column ${before.name}.${what.column} along with ${after.name}.`,
        table: before.name,
        undo: UNDO_BY_DEPLOY,
        lock: "access exclusive",
      });
      const between = movedName(what.keptAs);
      return [
        { kind: "restore", ...given, what, sql: ddl.renameColumn(after.name, what.keptAs, between) },
        {
          kind: "set_aside",
          ...given,
          what: { ...what, table: after.name },
          sql: ddl.renameColumn(after.name, between, what.keptAs),
        },
      ] as const;
    });
}

export function privilegeSteps({ before, after }: TableChange): readonly Step[] {
  const given = after.privileges.filter((one) => !before.privileges.includes(one));
  const taken = before.privileges.filter((one) => !after.privileges.includes(one));
  const common = { stage: "settle", table: before.name, undo: UNDO_BY_DEPLOY } as const;
  const steps: Step[] = [];
  if (given.length > 0) {
    const summary = `Allow the service to ${given.join(", ")} rows of ${after.name}.`;
    steps.push(statement({ ...common, slug: `grant-${after.name}`, summary }, ddl.grant(after.name, given)));
  }
  if (taken.length > 0) {
    const summary = `No longer allow the service to ${taken.join(", ")} rows of ${after.name}.`;
    steps.push(statement({ ...common, slug: `revoke-${after.name}`, summary }, ddl.revoke(after.name, taken)));
  }
  return steps;
}
