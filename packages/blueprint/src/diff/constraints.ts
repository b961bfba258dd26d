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
  return [...diffKeys(before, after), ...diffChecks(before, after, compare), ...diffExclusions(before, after, compare)];
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

function diffExclusions(before: Entity, after: Entity, compare: Compare): Change[] {
  const [were, are] = [before.exclusions ?? [], after.exclusions ?? []];
  const called = (list: readonly Exclusion[], name: string) => list.find((one) => one.name === name);
  const gone = were.filter(({ name }) => called(are, name) === undefined);
  const renamed = new Map<Exclusion, Exclusion>();
  const changed = are.flatMap((one): Change[] => {
    const was = called(were, one.name);
    if (was !== undefined) return same(was, one) ? [] : [exclusionChanged(after.name, was, one, compare)];
    const former = gone.find((other) => !renamed.has(other) && same({ ...other, name: one.name }, one));
    if (former === undefined) return [exclusionAdded(after.name, one)];
    renamed.set(former, one);
    return [exclusionRenamed(after.name, former, one)];
  });
  const removed = gone.filter((one) => !renamed.has(one));
  return [...changed, ...removed.map((one) => exclusionRemoved(after.name, one))];
}

function exclusionPath(entity: string, { name }: Exclusion): string {
  return `${entity}.exclude.${name}`;
}

function exclusionAdded(entity: string, one: Exclusion): Change {
  const text = exclusionText(entity, one);
  return changeOf({
    kind: "exclusion_added",
    path: exclusionPath(entity, one),
    summary: `${text}.`,
    classes: ["breaking", "data_dependent", "online"],
    after: text,
  });
}

/** Unless it forbids less, it is not known whether existing records satisfy it, so it counts as a new one. */
function exclusionChanged(entity: string, was: Exclusion, is: Exclusion, compare: Compare): Change {
  return changeOf({
    kind: "exclusion_changed",
    path: exclusionPath(entity, is),
    summary: `${exclusionText(entity, is)}, instead of ${spanText(was)}.`,
    classes: forbidsLess(was, is, compare) ? ["online"] : ["breaking", "data_dependent", "online"],
    before: exclusionText(entity, was),
    after: exclusionText(entity, is),
  });
}

/** More fields must be equal, and fewer records count. */
function forbidsLess(was: Exclusion, is: Exclusion, compare: Compare): boolean {
  if (was.from !== is.from || was.to !== is.to || !was.same.every((name) => is.same.includes(name))) return false;
  const kind = compare(was.where ?? always, is.where ?? always);
  return kind === "same" || kind === "tighter";
}

const always: Expression = { kind: "literal", type: { kind: "bool" }, value: true };

/** No reply contains the name. */
function exclusionRenamed(entity: string, was: Exclusion, is: Exclusion): Change {
  return changeOf({
    kind: "exclusion_changed",
    path: exclusionPath(entity, is),
    summary: `The exclusion \`${was.name}\` of \`${entity}\` is now called \`${is.name}\`.`,
    classes: ["online"],
    before: was.name,
    after: is.name,
  });
}

function exclusionRemoved(entity: string, one: Exclusion): Change {
  return changeOf({
    kind: "exclusion_removed",
    path: exclusionPath(entity, one),
    summary: `Records of \`${entity}\` with the same ${named(one.same)} can now overlap.`,
    classes: ["safe"],
    before: exclusionText(entity, one),
  });
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
