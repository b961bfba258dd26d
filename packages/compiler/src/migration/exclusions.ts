// Migrates exclusions. In: a table's change. Out: steps, and the constraints that get another name at the switch. A new
// one first applies to no existing row; then they are included batch by batch, so that no writer waits for all of them.
import type { Exclusion, SqlTemplate } from "@plinth/bundle";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { backfill } from "./backfill.ts";
import type { Renamed, RuleChange } from "./checks.ts";
import * as ddl from "./ddl.ts";
import type { Matched, TableChange } from "./match.ts";
import { alteration, type Step, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { stagedName } from "./names.ts";
import {
  changeOf,
  forgetsDeleted,
  isFilled,
  newNameOf,
  newNamesOf,
  overOldRows,
  underNamesOfNow,
  underNewNames,
} from "./table-sql.ts";
import { verifyDisjoint } from "./verify.ts";

export function exclusionChanges(table: TableChange, schema: Matched): RuleChange {
  const left = new Set(table.before.exclusions ?? []);
  const renamed: Renamed[] = [];
  const steps: Step[] = [];
  const added: Exclusion[] = [];
  for (const exclusion of table.after.exclusions ?? []) {
    const kept = [...left].find((one) => translated(table, one) === definitionOf(exclusion));
    if (kept === undefined) {
      added.push(exclusion);
      continue;
    }
    left.delete(kept);
    if (isFilled(table, columnsOf(exclusion))) steps.push(verify(table, exclusion));
    if (kept.name !== exclusion.name) renamed.push([kept.name, exclusion.name]);
    if (kept.guard !== exclusion.guard) steps.push(renameGuard(table, kept, exclusion));
  }
  for (const exclusion of added) {
    if (forgetsDeleted(table)) {
      const replaced = [...left].find((one) => one.name === exclusion.name && bindsOn(table, one)) ?? null;
      if (replaced !== null) left.delete(replaced);
      steps.push(...addLate(table, exclusion, replaced));
      continue;
    }
    const staged = stagedOf(table, exclusion, schema);
    if (staged.name !== exclusion.name) renamed.push([staged.name, exclusion.name]);
    steps.push(...add(table, exclusion, staged));
  }
  for (const exclusion of left) steps.push(drop(table, exclusion));
  return { steps, renamed };
}

/** Its name until the switch, if another one has its names until then. */
function stagedOf(table: TableChange, { name, guard }: Exclusion, schema: Matched): Pick<Exclusion, "name" | "guard"> {
  const isGuardTaken = (table.before.exclusions ?? []).some((one) => one.guard === guard);
  return {
    name: schema.namesBefore.has(name) ? stagedName(name) : name,
    guard: isGuardTaken ? stagedName(guard) : guard,
  };
}

function definitionOf({ same, rangeType, from, to, where }: Omit<Exclusion, "name" | "guard">): string {
  return JSON.stringify([same, rangeType, from, to, where]);
}

/** Under the new names; null if it uses columns whose values are removed or replaced. */
function translated(table: TableChange, { same, rangeType, from, to, where }: Exclusion): string | null {
  const columns = newNamesOf(table, same);
  const [begin, end] = [newNameOf(table, from), newNameOf(table, to)];
  const counted = where === null ? null : underNewNames(table, where);
  if (columns === null || begin === null || end === null || (where !== null && counted === null)) return null;
  return definitionOf({ same: columns, rangeType, from: begin, to: end, where: counted });
}

/** Whether it can still apply after the switch: no column of it is removed or gets other values. */
function bindsOn(table: TableChange, exclusion: Exclusion): boolean {
  return translated(table, exclusion) !== null;
}

/**
 * Before the switch, so that nothing that the new release writes can overlap, and overlaps that the old one writes stop
 * the deployment before anything has changed. An exclusion that it replaces applies until then.
 */
function add(table: TableChange, exclusion: Exclusion, staged: Pick<Exclusion, "name" | "guard">): readonly Step[] {
  const { before, after } = table;
  const rename = alteration(
    {
      slug: `name-guard-${exclusion.name}`,
      stage: "tighten",
      summary: `Rename the exclusion constraint of ${after.name}.`,
      table: before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.renameColumn(after.name, staged.guard, exclusion.guard),
  );
  return [
    verify(table, exclusion),
    bind(table, exclusion, "index", ddl.addExclusion(before.name, { ...underNow(table, exclusion), ...staged })),
    letIn(table, exclusion, "index", staged.guard),
    ...(staged.guard === exclusion.guard ? [] : [rename]),
  ];
}

/**
 * After the switch, which sets aside deleted rows that could violate it. Until the new one applies to all rows, the one
 * that it replaces also applies, under their common name.
 */
function addLate(table: TableChange, exclusion: Exclusion, replaced: Exclusion | null): readonly Step[] {
  const name = replaced === null ? exclusion.name : stagedName(exclusion.name);
  return [
    verify(table, exclusion),
    bind(table, exclusion, "build", ddl.addExclusion(table.after.name, { ...exclusion, name })),
    letIn(table, exclusion, "validate", exclusion.guard),
    ...(replaced === null ? [] : [swap(table, exclusion, replaced)]),
  ];
}

function bind(table: TableChange, exclusion: Exclusion, stage: "index" | "build", sql: SqlTemplate): Step {
  return alteration(
    {
      slug: `add-exclusion-${exclusion.name}`,
      stage,
      summary: `Add an exclusion constraint to ${table.after.name}: new records must not overlap by ${columnsOf(exclusion).join("+")}.`,
      table: table.before.name,
      undo: UNDO_BY_DEPLOY,
      class: "data_dependent",
      scans: true,
    },
    sql,
  );
}

function letIn(table: TableChange, exclusion: Exclusion, stage: "index" | "validate", guard: string): Step {
  return backfill(table, {
    slug: `guard-${exclusion.name}`,
    stage,
    summary: `Apply the exclusion constraint of ${table.after.name} to existing records too.`,
    undo: UNDO_BY_DEPLOY,
    assignments: [{ column: guard, value: () => "true" }],
  });
}

/** Over the columns by their names in the old release. */
function underNow(table: TableChange, exclusion: Exclusion): Exclusion {
  const { same, from, to, where } = exclusion;
  const now = (column: string): string => changeOf(table, column).now;
  const counted = where === null ? null : underNamesOfNow(table, where);
  return { ...exclusion, same: same.map(now), from: now(from), to: now(to), where: counted };
}

function swap(table: TableChange, exclusion: Exclusion, replaced: Exclusion): Step {
  const { before, after } = table;
  const { name } = exclusion;
  return alteration(
    {
      slug: `swap-exclusion-${name}`,
      stage: "finish",
      summary: `Replace the old exclusion constraint of ${after.name} (${columnsOf(exclusion).join("+")}) by the new one.`,
      table: before.name,
      undo: UNDO_BY_DEPLOY,
    },
    `${ddl.dropExclusion(after.name, replaced)}\n${ddl.renameConstraint(after.name, stagedName(name), name)}`,
  );
}

function columnsOf({ same, from, to }: Exclusion): readonly string[] {
  return [...same, from, to];
}

function verify(table: TableChange, exclusion: Exclusion): Step {
  const over = columnsOf(exclusion).join("+");
  const oldValue = (column: string): string => overOldRows(table, q(column));
  return verifyDisjoint(
    table,
    {
      slug: `exclusion-${exclusion.name}`,
      summary: `Make sure that no two records of ${table.after.name} overlap by ${over}.`,
      violation: `an overlap with an earlier one by ${over}`,
    },
    {
      same: exclusion.same.map(oldValue),
      from: oldValue(exclusion.from),
      to: oldValue(exclusion.to),
      where: exclusion.where === null ? null : overOldRows(table, exclusion.where),
    },
  );
}

function drop(table: TableChange, exclusion: Exclusion): Step {
  const over = columnsOf(exclusion).join("+");
  const isReplaced = (table.after.exclusions ?? []).some(({ name }) => name === exclusion.name);
  return alteration(
    {
      slug: `drop-exclusion-${exclusion.name}`,
      stage: "loosen",
      summary: isReplaced
        ? `Remove the old exclusion constraint of ${table.before.name} (${over}); the new one applies.`
        : `Remove the exclusion constraint of ${table.before.name}: records can overlap by ${over}.`,
      table: table.before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.dropExclusion(table.before.name, exclusion),
  );
}

/** The guard's name identifies the definition, and so the columns' names. */
function renameGuard(table: TableChange, before: Exclusion, after: Exclusion): Step {
  return alteration(
    {
      slug: `guard-${after.name}`,
      stage: "loosen",
      summary: `Rename the exclusion constraint of ${table.after.name}.`,
      table: table.before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.renameColumn(table.before.name, before.guard, after.guard),
  );
}
