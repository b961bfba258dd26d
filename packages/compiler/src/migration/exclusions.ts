// What becomes of a table's exclusions. In: a table's change. Out: steps, and which constraints are called otherwise from the switch
// on. A new one first binds no row that stands; then they are let in, batch by batch, and no writer waits for all of them.
import type { Exclusion } from "@plinth/bundle";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { backfill } from "./backfill.ts";
import type { Renamed, RuleChange } from "./checks.ts";
import * as ddl from "./ddl.ts";
import type { TableChange } from "./match.ts";
import { alteration, type Step, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { stagedName } from "./names.ts";
import { isFilled, newNameOf, newNamesOf, overOldRows, underNewNames } from "./table-sql.ts";
import { verifyDisjoint } from "./verify.ts";

export function exclusionChanges(table: TableChange): RuleChange {
  const left = new Set(table.before.exclusions ?? []);
  const renamed: Renamed[] = [];
  const steps: Step[] = [];
  for (const exclusion of table.after.exclusions ?? []) {
    const kept = [...left].find((one) => translated(table, one) === definitionOf(exclusion));
    if (kept === undefined) {
      const replaced = [...left].find((one) => one.name === exclusion.name && bindsOn(table, one));
      if (replaced !== undefined) left.delete(replaced);
      steps.push(...add(table, exclusion, replaced ?? null));
      continue;
    }
    left.delete(kept);
    if (isFilled(table, columnsOf(exclusion))) steps.push(verify(table, exclusion));
    if (kept.name !== exclusion.name) renamed.push([kept.name, exclusion.name]);
    if (kept.guard !== exclusion.guard) steps.push(renameGuard(table, kept, exclusion));
  }
  for (const exclusion of left) steps.push(drop(table, exclusion));
  return { steps, renamed };
}

function definitionOf({ same, rangeType, from, to, where }: Omit<Exclusion, "name" | "guard">): string {
  return JSON.stringify([same, rangeType, from, to, where]);
}

/** Under the new names; null where it is over columns whose values go or become others. */
function translated(table: TableChange, { same, rangeType, from, to, where }: Exclusion): string | null {
  const columns = newNamesOf(table, same);
  const [begin, end] = [newNameOf(table, from), newNameOf(table, to)];
  const counted = where === null ? null : underNewNames(table, where);
  if (columns === null || begin === null || end === null || (where !== null && counted === null)) return null;
  return definitionOf({ same: columns, rangeType, from: begin, to: end, where: counted });
}

/** Whether it can go on binding behind the switch: nothing that it is over goes, or becomes another value. */
function bindsOn(table: TableChange, exclusion: Exclusion): boolean {
  return translated(table, exclusion) !== null;
}

/**
 * Until the new one binds all rows, the one that it replaces goes on binding, under the name that both have: there is no moment
 * at which two records could come to overlap.
 */
function add(table: TableChange, exclusion: Exclusion, replaced: Exclusion | null): readonly Step[] {
  const { before, after } = table;
  const name = replaced === null ? exclusion.name : stagedName(exclusion.name);
  const over = columnsOf(exclusion).join("+");
  return [
    verify(table, exclusion),
    alteration(
      {
        slug: `add-exclusion-${exclusion.name}`,
        stage: "build",
        summary: `Let no new record of ${after.name} overlap another by ${over}.`,
        table: before.name,
        undo: UNDO_BY_DEPLOY,
        class: "data_dependent",
        scans: true,
      },
      ddl.addExclusion(after.name, { ...exclusion, name }),
    ),
    backfill(table, {
      slug: `guard-${exclusion.name}`,
      stage: "validate",
      summary: `Hold the records of ${after.name} that stand already to it, too.`,
      undo: UNDO_BY_DEPLOY,
      assignments: [{ column: exclusion.guard, value: () => "true" }],
    }),
    ...(replaced === null ? [] : [swap(table, exclusion, replaced)]),
  ];
}

function swap(table: TableChange, exclusion: Exclusion, replaced: Exclusion): Step {
  const { before, after } = table;
  const { name } = exclusion;
  return alteration(
    {
      slug: `swap-exclusion-${name}`,
      stage: "finish",
      summary: `Let the new rule against overlaps of ${after.name} (${columnsOf(exclusion).join("+")}) take the old one's place.`,
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
  return alteration(
    {
      slug: `drop-exclusion-${exclusion.name}`,
      stage: "loosen",
      summary: `Let records of ${table.before.name} overlap again by ${over}.`,
      table: table.before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.dropExclusion(table.before.name, exclusion),
  );
}

/** The guard's name tells the definition, and so the columns' names. */
function renameGuard(table: TableChange, before: Exclusion, after: Exclusion): Step {
  return alteration(
    {
      slug: `guard-${after.name}`,
      stage: "loosen",
      summary: `Rename what tells the records of ${table.after.name} that may not overlap.`,
      table: table.before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.renameColumn(table.before.name, before.guard, after.guard),
  );
}
