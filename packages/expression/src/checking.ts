// The state that the parts of the checker share: the scope, the problems found, and a function to check a
// sub-expression. It lives for one check only.
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
  /** The variables of all enclosing `each`, with their records. */
  readonly variables: ReadonlyMap<string, string>;
  /** The named rules that are being written out, outermost first. */
  readonly rules: readonly string[];
  readonly rulesUsed: Set<string>;
  /** The position where the author used the named rule that is being written out. All its nodes get this position. */
  readonly at: Located | null;
  /** How many nodes the tree can still have. All sources of a rule share this number. */
  readonly budget: { left: number };
  /**
   * Returns the tree of a part, or null after its problems were reported. `expected` is a type for literals and bare
   * words; the caller checks whether the result has this type.
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
  const prefixed = rule === undefined ? message : `In the rule \`${rule}\`: ${message}`;
  checking.problems.push({ code, message: prefixed, hint, start, end });
  return null;
}

/** All nodes that were written out have the position where the author used the name. */
export function standingAt(expression: Expression, at: Located, checking: Checking): Expression {
  const { start, end } = checking.at ?? at;
  checking.places.set(expression, { start, end });
  for (const part of partsOf(expression)) standingAt(part, at, checking);
  return expression;
}

/** Counts nodes against the limit. Returns false, and reports it once, if there are too many. */
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
