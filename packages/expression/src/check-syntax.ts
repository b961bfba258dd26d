// Checks any piece of syntax. In: the syntax and the expected type. Out: its typed tree, or null after its problems
// were reported. It calls the part of the checker for this syntax, records the position, and counts the node against
// the limit.
import { checkArithmetic, checkConditional, checkNegative } from "./check-arithmetic.ts";
import { checkCall } from "./check-call.ts";
import { checkComparison } from "./check-comparison.ts";
import { nestsWithin, refuseRelation } from "./check-each.ts";
import { checkLiteral, checkNumber, enumValue } from "./check-literal.ts";
import { typedAs } from "./check-pair.ts";
import { type Checking, report, spend, standingAt } from "./checking.ts";
import { parseExpression } from "./parse.ts";
import { isMember, resolvePath } from "./resolve-name.ts";
import type { Syntax } from "./syntax.ts";
import type { Expression, Type } from "./tree.ts";
import { bool, nameOf } from "./types.ts";
import { countNodes, joined, negated } from "./walk.ts";

/** How deep named rules can be nested. */
const RULES_DEEP_MAX = 8;

export function checkSyntax(syntax: Syntax, expected: Type | null, checking: Checking): Expression | null {
  if (!spend(checking, 1, syntax)) return null;
  const expression = checkPiece(syntax, expected, checking);
  if (expression !== null && !checking.places.has(expression)) {
    const { start, end } = checking.at ?? syntax;
    checking.places.set(expression, { start, end });
  }
  return expression;
}

function checkPiece(syntax: Syntax, expected: Type | null, checking: Checking): Expression | null {
  switch (syntax.kind) {
    case "logic": {
      const args = syntax.operands.map((operand) => checkCondition(operand, checking));
      return args.every((one) => one !== null) ? joined(syntax.operator, args) : null;
    }
    case "not": {
      const operand = checkCondition(syntax.operand, checking);
      return operand === null ? null : negated(operand);
    }
    case "comparison":
      return checkComparison(syntax, checking);
    case "arithmetic":
      return checkArithmetic(syntax, expected, checking);
    case "negative":
      return checkNegative(syntax, expected, checking);
    case "conditional":
      return checkConditional(syntax, expected, checking);
    case "literal":
      return checkLiteral(syntax, expected, checking);
    case "number":
      return checkNumber(syntax, expected, checking);
    case "call":
      return checkCall(syntax, checking);
    case "name":
    case "member":
      return checkName(syntax, expected, checking);
    case "list":
      if (expected?.kind === "bool") return notCondition(syntax, "A list is not a condition.", checking);
      return report(checking, syntax, "type_mismatch", "A list can only be used on the right side of `in`.");
    case "unsupported":
      return report(checking, syntax, "expression_not_supported", `Rules don't support ${syntax.what}.`, syntax.hint);
  }
}

function checkCondition(syntax: Syntax, checking: Checking): Expression | null {
  const found = checkSyntax(syntax, bool, checking);
  const expression = found === null ? null : typedAs(found, bool, checking);
  if (expression === null || expression.type.kind === "bool") return expression;
  const isLiteral = expression.kind === "literal";
  const message = isLiteral
    ? "A literal is not a condition."
    : `This has the type ${nameOf(expression.type)}, but a condition is expected.`;
  return notCondition(syntax, message, checking);
}

function notCondition(syntax: Syntax, message: string, checking: Checking): null {
  const hint = "A rule must be true or false. Use `==`, `!=`, `<`, `<=`, `>`, `>=` or `in`.";
  return report(checking, syntax, "not_a_condition", message, hint);
}

type Name = Extract<Syntax, { kind: "name" | "member" }>;

/** A value of the expected enum has priority over all names except fields. */
function checkName(syntax: Name, expected: Type | null, checking: Checking): Expression | null {
  const word = syntax.kind === "name" && !isMember(syntax.name, checking.scope) ? syntax.name : null;
  if (word !== null && expected?.kind === "enum" && expected.values.includes(word)) {
    return { kind: "literal", type: expected, value: word };
  }
  const resolved = resolvePath(syntax, checking);
  if ("expression" in resolved) {
    if (syntax.kind === "name" && checking.scope.schema.rules.has(syntax.name))
      warnOfRule(syntax, syntax.name, checking);
    const { expression } = resolved;
    if (resolved.computed !== true) return expression;
    if (!nestsWithin(expression, syntax, checking)) return null;
    return spend(checking, countNodes(expression) - 1, syntax) ? standingAt(expression, syntax, checking) : null;
  }
  if ("rule" in resolved) return checkNamedRule(syntax, resolved.rule, checking);
  if ("relation" in resolved) return refuseRelation(syntax, resolved.relation, checking);
  const { start, end, code, message, hint } = resolved.problem;
  if (word !== null && expected?.kind === "enum") return enumValue(word, expected, syntax, checking, hint);
  return report(checking, { start, end }, code, message, hint);
}

function warnOfRule(at: Syntax, name: string, checking: Checking): void {
  const message = `\`${name}\` is a field and a named rule. It is read as the field.`;
  report(checking, at, "ambiguous_name", message, "Choose another name for the rule.");
}

/** The text of the named rule is checked again in the scope of the record, without variables. */
function checkNamedRule(syntax: Syntax, name: string, checking: Checking): Expression | null {
  if (checking.rules.includes(name)) {
    const message = `The rule \`${name}\` uses itself.`;
    return report(
      checking,
      syntax,
      "rule_circle",
      message,
      "Replace the name of one of these rules by its expression.",
    );
  }
  if (checking.rules.length >= RULES_DEEP_MAX) {
    return report(
      checking,
      syntax,
      "expression_too_large",
      `Named rules can be nested at most ${RULES_DEEP_MAX} deep.`,
    );
  }
  checking.rulesUsed.add(name);
  const { start, end } = checking.at ?? syntax;
  const inner: Checking = { ...checking, variables: new Map(), rules: [...checking.rules, name], at: { start, end } };
  const parsed = parseExpression(checking.scope.schema.rules.get(name) ?? "");
  if (parsed.syntax === null) {
    for (const problem of parsed.problems) report(inner, syntax, problem.code, problem.message, problem.hint);
    return null;
  }
  return checkCondition(parsed.syntax, inner);
}
