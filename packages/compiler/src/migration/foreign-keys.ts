// Migrates foreign keys. In: a table's change, and the names of its targets at each time. Out: steps. A key over
// existing values is added at the switch and validated after it; one over a new column, before.

import type { ForeignKey } from "@plinth/bundle";
import { withArticle } from "@plinth/expression";
import type { Renamed, RuleChange } from "./checks.ts";
import * as ddl from "./ddl.ts";
import type { Matched, TableChange } from "./match.ts";
import { alteration, NOTHING_TO_UNDO, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { changeOf, isFilled, newNameOf, oldValueOf } from "./table-sql.ts";
import { verifyReference } from "./verify.ts";

export function foreignKeyChanges(table: TableChange, schema: Matched): RuleChange {
  const newTableOf = new Map(schema.kept.map((one) => [one.before.name, one.after.name]));
  const left = new Set(table.before.foreignKeys);
  const renamed: Renamed[] = [];
  const steps: Step[] = [];
  const existing = table.before.foreignKeys.map(
    (key) => `${newNameOf(table, key.column)} ${newTableOf.get(key.table)}`,
  );
  const added: ForeignKey[] = [];
  for (const key of table.after.foreignKeys) {
    const kept = [...left].find(
      (one) =>
        newNameOf(table, one.column) === key.column &&
        newTableOf.get(one.table) === key.table &&
        one.onDelete === key.onDelete,
    );
    if (kept === undefined) added.push(key);
    else {
      left.delete(kept);
      renamed.push([kept.name, key.name]);
      if (isFilled(table, [key.column])) steps.push(verifyTarget(table, key, schema));
    }
  }
  for (const key of left) steps.push(drop(table, key));
  for (const key of added) {
    const refers = changeOf(table, key.column).fill?.refers === true;
    const holds = refers || existing.includes(`${key.column} ${key.table}`);
    steps.push(...add(table, key, schema, holds));
  }
  return { steps, renamed: renamed.filter(([from, to]) => from !== to) };
}

function drop(table: TableChange, key: ForeignKey): Step {
  const given = {
    slug: `drop-reference-${key.name}`,
    stage: "loosen",
    summary: `Remove the foreign key from ${table.before.name}.${key.column} to ${key.table}.`,
    table: table.before.name,
    undo: UNDO_BY_DEPLOY,
  } as const;
  return alteration(given, ddl.dropConstraint(table.before.name, key.name));
}

/** The name of a target before the switch; null if it doesn't exist until then. */
export function targetOfNow(schema: Matched, target: string): string | null {
  const kept = schema.kept.find((one) => one.after.name === target);
  if (kept !== undefined) return kept.before.name;
  return schema.early.some((one) => one.name === target) ? target : null;
}

function add(table: TableChange, key: ForeignKey, schema: Matched, holds: boolean): readonly Step[] {
  const { before, after } = table;
  const change = changeOf(table, key.column);
  const target = targetOfNow(schema, key.table);
  const nameIsFree = !before.foreignKeys.some((one) => one.name === key.name);
  const isEmpty = change.how === "added" && change.after.default === null && change.fill === undefined;
  const early = isEmpty && target !== null && nameIsFree;
  const summary = `Add a foreign key from ${after.name}.${key.column} to ${key.table}.`;
  const bind = {
    slug: `reference-${after.name}-${key.column}`,
    summary,
    table: before.name,
    undo: UNDO_BY_DEPLOY,
    lock: "share row exclusive",
  } as const;
  const validate = {
    slug: `validate-${key.name}`,
    summary: `Check that each ${after.name}.${key.column} refers to an existing record of ${key.table}.`,
    table: before.name,
    undo: NOTHING_TO_UNDO,
    class: "online",
    lock: "share update exclusive",
    scans: true,
  } as const;
  if (early) {
    const now = { ...key, column: change.now, table: target };
    return [
      alteration({ ...bind, stage: "refer" }, ddl.addForeignKey(before.name, now, "not checked yet")),
      statement({ ...validate, stage: "refer" }, ddl.validateConstraint(before.name, key.name)),
    ];
  }
  return [
    ...(holds ? [] : [verifyTarget(table, key, schema)]),
    alteration(
      { ...bind, stage: "refer_late", class: holds ? "online" : "data_dependent" },
      ddl.addForeignKey(after.name, key, "not checked yet"),
    ),
    statement({ ...validate, stage: "validate" }, ddl.validateConstraint(after.name, key.name)),
  ];
}

function verifyTarget(table: TableChange, key: ForeignKey, schema: Matched): Step {
  const kept = schema.kept.find((one) => one.after.name === key.table);
  const violation = {
    slug: `reference-${table.after.name}-${key.column}`,
    summary: `Make sure that each ${table.after.name}.${key.column} refers to an existing record of ${key.table}.`,
    violation: `${withArticle(key.column)} that refers to no record of ${key.table}`,
  };
  const target = kept === undefined ? null : ddl.qualified(kept.before.name);
  return verifyReference(table, violation, oldValueOf(changeOf(table, key.column)), target);
}
