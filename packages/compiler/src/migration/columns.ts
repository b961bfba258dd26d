// Migrates the columns of a table: adds, drops, restores and renames them, with their defaults and nulls. In: a table's
// change. Out: steps. It never changes a type; `type-changes.ts` does.
import type { Column, SetAside, StepClass } from "@plinth/bundle";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { backfill } from "./backfill.ts";
import * as ddl from "./ddl.ts";
import { guardSteps } from "./guard.ts";
import type { ColumnChange, TableChange } from "./match.ts";
import { alteration, facts, NOTHING_TO_UNDO, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { guardName, keptName, keptTypeOf, presenceName } from "./names.ts";
import type { NumberSteps } from "./numbers.ts";
import { oldValueOf } from "./table-sql.ts";
import { verifyRows } from "./verify.ts";

/**
 * @param carried Columns, as `table.column` by their old names, that are removed while their values are moved to
 * another place.
 */
export function columnSteps(
  table: TableChange,
  tag: string,
  numbers: NumberSteps,
  carried: ReadonlySet<string>,
): readonly Step[] {
  return [
    ...table.columns.flatMap((change) => [
      ...(change.how === "added" ? [addColumn(table, change.after, change.now)] : []),
      ...presenceSteps(table, change, numbers),
      ...defaultSteps(table, change),
    ]),
    ...table.dropped.map((column) => {
      const isCarried = carried.has(`${table.before.name}.${column.name}`);
      return setColumnAside(table, column, tag, isCarried ? "rewrite" : "destructive");
    }),
    ...restoreSteps(table),
  ];
}

/**
 * A constant default does not rewrite the table, because Postgres stores it in the catalog; `now()` is one value for
 * all rows. The old release doesn't name the column, so the default fills it; without a default it stays empty until
 * the switch.
 */
function addColumn(table: TableChange, column: Column, now: string): Step {
  const present = column.nullable || column.default !== null;
  const kind = column.nullable ? "optional" : present ? "with its default" : "required from the switch on";
  const name = `${table.after.name}.${column.name}`;
  return alteration(
    {
      slug: `add-column-${table.after.name}-${column.name}`,
      stage: "add",
      summary: `Add the column ${name} (${kind}).`,
      table: table.before.name,
      undo: "Deploy the previous version: the column is set aside.",
    },
    ddl.addColumn(table.before.name, { ...column, name: now, nullable: column.nullable || !present }),
  );
}

/** Nulls: the old release can write them until the switch, the new one from then on. */
function presenceSteps(table: TableChange, change: ColumnChange, numbers: NumberSteps): readonly Step[] {
  const { after } = change;
  const numbered = numbers.get(after.name);
  if (numbered !== undefined) return [...numbered, ...requireFromSwitch(table, change, "online")];
  if (after.nullable) return change.before === null || change.before.nullable ? [] : relax(table, change);
  switch (change.how) {
    case "added":
      return after.default === null ? requireLater(table, change) : [];
    case "kept":
    case "retyped":
      if (!change.before.nullable) return [];
      if (change.how === "kept" && change.restored !== null && after.default !== null)
        return requireRestored(table, change);
      return requireLater(table, change);
    case "converted":
      return change.before.nullable || !change.conversion.total
        ? requireLater(table, change)
        : requireNow(table, change);
  }
}

function relax(table: TableChange, { how, after }: ColumnChange): readonly Step[] {
  if (how === "converted") return [];
  const slug = `relax-${table.after.name}-${after.name}`;
  const summary = `Make ${table.after.name}.${after.name} optional.`;
  const given = { slug, stage: "settle", summary, table: table.before.name, undo: UNDO_BY_DEPLOY } as const;
  return [alteration(given, ddl.dropNotNull(table.after.name, after.name))];
}

/** A check is added for new rows and then validated for all, so that NOT NULL needs no scan of the rows. */
function requireLater(table: TableChange, change: ColumnChange): readonly Step[] {
  const { after, before } = table;
  const column = change.after.name;
  const slug = `${after.name}-${column}`;
  const check = presenceName(column);
  const violation = `no value for ${column}`;
  const summary = `Make sure that every record of ${after.name} has a value for ${column}.`;
  const isOld = change.how === "converted" && change.fill === undefined;
  const missing = `${isOld ? q(change.before.name) : oldValueOf(change)} is null`;
  const verify =
    change.how === "converted" && !change.before.nullable
      ? []
      : [
          verifyRows(
            table,
            { slug: `present-${slug}`, summary, violation },
            change.how === "added" && change.fill === undefined ? "true" : missing,
          ),
        ];
  const guard = {
    slug: `present-${slug}`,
    name: guardName(before.name, check),
    problem: `without a value for ${column}`,
    where: `${q(change.now)} is null`,
    column: change.now,
  };
  return [...verify, ...guardSteps(table, guard), ...requireFromSwitch(table, change, "data_dependent")];
}

/** Every row has a value by then. */
function requireFromSwitch(table: TableChange, change: ColumnChange, kind: StepClass): readonly Step[] {
  const { after, before } = table;
  const column = change.after.name;
  const name = `${after.name}.${column}`;
  const slug = `${after.name}-${column}`;
  const check = presenceName(column);
  const common = { table: before.name, undo: UNDO_BY_DEPLOY } as const;
  return [
    alteration(
      {
        ...common,
        slug: `require-${slug}`,
        stage: "tighten",
        class: kind,
        summary: `Allow no new record without ${name}.`,
      },
      ddl.addCheckUnproven(after.name, check, `${q(column)} is not null`),
    ),
    statement(
      {
        ...common,
        slug: `validate-present-${slug}`,
        stage: "validate",
        class: "online",
        lock: "share update exclusive",
        scans: true,
        summary: `Check that every record has a value for ${name}.`,
        undo: NOTHING_TO_UNDO,
      },
      ddl.validateConstraint(after.name, check),
    ),
    alteration(
      { ...common, slug: `not-null-${slug}`, stage: "finish", summary: `Make ${name} required in the database.` },
      `${ddl.setNotNull(after.name, column)}\n${ddl.dropConstraint(after.name, check)}`,
    ),
  ];
}

/** Every row already has a value, whoever writes it, so the switch doesn't have to read anything. */
function requireNow(table: TableChange, change: ColumnChange): readonly Step[] {
  const { after, before } = table;
  const column = change.after.name;
  const slug = `${after.name}-${column}`;
  const check = presenceName(column);
  const common = { table: before.name, undo: UNDO_BY_DEPLOY } as const;
  return [
    alteration(
      {
        ...common,
        slug: `require-${slug}`,
        stage: "prove",
        summary: `Allow no record without the new ${after.name}.${column}.`,
      },
      ddl.addCheckUnproven(before.name, check, `${q(change.now)} is not null`),
    ),
    statement(
      {
        ...common,
        slug: `validate-present-${slug}`,
        stage: "prove",
        class: "online",
        lock: "share update exclusive",
        scans: true,
        summary: `Check that every record has the new ${after.name}.${column}.`,
      },
      ddl.validateConstraint(before.name, check),
    ),
    alteration(
      {
        ...common,
        slug: `not-null-${slug}`,
        stage: "settle",
        summary: `Make ${after.name}.${column} required in the database.`,
      },
      `${ddl.setNotNull(after.name, column)}\n${ddl.dropConstraint(after.name, check)}`,
    ),
  ];
}

/** Records that were written while it was set aside get its default, as with a new column. */
function requireRestored(table: TableChange, change: ColumnChange): readonly Step[] {
  const { after, before } = table;
  const column = change.after.name;
  const slug = `${after.name}-${column}`;
  const value = change.after.default ?? "null";
  return [
    alteration(
      {
        slug: `default-kept-${slug}`,
        stage: "add",
        table: before.name,
        undo: UNDO_BY_DEPLOY,
        summary: `Set the default of ${after.name}.${column} for new records.`,
      },
      ddl.setDefault(before.name, { name: change.now, default: value }),
    ),
    backfill(table, {
      slug: `fill-${slug}`,
      summary: `Set the default in records of ${after.name} that were written while ${column} was set aside.`,
      undo: "Nothing has to be undone: only records without a value get one.",
      assignments: [
        { column: change.now, value: (row) => change.fill?.of(row) ?? `coalesce(${row}.${q(change.now)}, ${value})` },
      ],
    }),
    ...requireNow(table, change),
  ];
}

/** At the switch, because the old release knows its own defaults. A new column is created with its default. */
function defaultSteps(table: TableChange, change: ColumnChange): readonly Step[] {
  const { how, after } = change;
  if (how === "added") return [];
  const filled = how === "kept" && change.restored !== null && !after.nullable && after.default !== null;
  const existingDefault = how === "converted" ? null : filled ? after.default : change.before.default;
  if (existingDefault === after.default) return [];
  const name = `${table.after.name}.${after.name}`;
  const slug = `default-${table.after.name}-${after.name}`;
  const summary = after.default === null ? `Remove the default of ${name}.` : `Set the default of ${name}.`;
  const given = { slug, stage: "settle", summary, table: table.before.name, undo: UNDO_BY_DEPLOY } as const;
  return [alteration(given, ddl.setDefault(table.after.name, after))];
}

/** No release names it any more, so it can't have a default or NOT NULL. Its constraints were removed before. */
export function setColumnAside(table: TableChange, column: Column, tag: string, why: "destructive" | "rewrite"): Step {
  const { before, after } = table;
  const keptAs = keptName(tag, column.name);
  const what: SetAside = {
    kind: "column",
    table: after.name,
    column: column.name,
    keptAs,
    sqlType: keptTypeOf(column),
    was: null,
  };
  const name = `${before.name}.${column.name}`;
  const bare = [
    ...(column.default === null ? [] : [ddl.setDefault(before.name, { name: column.name, default: null })]),
    ...(column.nullable ? [] : [ddl.dropNotNull(before.name, column.name)]),
  ];
  return {
    kind: "set_aside",
    ...facts({
      slug: `set-aside-${before.name}-${column.name}`,
      stage: "set_aside",
      summary: table.columns.some((one) => one.how === "converted" && one.before === column)
        ? `Set the old column ${name} aside, with its values.`
        : `Remove ${name}, and keep its values for a while.`,
      table: before.name,
      undo: "Declare the field again with this type while its values are kept: they come back.",
      class: why,
      lock: "access exclusive",
    }),
    what,
    sql: [...bare, ddl.renameColumn(before.name, column.name, keptAs)].join("\n"),
  };
}

function restoreSteps(table: TableChange): readonly Step[] {
  const { before, after } = table;
  return table.columns.flatMap((change) => {
    if (change.how !== "kept" || change.restored === null) return [];
    const name = `${after.name}.${change.after.name}`;
    const given = facts({
      slug: `restore-${after.name}-${change.after.name}`,
      stage: "restore",
      summary: `Restore ${name}, with the values that it had when it was removed.`,
      table: before.name,
      undo: "Remove the field again: it is set aside again.",
      lock: "access exclusive",
    });
    const sql = ddl.renameColumn(before.name, change.before.name, change.restored.as);
    return [{ kind: "restore", ...given, what: change.restored.what, sql }];
  });
}
