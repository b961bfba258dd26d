// The entry point of the checker. In: the text of a rule and its scope. Out: a typed tree, or all problems with their
// offsets. It never throws for an author's mistake, and returns a tree only if there are no errors.
import { typedAs } from "./check-pair.ts";
import { checkSyntax } from "./check-syntax.ts";
import type { Checking } from "./checking.ts";
import { parseExpression } from "./parse.ts";
import { type Problem, problemIsWarning } from "./problem.ts";
import { type Scope, splitsRows } from "./scope.ts";
import { overBothRows, withFreshVariables } from "./substitute.ts";
import type { Located } from "./syntax.ts";
import { meantBy } from "./translate-foreign.ts";
import type { Expression, Type } from "./tree.ts";
import { commonType, isNumber, isText, nameOf } from "./types.ts";
import { isConstant, joined, type Moved, negated, truth } from "./walk.ts";

export interface CheckedExpression {
  readonly expression: Expression | null;
  readonly problems: readonly Problem[];
  /**
   * The position of each node in the text. The parts of a named rule or `can(...)` have the position where it was used.
   */
  readonly places: ReadonlyMap<Expression, Place>;
  /** The named rules that it uses, directly or through other rules. */
  readonly rulesUsed: ReadonlySet<string>;
}

export interface Place extends Located {
  /** The index of the rule source; 0 where there is only one. */
  readonly item: number;
}

/** A rule as the blueprint has it: `true`, `false` or an expression. */
export type RuleSource = boolean | string;

export interface CheckedRule extends CheckedExpression {
  /** `item` is the index of the rule source with the problem. Sources of `deny` are numbered after the others. */
  readonly problems: readonly (Problem & { readonly item: number })[];
}

/**
 * The maximum number of nodes in a rule, including named rules and `can(...)`. An update rule can have twice as many.
 */
const NODES_MAX = 2_000;

/**
 * Checks a rule. It grants if one of its sources is true and none of `deny` is; an unknown `deny` denies.
 *
 * In an update rule, a bare name must satisfy the rule for the old and for the new row: the whole rule is applied to
 * both, except for names with `old.` or `new.`.
 */
export function checkRule(sources: readonly RuleSource[], scope: Scope, deny: readonly RuleSource[] = []): CheckedRule {
  const problems: (Problem & { item: number })[] = [];
  const places = new Map<Expression, Place>();
  const rulesUsed = new Set<string>();
  const budget = { left: NODES_MAX };
  const trees = [...sources, ...deny].map((source, item) => {
    if (typeof source === "boolean") {
      const constant = truth(source);
      places.set(constant, { item, start: 0, end: String(source).length });
      return constant;
    }
    const checked = checkOne(source, scope, { kind: "bool" }, { budget, rulesUsed });
    problems.push(...checked.problems.map((problem) => ({ ...problem, item })));
    for (const [node, { start, end }] of checked.places) places.set(node, { item, start, end });
    return checked.expression;
  });
  if (!trees.every((tree) => tree !== null)) return { expression: null, problems, places: new Map(), rulesUsed };
  const moved = movedIn(places);
  const allowed = anyOf(trees.slice(0, sources.length));
  const rule = butNot(allowed, anyOf(trees.slice(sources.length)));
  const laid = splitsRows(scope) ? overBothRows(rule, moved) : rule;
  return { expression: withFreshVariables(laid, new Set(), moved), problems, places, rulesUsed };
}

/** Checks one condition. In an update rule its bare names are still on `record`; `checkRule` splits them. */
export function checkExpression(text: string, scope: Scope): CheckedExpression {
  return checkWhole(text, scope, { kind: "bool" });
}

/**
 * Checks an expression of any type (a forced value, a computed field). If a type is expected, literals and bare words
 * take it, and any other type is a problem.
 */
export function checkValue(text: string, scope: Scope, expected: Type | null): CheckedExpression {
  return checkWhole(text, scope, expected);
}

function checkWhole(text: string, scope: Scope, expected: Type | null): CheckedExpression {
  const rulesUsed = new Set<string>();
  const checked = checkOne(text, scope, expected, { budget: { left: NODES_MAX }, rulesUsed });
  const places = new Map<Expression, Place>();
  for (const [node, { start, end }] of checked.places) places.set(node, { item: 0, start, end });
  const expression = checked.expression && withFreshVariables(checked.expression, new Set(), movedIn(places));
  return { expression, problems: checked.problems, places, rulesUsed };
}

function movedIn(places: Map<Expression, Place>): Moved {
  return (from, to) => {
    const place = places.get(from);
    if (place !== undefined && !places.has(to)) places.set(to, place);
  };
}

interface Checked {
  readonly expression: Expression | null;
  readonly problems: readonly Problem[];
  readonly places: ReadonlyMap<Expression, Located>;
}

type Shared = Pick<Checking, "budget" | "rulesUsed">;

/**
 * Checks one expression. If it is written in the syntax of another language, a single problem shows how to write it
 * here.
 */
function checkOne(text: string, scope: Scope, expected: Type | null, shared: Shared): Checked {
  const checked = checkAsWritten(text, scope, expected, shared);
  const first = checked.problems.find((problem) => !problemIsWarning(problem));
  const meant = first === undefined ? null : meantBy(text);
  if (first === undefined || meant === null) return checked;
  const trial = checkAsWritten(meant, scope, expected, { budget: { left: NODES_MAX }, rulesUsed: new Set() });
  if (trial.expression === null) return checked;
  return { ...checked, problems: [{ ...first, hint: `Write \`${meant}\`.` }] };
}

function checkAsWritten(text: string, scope: Scope, expected: Type | null, shared: Shared): Checked {
  const parsed = parseExpression(text);
  const places = new Map<Expression, Located>();
  if (parsed.syntax === null) return { expression: null, problems: parsed.problems, places };
  const problems: Problem[] = [];
  const checking: Checking = {
    ...shared,
    scope,
    problems,
    places,
    variables: new Map(),
    rules: [],
    at: null,
    check: checkSyntax,
  };
  const { syntax } = parsed;
  const found = checkSyntax(syntax, expected, checking);
  const expression = found === null || expected === null ? found : typedAs(found, expected, checking);
  if (expression !== null) problems.push(...misfit(expression, expected, syntax));
  return { expression: problems.every(problemIsWarning) ? expression : null, problems, places };
}

function misfit({ type }: Expression, expected: Type | null, { start, end }: Located): Problem[] {
  if (expected === null || type.kind === expected.kind) return [];
  if (expected.kind === "bool") {
    const message =
      type.kind === "null"
        ? "A literal is not a condition."
        : `This has the type ${nameOf(type)}, but a condition is expected.`;
    const hint = "A rule must be true or false. Use `==`, `!=`, `<`, `<=`, `>`, `>=` or `in`.";
    return [{ code: "not_a_condition", message, hint, start, end }];
  }
  const fitting = type.kind === "null" || (isNumber(type) && isNumber(expected)) || (isText(type) && isText(expected));
  if (fitting && commonType(type, expected) !== null) return [];
  const message = `This has the type ${nameOf(type)}, but ${nameOf(expected)} is expected.`;
  return [{ code: "type_mismatch", message, hint: null, start, end }];
}

/** `true` makes the others irrelevant, `false` adds nothing. */
function anyOf(alternatives: readonly Expression[]): Expression {
  const constant = alternatives.find((one) => isConstant(one, true));
  if (constant !== undefined) return constant;
  const open = alternatives.filter((one) => !isConstant(one, false));
  return open.length === 0 ? (alternatives[0] ?? truth(false)) : joined("||", open);
}

function butNot(allowed: Expression, denied: Expression): Expression {
  if (isConstant(denied, false) || isConstant(allowed, false)) return allowed;
  if (isConstant(denied, true)) return truth(false);
  return isConstant(allowed, true) ? negated(denied) : joined("&&", [allowed, negated(denied)]);
}
