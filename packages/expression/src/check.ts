// In: the text of a rule and what it stands on. Out: a typed tree, or every problem in it with its offsets.
// It never throws on an author's mistake; a tree comes out only where there is none.
import { checkComparison } from "./check-comparison.ts";
import { parseExpression, type Syntax } from "./parse.ts";
import { type Problem, problemIsWarning } from "./problem.ts";
import { resolvePath } from "./resolve-name.ts";
import type { Scope } from "./scope.ts";
import type { Expression } from "./tree.ts";

export interface CheckedExpression {
  readonly expression: Expression | null;
  readonly problems: readonly Problem[];
}

/** A rule as the blueprint has it: `true`, `false` or an expression. */
export type RuleSource = boolean | string;

export interface CheckedRule {
  /** Null where any problem is an error. */
  readonly expression: Expression | null;
  /** `item` is the index of the rule source that the problem stands in. */
  readonly problems: readonly (Problem & { readonly item: number })[];
}

const bool = { kind: "bool" } as const;

/**
 * Checks a rule that grants where any of its sources holds.
 *
 * In an update rule a bare name must hold for the old and for the new row: the whole rule is laid over both,
 * names with `old.` or `new.` stay as they are.
 */
export function checkRule(sources: readonly RuleSource[], scope: Scope): CheckedRule {
  const problems: (Problem & { item: number })[] = [];
  const alternatives: Expression[] = [];
  for (const [item, source] of sources.entries()) {
    const checked =
      typeof source === "boolean"
        ? { expression: { kind: "literal", type: bool, value: source } as const, problems: [] }
        : checkExpression(source, scope);
    problems.push(...checked.problems.map((problem) => ({ ...problem, item })));
    if (checked.expression !== null) alternatives.push(checked.expression);
  }
  if (alternatives.length < sources.length) return { expression: null, problems };
  const rule = anyOf(alternatives);
  return { expression: scope.operation === "update" ? overBothRows(rule) : rule, problems };
}

/** Checks one condition. In an update rule its bare names are still on `record`; `checkRule` splits them. */
export function checkExpression(text: string, scope: Scope): CheckedExpression {
  const parsed = parseExpression(text);
  if (parsed.syntax === null) return { expression: null, problems: parsed.problems };
  const problems: Problem[] = [];
  const expression = checkCondition(parsed.syntax, scope, problems);
  return { expression: problems.every(problemIsWarning) ? expression : null, problems };
}

function checkCondition(syntax: Syntax, scope: Scope, problems: Problem[]): Expression | null {
  switch (syntax.kind) {
    case "logic": {
      const args = syntax.operands.map((operand) => checkCondition(operand, scope, problems));
      return args.every((one) => one !== null) ? joined(syntax.operator, args) : null;
    }
    case "not": {
      const operand = checkCondition(syntax.operand, scope, problems);
      return operand === null ? null : { kind: "operation", type: bool, operator: "!", args: [operand] };
    }
    case "comparison":
      return checkComparison(syntax, scope, problems);
    case "literal":
      if (typeof syntax.value === "boolean") return { kind: "literal", type: bool, value: syntax.value };
      return notCondition(syntax, "A literal is not a condition.", problems);
    case "name":
    case "member": {
      const resolved = resolvePath(syntax, scope);
      if ("problem" in resolved) {
        problems.push(resolved.problem);
        return null;
      }
      if (resolved.expression.type.kind === "bool") return resolved.expression;
      return notCondition(syntax, `This is of type ${resolved.expression.type.kind}, not a condition.`, problems);
    }
    case "list":
      return notCondition(syntax, "A list is not a condition.", problems);
    case "unsupported":
      problems.push({
        code: "expression_not_supported",
        message: `Rules with ${syntax.what} are not supported yet.`,
        hint: null,
        start: syntax.start,
        end: syntax.end,
      });
      return null;
  }
}

function notCondition(syntax: Syntax, message: string, problems: Problem[]): null {
  const hint = "A rule is true or false: compare with `==`, `!=`, `<`, `<=`, `>`, `>=` or `in`.";
  problems.push({ code: "not_a_condition", message, hint, start: syntax.start, end: syntax.end });
  return null;
}

/** `true` swallows the others, `false` adds nothing. */
function anyOf(alternatives: readonly Expression[]): Expression {
  const constant = alternatives.find((one) => one.kind === "literal" && one.value === true);
  if (constant !== undefined) return constant;
  const open = alternatives.filter((one) => one.kind !== "literal");
  const [first] = open;
  if (first === undefined) return { kind: "literal", type: bool, value: false };
  return open.length === 1 ? first : joined("||", open);
}

function overBothRows(rule: Expression): Expression {
  if (!readsRecord(rule)) return rule;
  return joined("&&", [onRow(rule, "old"), onRow(rule, "new")]);
}

/** `(a && b) && c` is the same as `a && b && c`, unknowns included: one tree for both. */
function joined(operator: "&&" | "||", args: readonly Expression[]): Expression {
  const flat = args.flatMap((one) => (one.kind === "operation" && one.operator === operator ? one.args : [one]));
  return { kind: "operation", type: bool, operator, args: flat };
}

function readsRecord(expression: Expression): boolean {
  if (expression.kind === "field") return expression.row === "record";
  return expression.kind === "operation" && expression.args.some(readsRecord);
}

function onRow(expression: Expression, row: "old" | "new"): Expression {
  if (expression.kind === "field") return expression.row === "record" ? { ...expression, row } : expression;
  if (expression.kind !== "operation") return expression;
  return { ...expression, args: expression.args.map((one) => onRow(one, row)) };
}

/** Whether an expression depends on who is signed in. */
export function mentionsUser(expression: Expression): boolean {
  if (expression.kind === "user") return true;
  return expression.kind === "operation" && expression.args.some(mentionsUser);
}
