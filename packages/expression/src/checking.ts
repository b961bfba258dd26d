// What the parts of the checker hand each other: where they are, what they have found, and how to check a part of a part.
// State of one check alone; nothing outlives it.
import type { Problem, ProblemCode } from "./problem.ts";
import type { Scope } from "./scope.ts";
import type { Located, Syntax } from "./syntax.ts";
import type { Expression, Type } from "./tree.ts";
import { partsOf } from "./walk.ts";

export interface Checking {
  readonly scope: Scope;
  readonly problems: Problem[];
  /** Where each node stands in the author's text. */
  readonly places: Map<Expression, Located>;
  /** The variables of every `each` around, and the records they go through. */
  readonly variables: ReadonlyMap<string, string>;
  /** The named rules that are being written out, outermost first. */
  readonly rules: readonly string[];
  readonly rulesUsed: Set<string>;
  /** Where the author named the rule that is being written out: all that is in it stands there. */
  readonly at: Located | null;
  /** Nodes that the tree may still grow by; shared by all sources of one rule. */
  readonly budget: { left: number };
  /**
   * The tree of a part, or null once its problems are reported. `expected` gives literals and bare words their type;
   * that the part is of that type is the caller's to see.
   */
  readonly check: (syntax: Syntax, expected: Type | null, checking: Checking) => Expression | null;
}

export function report(
  checking: Checking,
  at: Located,
  code: ProblemCode,
  message: string,
  hint: string | null = null,
): null {
  const { start, end } = checking.at ?? at;
  const rule = checking.rules.at(-1);
  const told = rule === undefined ? message : `In the rule \`${rule}\`: ${message}`;
  checking.problems.push({ code, message: told, hint, start, end });
  return null;
}

/** All that was written out stands where the author named it. */
export function standingAt(expression: Expression, at: Located, checking: Checking): Expression {
  const { start, end } = checking.at ?? at;
  checking.places.set(expression, { start, end });
  for (const part of partsOf(expression)) standingAt(part, at, checking);
  return expression;
}

/** Counts nodes against the bound; false, and said once, where there are too many. */
export function spend(checking: Checking, nodes: number, at: Located): boolean {
  const before = checking.budget.left;
  checking.budget.left -= nodes;
  if (checking.budget.left >= 0) return true;
  if (before >= 0) {
    const hint = "The size includes each use of a named rule and of `can(...)`.";
    report(checking, at, "expression_too_large", "The rule is too large after named rules are inserted.", hint);
  }
  return false;
}
