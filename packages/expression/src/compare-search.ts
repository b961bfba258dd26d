// In: two skeletons, their variables and what each can be. Out: assignments under which the one holds and the other doesn't,
// one after the other. It assigns one variable at a time and goes no further where the outcome is settled.
import type { Domain } from "./compare-domains.ts";
import { createOutcomes, TRUE } from "./compare-outcomes.ts";
import type { Skeleton, Variable } from "./compare-variables.ts";
import type { Value } from "./datum.ts";

export interface Search {
  readonly holds: Skeleton;
  readonly fails: Skeleton;
  readonly variables: readonly Variable[];
  readonly domains: readonly Domain[];
  /** Roles by variable, and those that whoever is signed in holds. */
  readonly roles: ReadonlyMap<number, string>;
  readonly rolesOfUsers: readonly string[];
}

export type Assignment = ReadonlyMap<number, Value>;

/** Steps of one search; each looks at both rules once. */
export const STEPS_MAX = 30_000;

/**
 * Calls `found` with each assignment until it answers true. A variable that an assignment lacks doesn't matter to it.
 * "none": there is no (further) one; "too_many": there may be.
 */
export function searchDifference(
  search: Search,
  found: (assignment: Assignment) => boolean,
): "found" | "none" | "too_many" {
  const assignment = new Map<number, Value>();
  const outcomeOf = createOutcomes(search.domains, assignment);
  const settled = settledVariables(search);
  let steps = 0;

  function step(): "found" | "none" | "too_many" {
    if (++steps > STEPS_MAX) return "too_many";
    const holds = outcomeOf(search.holds);
    if ((holds & TRUE) === 0) return "none";
    const fails = outcomeOf(search.fails);
    if (fails === TRUE) return "none";
    if (holds === TRUE && (fails & TRUE) === 0) return found(assignment) ? "found" : "none";
    const next = nextVariable(search, outcomeOf, assignment);
    if (next === null) throw new Error("a rule is undecided, and nothing is left to assign");
    for (const value of choices(search, next, assignment, settled)) {
      assignment.set(next.index, value);
      const result = step();
      if (result !== "none") return result;
      assignment.delete(next.index);
    }
    return "none";
  }
  return step();
}

/** A variable of the first undecided atom, of one that is looked into where there is such. */
function nextVariable(
  { holds, fails, variables }: Search,
  outcomeOf: (skeleton: Skeleton) => number,
  assignment: ReadonlyMap<number, Value>,
): Variable | null {
  let abstract: Variable | null = null;

  function visit(skeleton: Skeleton): Variable | null {
    const outcome = outcomeOf(skeleton);
    if ((outcome & (outcome - 1)) === 0) return null;
    if (skeleton.kind === "atom") {
      const open = skeleton.atom.variables.filter((one) => !assignment.has(one)).flatMap((one) => variables[one] ?? []);
      const exact = open.find((one) => one.kind !== "abstract");
      abstract ??= open[0] ?? null;
      return exact ?? null;
    }
    if (skeleton.kind === "constant") return null;
    for (const one of skeleton.args) {
      const found = visit(one);
      if (found !== null) return found;
    }
    return null;
  }
  const chosen = visit(holds) ?? visit(fails) ?? abstract;
  if (chosen === null || !(chosen.ofUser || chosen.kind === "role")) return chosen;
  const signedIn = variables.find((one) => one.kind === "signed_in");
  return signedIn === undefined || assignment.has(signedIn.index) ? chosen : signedIn;
}

/** The values that a variable can take beside those that are assigned already. */
function* choices(
  { domains, variables, roles, rolesOfUsers }: Search,
  variable: Variable,
  assignment: ReadonlyMap<number, Value>,
  settled: ReadonlySet<number>,
): Generator<Value> {
  const domain = domains[variable.index];
  if (domain === undefined) return;
  const signedIn = variables.find((one) => one.kind === "signed_in");
  const isSignedIn = signedIn !== undefined && assignment.get(signedIn.index) === true;
  if (variable.kind === "role") {
    // A user has whatever roles were given; without one there is a key, bound to one role.
    if (isSignedIn && rolesOfUsers.includes(roles.get(variable.index) ?? "")) yield true;
    else {
      yield false;
      const other = !isSignedIn && [...roles.keys()].some((one) => assignment.get(one) === true);
      if (!other && !settled.has(variable.index)) yield true;
    }
    return;
  }
  if (variable.ofUser && !isSignedIn) {
    yield null;
    return;
  }
  if (settled.has(variable.index)) {
    yield false;
    return;
  }
  const taken = domain.unnamed === null ? null : takenUnnamed(domains, domain, assignment);
  for (const value of domain.values) {
    if (value === null && !variable.nullable) continue;
    const rank = domain.unnamed?.get(value);
    if (taken === null || rank === undefined || rank <= taken) yield value;
  }
}

/** How many of a group's unnamed values are taken. */
function takenUnnamed(
  domains: readonly Domain[],
  { unnamed, group }: Domain,
  assignment: ReadonlyMap<number, Value>,
): number {
  let taken = 0;
  for (const [index, value] of assignment) {
    const rank = domains[index]?.group === group ? unnamed?.get(value) : undefined;
    if (rank !== undefined) taken = Math.max(taken, rank + 1);
  }
  return taken;
}

/**
 * Booleans that only ever help the rule that must fail: false is the least that they can be, so nothing else needs to be
 * tried. (`&&`, `||` and the branches of `?:` grow with their parts, in the order false, unknown, true.)
 */
function settledVariables({ holds, fails, roles, rolesOfUsers }: Search): ReadonlySet<number> {
  const harmful = new Set<number>();
  const seen = new Set<number>();

  function visit(skeleton: Skeleton, direction: "up" | "down" | "both", harmless: "up" | "down"): void {
    switch (skeleton.kind) {
      case "constant":
        return;
      case "atom": {
        const bare = skeleton.atom.condition.kind === "field";
        for (const one of skeleton.atom.variables) {
          seen.add(one);
          if (!bare || direction !== harmless) harmful.add(one);
        }
        return;
      }
      case "not":
        for (const one of skeleton.args) visit(one, opposite[direction], harmless);
        return;
      case "choice":
        for (const [index, one] of skeleton.args.entries()) visit(one, index === 0 ? "both" : direction, harmless);
        return;
      case "and":
      case "or":
        for (const one of skeleton.args) visit(one, direction, harmless);
    }
  }
  visit(fails, "up", "up");
  visit(holds, "up", "down");
  const ofUsers = new Set([...roles].filter(([, role]) => rolesOfUsers.includes(role)).map(([index]) => index));
  return new Set([...seen].filter((one) => !harmful.has(one) && !ofUsers.has(one)));
}

const opposite = { up: "down", down: "up", both: "both" } as const;
