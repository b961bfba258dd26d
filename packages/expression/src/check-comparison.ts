// In: one comparison of a rule. Out: a typed operation, or problems.
// Here a literal takes its type from what it is compared with, and a bare word may be a value of an enum.
import type { Syntax } from "./parse.ts";
import type { Problem, ProblemCode } from "./problem.ts";
import { resolvePath } from "./resolve-name.ts";
import type { Scope } from "./scope.ts";
import { didYouMean } from "./suggest.ts";
import { isInstant } from "./temporal.ts";
import type { Expression, Type } from "./tree.ts";

type Comparison = Extract<Syntax, { kind: "comparison" }>;

/** A side of a comparison: either typed, or a word or literal that takes its type from the other side. */
type Side =
  | { readonly kind: "typed"; readonly expression: Expression }
  | { readonly kind: "literal"; readonly syntax: Extract<Syntax, { kind: "literal" }> }
  | { readonly kind: "word"; readonly syntax: Extract<Syntax, { kind: "name" }>; readonly problem: Problem };

const bool = { kind: "bool" } as const;

export function checkComparison(comparison: Comparison, scope: Scope, problems: Problem[]): Expression | null {
  if (comparison.operator === "in") return checkMembership(comparison, scope, problems);
  const left = sideOf(comparison.left, scope, problems);
  const right = sideOf(comparison.right, scope, problems);
  if (left === null || right === null) return null;
  const typeOfLeft = typeOf(left);
  const typeOfRight = typeOf(right);
  warnOfAmbiguity(comparison.left, left, typeOfRight, problems);
  warnOfAmbiguity(comparison.right, right, typeOfLeft, problems);
  const args = [typed(left, typeOfRight, problems), typed(right, typeOfLeft, problems)] as const;
  if (args[0] === null || args[1] === null) return null;
  if (!comparable(args[0], args[1], comparison, problems)) return null;
  return { kind: "operation", type: bool, operator: comparison.operator, args: [args[0], args[1]] };
}

function checkMembership(comparison: Comparison, scope: Scope, problems: Problem[]): Expression | null {
  const left = sideOf(comparison.left, scope, problems);
  if (comparison.right.kind === "list") {
    if (left === null) return null;
    const items = comparison.right.items;
    if (items.length === 0)
      return report(problems, comparison.right, "type_mismatch", "The list is empty, so nothing is in it.");
    const subject = typed(left, null, problems);
    if (subject === null) return null;
    const typedItems = items.map((item) => listItem(item, subject, scope, problems));
    if (!typedItems.every((item) => item !== null)) return null;
    const list: Expression = { kind: "list", type: { kind: "list", of: subject.type }, items: typedItems };
    return { kind: "operation", type: bool, operator: "in", args: [subject, list] };
  }
  const right = sideOf(comparison.right, scope, problems);
  if (left === null || right === null) return null;
  if (right.kind !== "typed" || right.expression.type.kind !== "list") {
    if (right.kind === "word") problems.push(right.problem);
    else
      report(
        problems,
        comparison.right,
        "type_mismatch",
        "`in` needs a list on its right.",
        "Write `[a, b]` or `current_user.roles`.",
      );
    return null;
  }
  const subject = typed(left, right.expression.type.of, problems);
  if (subject === null) return null;
  if (subject.type.kind !== "text" && subject.type.kind !== "enum") {
    return report(
      problems,
      comparison.left,
      "type_mismatch",
      `A role is a text, this is of type ${subject.type.kind}.`,
    );
  }
  if (subject.kind === "literal" && typeof subject.value === "string" && !scope.schema.roles.includes(subject.value)) {
    const hint = didYouMean(subject.value, scope.schema.roles);
    return report(problems, comparison.left, "unknown_role_name", `There is no role \`${subject.value}\`.`, hint);
  }
  return { kind: "operation", type: bool, operator: "in", args: [subject, right.expression] };
}

function listItem(item: Syntax, subject: Expression, scope: Scope, problems: Problem[]): Expression | null {
  const side = sideOf(item, scope, problems);
  if (side === null) return null;
  if (side.kind === "typed") {
    const value = item.kind === "name" && subject.type.kind === "enum" && subject.type.values.includes(item.name);
    return report(
      problems,
      item,
      "expression_not_supported",
      "A field in a list is not supported yet.",
      value ? `Write \`"${item.name}"\` for the value of the enum.` : "Join comparisons with `||`.",
    );
  }
  if (side.kind === "literal" && side.syntax.value === null) {
    return report(problems, item, "type_mismatch", "`null` can't stand in a list.", "Add `|| x == null`.");
  }
  const literal = typed(side, subject.type, problems);
  if (literal === null) return null;
  return fits(subject.type, literal.type) ? literal : mismatch(problems, item, subject.type, literal.type);
}

function sideOf(syntax: Syntax, scope: Scope, problems: Problem[]): Side | null {
  switch (syntax.kind) {
    case "literal":
      return { kind: "literal", syntax };
    case "name":
    case "member": {
      const resolved = resolvePath(syntax, scope);
      if ("expression" in resolved) return { kind: "typed", expression: resolved.expression };
      if (syntax.kind === "name") {
        return { kind: "word", syntax, problem: resolved.problem };
      }
      problems.push(resolved.problem);
      return null;
    }
    case "unsupported":
      return report(problems, syntax, "expression_not_supported", `Rules with ${syntax.what} are not supported yet.`);
    case "list":
      return report(problems, syntax, "type_mismatch", "A list can only stand to the right of `in`.");
    case "logic":
    case "not":
    case "comparison":
      return report(
        problems,
        syntax,
        "expression_not_supported",
        "A condition can't be compared yet.",
        "Join conditions with `&&` and `||`; negate one with `!( )`.",
      );
  }
}

function typeOf(side: Side): Type | null {
  return side.kind === "typed" ? side.expression.type : null;
}

/** Gives a word or a literal the type of the other side (`expected`), if there is one. */
function typed(side: Side, expected: Type | null, problems: Problem[]): Expression | null {
  if (side.kind === "typed") return side.expression;
  if (side.kind === "word") {
    if (expected?.kind !== "enum") return reportGiven(problems, side.problem);
    return enumValue(side.syntax.name, expected, side.syntax, problems, side.problem);
  }
  const { value, integer } = side.syntax;
  if (value === null) return { kind: "literal", type: { kind: "null" }, value };
  if (typeof value === "boolean") return { kind: "literal", type: bool, value };
  if (typeof value === "number") {
    return { kind: "literal", type: { kind: integer ? "int" : "float" }, value: Object.is(value, -0) ? 0 : value };
  }
  switch (expected?.kind) {
    case "enum":
      return enumValue(value, expected, side.syntax, problems, null);
    case "uuid":
      if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)) {
        return { kind: "literal", type: { kind: "uuid" }, value: value.toLowerCase() };
      }
      return report(problems, side.syntax, "type_mismatch", "This is compared with an id, but is not a UUID.");
    case "datetime":
      if (isInstant(value)) return { kind: "literal", type: { kind: "datetime" }, value };
      return report(
        problems,
        side.syntax,
        "type_mismatch",
        "This is compared with a time, but is not one.",
        'Write it as RFC 3339: `"2026-01-31T12:00:00Z"`.',
      );
    default:
      return { kind: "literal", type: { kind: "text" }, value };
  }
}

function enumValue(
  word: string,
  type: Extract<Type, { kind: "enum" }>,
  at: Syntax,
  problems: Problem[],
  unknownName: Problem | null,
): Expression | null {
  if (type.values.includes(word)) return { kind: "literal", type, value: word };
  const hint =
    didYouMean(word, type.values) ?? unknownName?.hint ?? `It is one of: ${type.values.slice(0, 12).join(", ")}.`;
  return report(problems, at, "unknown_enum_value", `\`${word}\` is not a value of this enum.`, hint);
}

function comparable(left: Expression, right: Expression, comparison: Comparison, problems: Problem[]): boolean {
  const ordering = comparison.operator !== "==" && comparison.operator !== "!=";
  if (left.type.kind === "list" || right.type.kind === "list") {
    report(problems, comparison, "type_mismatch", "A list can only stand to the right of `in`.");
    return false;
  }
  if (left.type.kind === "null" || right.type.kind === "null") {
    if (left.type.kind === right.type.kind || (left.kind === "literal" && right.kind === "literal")) {
      report(problems, comparison, "type_mismatch", "Both sides are literals.");
      return false;
    }
    if (!ordering) return true;
    report(problems, comparison, "type_mismatch", "`null` has no order.", "Write `x == null` or `x != null`.");
    return false;
  }
  if (!fits(left.type, right.type)) {
    mismatch(problems, comparison, left.type, right.type);
    return false;
  }
  if (
    ordering &&
    (left.type.kind === "bool" || left.type.kind === "enum" || left.type.kind === "uuid" || right.type.kind === "enum")
  ) {
    report(
      problems,
      comparison,
      "type_mismatch",
      `Values of type ${left.type.kind} have no order.`,
      "Compare with `==`, `!=` or `in`.",
    );
    return false;
  }
  return true;
}

function fits(a: Type, b: Type): boolean {
  const family = (type: Type): string => (type.kind === "float" ? "int" : type.kind === "enum" ? "text" : type.kind);
  return family(a) === family(b);
}

function warnOfAmbiguity(syntax: Syntax, side: Side, other: Type | null, problems: Problem[]): void {
  if (syntax.kind !== "name" || side.kind !== "typed" || other?.kind !== "enum" || !other.values.includes(syntax.name))
    return;
  report(
    problems,
    syntax,
    "ambiguous_name",
    `\`${syntax.name}\` is a field and a value of the enum; the field is meant.`,
    `Write \`"${syntax.name}"\` for the value, \`record.${syntax.name}\` for the field.`,
  );
}

function mismatch(problems: Problem[], at: Syntax, left: Type, right: Type): null {
  return report(
    problems,
    at,
    "type_mismatch",
    `A value of type ${left.kind} can't be compared with one of type ${right.kind}.`,
  );
}

function reportGiven(problems: Problem[], problem: Problem): null {
  problems.push(problem);
  return null;
}

function report(
  problems: Problem[],
  at: { start: number; end: number },
  code: ProblemCode,
  message: string,
  hint: string | null = null,
): null {
  problems.push({ code, message, hint, start: at.start, end: at.end });
  return null;
}
