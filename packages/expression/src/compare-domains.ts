// Reduces the values of variables to a finite number. In: the atoms and variables of a comparison of rules. Out: for
// each variable, a finite set of values that represents all values. `compare-rules.ts` explains why this set is
// sufficient.

import type { ComparisonBudget } from "./compare-budget.ts";
import { fitsPlaces, floatPoints, numberPoints, pointsOnLine, textPoints } from "./compare-points.ts";
import { type Atom, roleOf, type Variable } from "./compare-variables.ts";
import type { Value } from "./datum.ts";
import type { Expression, Type } from "./tree.ts";

export interface Domain {
  readonly values: readonly Value[];
  /**
   * Values that no rule names and that are only compared for equality, in one order for all variables of the group: a
   * variable can only take the next value if the previous ones are taken. Null if each value is different.
   */
  readonly unnamed: ReadonlyMap<Value, number> | null;
  readonly group: number;
}

interface Group {
  readonly members: Variable[];
  readonly constants: Set<string | number>;
  ordered: boolean;
}

/** The maximum number of named list members. Each one doubles the number of lists to try. */
const LIST_MEMBERS_MAX = 5;

/** Null if values of different types are compared in a way that this file doesn't support. */
export function domainsOf(
  variables: readonly Variable[],
  atoms: readonly Atom[],
  budget: ComparisonBudget,
): Domain[] | null | "budget" {
  const links = createLinks(variables);
  for (const { condition } of atoms) links.read(condition);
  const domains: Domain[] = [];
  const ready = new Map<Group, Value[] | null>();
  const numbers = new Map<Group, number>();
  for (const variable of variables) {
    const group = links.groupOf(variable.index);
    if (!ready.has(group)) {
      if (!budget.spend(pointsAtMost(group) * (1 + group.members.length))) return "budget";
      numbers.set(group, ready.size);
      ready.set(group, pointsOf(group));
    }
    const points = ready.get(group) ?? null;
    const own = points === null ? null : valuesFor(variable, points, group);
    if (own === null) return null;
    const values = variable.nullable || variable.ofUser ? [...own, null] : own;
    domains.push({ values, unnamed: unnamedOf(group, points ?? []), group: numbers.get(group) ?? 0 });
  }
  return domains;
}

interface Links {
  readonly read: (condition: Expression) => void;
  readonly groupOf: (variable: number) => Group;
}

function createLinks(variables: readonly Variable[]): Links {
  const groups = variables.map((one): Group => ({ members: [one], constants: new Set(), ordered: false }));
  const groupOf = (variable: number): Group => {
    const group = groups[variable];
    if (group === undefined) throw new Error("an atom reads a variable that is not there");
    return group;
  };

  function link(leaves: readonly Expression[], ordered: boolean): void {
    const [first, ...others] = leaves.filter((one) => one.kind === "field").map((one) => Number(one.path[0]?.slice(1)));
    if (first === undefined) return;
    const group = groupOf(first);
    for (const other of others) {
      const taken = groupOf(other);
      if (taken === group) continue;
      for (const member of taken.members) groups[member.index] = group;
      group.members.push(...taken.members);
      for (const constant of taken.constants) group.constants.add(constant);
      group.ordered ||= taken.ordered;
    }
    group.ordered ||= ordered;
    for (const one of leaves) {
      if (one.kind === "literal" && (typeof one.value === "string" || typeof one.value === "number")) {
        group.constants.add(one.value);
      }
    }
  }

  function read(condition: Expression): void {
    if (condition.kind === "list") condition.items.forEach(read);
    if (condition.kind !== "operation") return;
    const { operator, args } = condition;
    args.forEach(read);
    if (operator === "&&" || operator === "||" || operator === "!" || operator === "?:") return;
    if (args.some((one) => one.type.kind === "null")) return;
    link(args.flatMap(leavesOf), operator === "<" || operator === "<=" || operator === ">" || operator === ">=");
  }

  return { read, groupOf };
}

/** The possible values of one side of a comparison. */
function leavesOf(side: Expression): readonly Expression[] {
  if (side.kind === "list") return side.items.flatMap(leavesOf);
  if (side.kind === "operation" && side.operator === "?:") return side.args.slice(1).flatMap(leavesOf);
  return [side];
}

/** The maximum number of values in the group: each constant, and in each gap as many as there are variables. */
function pointsAtMost({ members, constants }: Group): number {
  const named = members.reduce(
    (sum, { type }) => sum + (type.kind === "enum" ? type.values.length : 0),
    constants.size,
  );
  return (named + 1) * (members.length + 1);
}

function pointsOf({ members, constants, ordered }: Group): Value[] | null {
  const kinds = new Set(members.map((one) => lineOf(one.type)));
  const [kind] = kinds;
  if (kinds.size !== 1 || kind === undefined) return null;
  const texts = [...constants].map(String);
  switch (kind) {
    case "bool":
      return [true, false];
    case "opaque":
      return ["anything"];
    case "list":
      return members.length > 1 || texts.length > LIST_MEMBERS_MAX ? null : subsets([...constants]);
    case "number": {
      const points = numberPoints([...constants], members.map(placesOf), members.length);
      if (points !== null && areTooFine(points, members)) {
        const floats = members.every(({ type }) => type.kind === "float");
        return floats ? floatPoints([...constants].map(Number), members.length) : null;
      }
      if (points === null || ordered) return points;
      return fewest(points, texts.length === 0 ? [] : (numberPoints([...constants], [], 0) ?? []), members);
    }
    case "text":
      return textValues(members, texts, ordered);
    case "null":
      return null;
    default: {
      const isCalculated = members.some((one) => one.kind === "abstract");
      const points = pointsOnLine(kind, texts, members.length, isCalculated);
      if (points === null || ordered) return points;
      return fewest(points, texts.length === 0 ? [] : (pointsOnLine(kind, texts, 0, false) ?? []), members);
    }
  }
}

/** Whether some of the values are the same float: then a value inside a gap can only be at its edge. */
function areTooFine(points: readonly string[], members: readonly Variable[]): boolean {
  if (!members.some(({ type }) => type.kind === "float")) return false;
  return new Set(points.map(Number)).size < points.length;
}

/** If nothing compares the order, as many unnamed values as there are variables. */
function fewest(points: readonly string[], named: readonly string[], members: readonly Variable[]): Value[] {
  // Numbers of different types share no unnamed value that fits all of them, so every point is kept.
  if (new Set(members.map(placesOf)).size > 1) return [...points];
  const isNamed = (point: string): boolean => named.includes(point);
  const first = members[0];
  const fitting = points.filter((point) => first === undefined || isNamed(point) || fits(first, point));
  return [...fitting.filter(isNamed), ...fitting.filter((point) => !isNamed(point)).slice(0, members.length)];
}

function textValues(members: readonly Variable[], named: readonly string[], ordered: boolean): Value[] {
  const lists = members.map((one) => (one.type.kind === "enum" ? one.type.values : null));
  const enums = lists.filter((one) => one !== null);
  const [first] = enums;
  const alike = enums.length === lists.length && enums.every((one) => one.join() === first?.join());
  if (first !== undefined && alike) {
    if (ordered) return [...first];
    // Values that no rule names are interchangeable.
    const kept = new Set(first.filter((value) => !named.includes(value)).slice(0, members.length));
    return first.filter((value) => named.includes(value) || kept.has(value));
  }
  const all = [...new Set([...named, ...enums.flat()])];
  if (ordered) return textPoints(all, members.length);
  const unnamed = ["something", "something else"];
  for (let i = 3; unnamed.length < members.length + all.length; i++) unnamed.push(`something ${i}`);
  return [...all, ...unnamed.filter((text) => !all.includes(text)).slice(0, members.length)];
}

function subsets(members: readonly Value[]): Value[] {
  return Array.from({ length: 2 ** members.length }, (_, bits) => members.filter((_one, i) => (bits >> i) % 2 === 1));
}

/** The points of a group that this variable can have, as JSON values. */
function valuesFor(variable: Variable, points: readonly Value[], { constants }: Group): Value[] | null {
  if (variable.kind === "role" || variable.kind === "signed_in") return [false, true];
  const { type } = variable;
  if (type.kind === "enum") return points.filter((one) => type.values.includes(String(one)));
  if (lineOf(type) !== "number") return [...points];
  const own = points.filter((one) => fits(variable, String(one)));
  // A constant is printed in its shortest form. A constant that no value of this variable equals is not one of its
  // values.
  if (constants.size > 0 && own.length === 0) return null;
  return own.map((one) => numberOf(type, String(one)));
}

function fits(variable: Variable, point: string): boolean {
  return lineOf(variable.type) !== "number" || fitsPlaces(point, placesOf(variable));
}

function numberOf(type: Type, text: string): Value {
  if (type.kind === "float") return Number(text);
  return type.kind === "int" && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function placesOf({ type, places }: Variable): number | null {
  return type.kind === "int" ? 0 : places;
}

function lineOf({ kind }: Type): Exclude<Type["kind"], "int" | "decimal" | "float" | "enum"> | "number" {
  if (kind === "int" || kind === "decimal" || kind === "float") return "number";
  return kind === "enum" ? "text" : kind;
}

function unnamedOf(
  { members, constants, ordered }: Group,
  points: readonly Value[],
): ReadonlyMap<Value, number> | null {
  const plain = members.every(({ type }) => type.kind === "uuid" || type.kind === "text");
  if (ordered || !plain || members.length < 2) return null;
  const named = new Set([...constants].map((one) => String(one).toLowerCase()));
  const unnamed = points.filter((point) => !named.has(String(point).toLowerCase()));
  return new Map(unnamed.map((point, index) => [point, index]));
}

/** Roles are only compared by name. */
export function namesOfRoles(variables: readonly Variable[]): ReadonlyMap<number, string> {
  return new Map(variables.filter((one) => one.kind === "role").map((one) => [one.index, roleOf(one)]));
}
