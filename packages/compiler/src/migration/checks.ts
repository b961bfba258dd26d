// Migrates checks. In: a table's change. Out: steps. A wider check needs no look at the rows. For a narrower or new
// one, violating rows are counted first. All checks change at the switch: until then, the old release can write what it
// always could, and from then on, the new one what it newly can.

import type { Check } from "@plinth/bundle";
import { withArticle } from "@plinth/expression";
import { checkExpression, implies, ruleKey } from "../sql/check-sql.ts";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import * as ddl from "./ddl.ts";
import { guardSteps } from "./guard.ts";
import type { TableChange } from "./match.ts";
import { alteration, type Facts, NOTHING_TO_UNDO, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { guardName } from "./names.ts";
import { changeOf, isFilled, newNamesOf, overOldRows, underNamesOfNow, underNewNames } from "./table-sql.ts";
import { verifyRows } from "./verify.ts";

/** Old name, new name. */
export type Renamed = readonly [string, string];

export interface RuleChange {
  readonly steps: readonly Step[];
  /** Parts that stay and get another name at the switch; foreign keys and checks, within their table. */
  readonly renamed: readonly Renamed[];
}

export function checkChanges(table: TableChange): RuleChange {
  const existing = table.before.checks.map((check) => ({ check, as: translated(table, check) }));
  const renamed: Renamed[] = [];
  const steps: Step[] = [];
  const left = new Set(existing);
  const added: Check[] = [];
  for (const check of table.after.checks) {
    const same = [...left].filter(
      ({ as }) => as !== null && keyOfCheck(as) === keyOfCheck(check) && !isRetyped(table, check),
    );
    const kept = same.find((one) => one.check.name === check.name) ?? same[0];
    if (kept === undefined) added.push(check);
    else {
      left.delete(kept);
      renamed.push([kept.check.name, check.name]);
      if (isFilled(table, check.columns))
        steps.push(verifyCheck(table, check, checkExpression(check, table.after.columns)));
    }
  }
  for (const { check } of left) steps.push(drop(table, check, added));
  const old = existing.flatMap(({ as }) => (as === null ? [] : [as]));
  for (const check of added) steps.push(...add(table, check, old));
  return { steps, renamed: renamed.filter(([from, to]) => from !== to) };
}

/** Under the new names; null if it uses columns whose values are removed or replaced. */
function translated(table: TableChange, check: Check): Check | null {
  const columns = newNamesOf(table, check.columns);
  if (columns === null) return null;
  if (check.rule.kind !== "sql") return { ...check, columns };
  const sql = underNewNames(table, check.rule.sql);
  return sql === null ? null : { ...check, columns, rule: { kind: "sql", sql } };
}

function keyOfCheck(check: Check): string {
  const columns = check.rule.kind === "sql" ? [] : check.columns;
  return JSON.stringify([columns, ruleKey(check.rule)]);
}

function isRetyped(table: TableChange, check: Check): boolean {
  return check.columns.some((column) => changeOf(table, column).how === "retyped");
}

function drop(table: TableChange, check: Check, added: readonly Check[]): Step {
  const columns = newNamesOf(table, check.columns)?.join();
  const replaced = added.some((one) => one.columns.join() === columns);
  const name = `${table.before.name}.${check.columns.join("+")}`;
  const given = {
    slug: `drop-check-${check.name}`,
    stage: "loosen",
    summary: replaced ? `Remove the old rule on ${name}; the new one follows.` : `Remove the rule on ${name}.`,
    table: table.before.name,
    undo: UNDO_BY_DEPLOY,
  } as const;
  return alteration(given, ddl.dropConstraint(table.before.name, check.name));
}

function add(table: TableChange, check: Check, old: readonly Check[]): readonly Step[] {
  const { before, after } = table;
  const name = `${after.name}.${check.columns.join("+")}`;
  const expression = checkExpression(check, after.columns);
  const common = { table: before.name, undo: UNDO_BY_DEPLOY } as const;
  const rule = `add-check-${check.name}`;
  const validate = {
    ...common,
    slug: `validate-${check.name}`,
    class: "online",
    lock: "share update exclusive",
    scans: true,
    undo: NOTHING_TO_UNDO,
    summary: `Check the existing records of ${after.name} against the rule on ${name}.`,
  } as const;
  if (isOverNewColumns(table, check)) {
    const now = underNamesOfNow(table, expression);
    const given: Facts = { ...common, slug: rule, stage: "prove", summary: `Add the rule on the values of ${name}.` };
    return [
      alteration(given, ddl.addCheckUnproven(before.name, check.name, now)),
      statement({ ...validate, stage: "prove" }, ddl.validateConstraint(before.name, check.name)),
    ];
  }
  const wider = old.some((one) => one.columns.join() === check.columns.join() && implies(one.rule, check.rule));
  const summary = `${wider ? "Widen" : "Add"} the rule on the values of ${name}.`;
  const given: Facts = { ...common, slug: rule, stage: "tighten", summary, class: wider ? "online" : "data_dependent" };
  return [
    ...(wider ? [] : [verifyCheck(table, check, expression), ...guardCheck(table, check, expression)]),
    alteration(given, ddl.addCheckUnproven(after.name, check.name, expression)),
    statement({ ...validate, stage: "validate" }, ddl.validateConstraint(after.name, check.name)),
  ];
}

/**
 * The old release leaves such columns at null or at their default, so the check can exist from the start, unless
 * another check has its name until the switch.
 */
function isOverNewColumns(table: TableChange, check: Check): boolean {
  if (check.rule.kind === "sql" || table.before.checks.some((one) => one.name === check.name)) return false;
  return check.columns.every((column) => {
    const { how, fill } = changeOf(table, column);
    return how === "added" && fill === undefined;
  });
}

function verifyCheck(table: TableChange, check: Check, expression: string): Step {
  const columns = check.columns.join("+");
  const where = `(${overOldRows(table, expression)}) is false`;
  const [column = ""] = check.columns;
  const value = overOldRows(table, q(column));
  const problem = check.rule.kind === "one_of" ? `${value}::text` : null;
  return verifyRows(
    table,
    {
      slug: `check-${check.name}`,
      summary: `Make sure that every record of ${table.after.name} satisfies the rule on ${columns}.`,
      violation: violationOf(check),
    },
    where,
    problem,
  );
}

/** An author's check can be too complex for an index: rows that violate it in the meantime are found after the switch. */
function guardCheck(table: TableChange, check: Check, expression: string): readonly Step[] {
  if (check.rule.kind === "sql") return [];
  return guardSteps(table, {
    slug: `check-${check.name}`,
    name: guardName(table.before.name, check.name),
    problem: `with ${violationOf(check)}`,
    where: `(${underNamesOfNow(table, expression)}) is false`,
    column: check.columns[0] ?? "",
  });
}

function violationOf({ name: constraint, columns, rule }: Check): string {
  const name = columns.join(" and ");
  switch (rule.kind) {
    case "one_of":
      return `${withArticle(name)} other than ${listed(rule.values)}`;
    case "subset_of":
      return `${withArticle(name)} with members other than ${listed(rule.values)}`;
    case "length":
      return `${withArticle(name)} ${outside("shorter than", rule.min, "longer than", rule.max)}`;
    case "range":
      return `${withArticle(name)} ${outside("below", rule.min, "above", rule.max)}`;
    case "sql": {
      const values = columns.length === 1 ? withArticle(name) : `values of ${name}`;
      const breaks = columns.length === 1 ? "breaks" : "break";
      // A named check of the entity keeps the name that its author gave it.
      const [, check] = /^[a-z0-9_]+?__([a-z0-9_]+)__rule$/.exec(constraint) ?? [];
      return `${values} that ${breaks} ${check === undefined ? "the rule on it" : `the check ${check}`}`;
    }
  }
}

function listed(values: readonly string[]): string {
  return values.length > 10 ? `${values.slice(0, 10).join(", ")}, ...` : values.join(", ");
}

type Bound = number | string | null;

function outside(below: string, min: Bound, above: string, max: Bound): string {
  const parts = [...(min === null ? [] : [`${below} ${min}`]), ...(max === null ? [] : [`${above} ${max}`])];
  return parts.join(" or ");
}
