// Compares unique constraints, indexes and checks. In: those of an entity before and after, in the same words. Out: the
// changes between them.
import {
  type ComparisonBudget,
  type ComparisonTypes,
  compareRules,
  type Expression,
  printExpression,
} from "@plinth/expression";
import type { Entity, Exclusion, NamedCheck } from "../model/model.ts";
import type { Change, ChangeClass } from "./change.ts";
import { changeOf, named, same } from "./make-change.ts";
import { capitalized, oneOf } from "./one-of.ts";

export function diffConstraints(
  before: Entity,
  after: Entity,
  types: ComparisonTypes,
  budget: ComparisonBudget,
): Change[] {
  const compare = (was: Expression, is: Expression) => compareRules(was, is, types, budget).kind;
  return [...diffKeys(before, after), ...diffChecks(before, after, compare), ...diffExclusions(before, after)];
}

/** Unique constraints and indexes. */
export function diffKeys(before: Entity, after: Entity): Change[] {
  return [...diffUniques(before, after), ...diffIndexes(before, after)];
}

type Compare = (was: Expression, is: Expression) => ReturnType<typeof compareRules>["kind"];

/** A constraint over a new, empty field can't be violated yet; any other can be. */
function diffUniques(before: Entity, after: Entity): Change[] {
  const { added, removed } = compareLists(before.uniques, after.uniques, (names) => [...names].sort().join());
  const stood = new Set(before.fields.map((field) => field.name));
  const isEmpty = (name: string): boolean =>
    !stood.has(name) && after.fields.some((field) => field.name === name && field.optional && field.default === null);
  const path = (names: readonly string[]): string => `${after.name}.unique(${names.join(", ")})`;
  return [
    ...added.map((names) =>
      changeOf({
        kind: "unique_added",
        path: path(names),
        summary: `Two records of \`${after.name}\` can no longer have the same ${named(names)}.`,
        classes: names.some(isEmpty) ? ["online"] : ["breaking", "data_dependent", "online"],
        after: names,
      }),
    ),
    ...removed.map((names) =>
      changeOf({
        kind: "unique_removed",
        path: path(names),
        summary: `Two records of \`${after.name}\` can now have the same ${named(names)}.`,
        classes: ["safe"],
        before: names,
      }),
    ),
  ];
}

/** The order of an index's fields matters for lookups. */
function diffIndexes(before: Entity, after: Entity): Change[] {
  const { added, removed } = compareLists(before.indexes, after.indexes, (names) => names.join());
  const change = (
    kind: "index_added" | "index_removed",
    names: readonly string[],
    classes: readonly ChangeClass[],
  ): Change =>
    changeOf({
      kind,
      path: `${after.name}.index(${names.join(", ")})`,
      summary: `${kind === "index_added" ? "Add" : "Remove"} an index on ${named(names)} of \`${after.name}\`.`,
      classes,
      ...(kind === "index_added" ? { after: names } : { before: names }),
    });
  return [
    ...added.map((names) => change("index_added", names, ["online"])),
    ...removed.map((names) => change("index_removed", names, ["online"])),
  ];
}

function compareLists(
  before: readonly (readonly string[])[],
  after: readonly (readonly string[])[],
  key: (names: readonly string[]) => string,
): { added: (readonly string[])[]; removed: (readonly string[])[] } {
  const [old, now] = [new Set(before.map(key)), new Set(after.map(key))];
  return {
    added: after.filter((names) => !old.has(key(names))),
    removed: before.filter((names) => !now.has(key(names))),
  };
}

function diffChecks(before: Entity, after: Entity, compare: Compare): Change[] {
  const old = new Map(before.checks.map((check) => [check.name, check]));
  const kept = new Set(after.checks.map((check) => check.name));
  const changed = after.checks.flatMap((check) => {
    const was = old.get(check.name);
    if (was === undefined) return [checkAdded(after.name, check)];
    return same(textOf(was), textOf(check)) ? [] : [checkChanged(after.name, was, check, compare)];
  });
  const removed = before.checks.filter((check) => !kept.has(check.name));
  return [...changed, ...removed.map((check) => checkRemoved(after.name, check))];
}

function checkAdded(entity: string, check: NamedCheck): Change {
  return changeOf({
    kind: "check_added",
    path: `${entity}.checks.${check.name}`,
    summary: `Every \`${entity}\` must now satisfy \`${textOf(check)}\`.`,
    classes: ["breaking", "data_dependent", "online"],
    after: textOf(check),
  });
}

/**
 * A row violates a check that is false, not one that is unknown. So a check that fails at most for the same rows only
 * loosens.
 */
function checkChanged(entity: string, before: NamedCheck, after: NamedCheck, compare: Compare): Change {
  const kind = compare(failing(before), failing(after));
  const opens = kind === "same" || kind === "tighter";
  return changeOf({
    kind: "check_changed",
    path: `${entity}.checks.${after.name}`,
    summary: `Every \`${entity}\` must now satisfy \`${textOf(after)}\`, instead of \`${textOf(before)}\`.`,
    classes: opens ? ["online"] : ["breaking", "data_dependent", "online"],
    before: textOf(before),
    after: textOf(after),
  });
}

function checkRemoved(entity: string, check: NamedCheck): Change {
  return changeOf({
    kind: "check_removed",
    path: `${entity}.checks.${check.name}`,
    summary: `${capitalized(oneOf(entity))} no longer has to satisfy \`${textOf(check)}\`.`,
    classes: ["safe"],
    before: textOf(check),
  });
}

/** It is not known whether existing records satisfy a changed one, so it counts as a new one. */
function diffExclusions(before: Entity, after: Entity): Change[] {
  const old = new Map((before.exclusions ?? []).map((one) => [one.name, one]));
  const kept = new Set((after.exclusions ?? []).map((one) => one.name));
  const path = (name: string): string => `${after.name}.exclude.${name}`;
  const changed = (after.exclusions ?? []).flatMap((one) => {
    const was = old.get(one.name);
    if (was !== undefined && same(was, one)) return [];
    return [
      changeOf({
        kind: was === undefined ? "exclusion_added" : "exclusion_changed",
        path: path(one.name),
        summary: `${exclusionText(after.name, one)}${was === undefined ? "" : `, instead of ${spanText(was)}`}.`,
        classes: ["breaking", "data_dependent", "online"],
        before: was && exclusionText(after.name, was),
        after: exclusionText(after.name, one),
      }),
    ];
  });
  const removed = [...old.values()].filter((one) => !kept.has(one.name));
  return [
    ...changed,
    ...removed.map((one) =>
      changeOf({
        kind: "exclusion_removed",
        path: path(one.name),
        summary: `Records of \`${after.name}\` with the same ${named(one.same)} can now overlap.`,
        classes: ["safe"],
        before: exclusionText(after.name, one),
      }),
    ),
  ];
}

function exclusionText(entity: string, { same: shared, from, to, where }: Exclusion): string {
  return `Two records of \`${entity}\` with the same ${named(shared)} can't overlap from \`${from}\` to \`${to}\`${whichOnes(where)}`;
}

function spanText({ same: shared, from, to, where }: Exclusion): string {
  return `the same ${named(shared)} from \`${from}\` to \`${to}\`${whichOnes(where)}`;
}

function whichOnes(where: Exclusion["where"]): string {
  return where === null ? "" : `, where \`${printExpression(where)}\``;
}

function failing({ condition }: NamedCheck): Expression {
  return { kind: "operation", type: { kind: "bool" }, operator: "!", args: [condition] };
}

function textOf({ condition }: NamedCheck): string {
  return printExpression(condition);
}
