// Checks arithmetic, the minus sign, and `? :`. In: their syntax. Out: a typed operation, or problems. It decides which
// types can be added, and what a whole number becomes next to a decimal.

import { durationText } from "./check-literal.ts";
import { checkPair, typedAs } from "./check-pair.ts";
import { type Checking, report } from "./checking.ts";
import { meaningOf } from "./meaning.ts";
import { opennessOf } from "./open-side.ts";
import type { Syntax } from "./syntax.ts";
import type { Arithmetic, Expression, Type } from "./tree.ts";
import { commonType, isNumber, isText, nameOf, widerNumber } from "./types.ts";
import { someNode } from "./walk.ts";

/** The maximum number of `*` and `/` in one calculation. It limits the digits of an exact result. */
const PRODUCTS_MAX = 16;

export function checkArithmetic(
  syntax: Extract<Syntax, { kind: "arithmetic" }>,
  expected: Type | null,
  checking: Checking,
): Expression | null {
  const { operator, left, right } = syntax;
  if (operator === "%") {
    return report(
      checking,
      syntax,
      "expression_not_supported",
      "The remainder (`%`) is not supported.",
      "Use `+`, `-`, `*` or `/`.",
    );
  }
  const isTimely = expected?.kind === "datetime" || expected?.kind === "duration" || expected?.kind === "date";
  const given =
    checkTimely(operator, left, right, checking) ?? checkPair(left, right, isTimely ? null : expected, checking);
  if (given === null || given === "wrong") return null;
  const pair = asTexts(operator, given, checking);
  const type = resultOf(operator, pair[0].type, pair[1].type);
  if (type === null) return refuse(syntax, pair, checking);
  const [one, other] = pair.map((side) => meaningOf(side, checking).currency);
  if ((operator === "+" || operator === "-") && one && other && one !== other) {
    const message = `Amounts in ${one} and ${other} can't be added or subtracted.`;
    return report(checking, syntax, "type_mismatch", message, "Convert one of them first.");
  }
  // A duration is always on the right side of a time, so both orders give the same tree.
  const isTurned = operator === "+" && (pair[1].type.kind === "datetime" || pair[1].type.kind === "date");
  const args = isTurned ? [pair[1], pair[0]] : pair;
  const result: Expression = { kind: "operation", type, operator, args };
  if (countProducts(result) > PRODUCTS_MAX) {
    return report(
      checking,
      syntax,
      "expression_too_large",
      `A calculation can have at most ${PRODUCTS_MAX} of \`*\` and \`/\`.`,
    );
  }
  return result;
}

/** In background work, texts are assembled, so an id or an untyped value next to a text is read as a text. */
function asTexts(
  operator: Arithmetic,
  [left, right]: readonly [Expression, Expression],
  checking: Checking,
): readonly [Expression, Expression] {
  const joins = operator === "+" && checking.scope.work !== undefined && (isText(left.type) || isText(right.type));
  if (!joins) return [left, right];
  const text: Type = { kind: "text" };
  const asText = (one: Expression): Expression => {
    if (one.type.kind !== "uuid" || one.kind === "literal" || one.kind === "operation" || one.kind === "list")
      return typedAs(one, text, checking);
    const read = { ...one, type: text } as Expression;
    const place = checking.places.get(one);
    if (place !== undefined) checking.places.set(read, place);
    return read;
  };
  return [asText(left), asText(right)];
}

/** A text next to a time is read as a duration, unless a time is subtracted from it. Null if there is no such text. */
function checkTimely(
  operator: Arithmetic,
  left: Syntax,
  right: Syntax,
  checking: Checking,
): readonly [Expression, Expression] | "wrong" | null {
  const texts = [left, right].filter((side) => side.kind === "literal" && typeof side.value === "string");
  const [text] = texts;
  if (
    texts.length !== 1 ||
    text?.kind !== "literal" ||
    opennessOf(text === left ? right : left, checking) === "literal"
  ) {
    return null;
  }
  const other = checking.check(text === left ? right : left, null, checking);
  if (other === null) return "wrong";
  const isPoint = other.type.kind === "datetime" || other.type.kind === "date";
  const asDuration = isPoint && (operator === "+" || durationText(String(text.value)) !== null);
  // A text that is joined with an id is not an id itself.
  const joins = operator === "+" && checking.scope.work !== undefined && other.type.kind === "uuid";
  const typed = checking.check(text, asDuration ? { kind: "duration" } : joins ? null : other.type, checking);
  if (typed === null) return "wrong";
  return text === left ? [typed, other] : [other, typed];
}

function resultOf(operator: Arithmetic, a: Type, b: Type): Type | null {
  if (isNumber(a) && isNumber(b)) return widerNumber(a, b);
  if (operator === "+" && isText(a) && isText(b)) return { kind: "text" };
  if (operator !== "+" && operator !== "-") return null;
  if ((a.kind === "datetime" || a.kind === "date") && b.kind === "duration") return { kind: "datetime" };
  if (a.kind === "duration" && b.kind === "duration") return { kind: "duration" };
  if (a.kind === "date" && b.kind === "int") return a;
  if (operator === "+" && b.kind === "date" && (a.kind === "int" || a.kind === "duration")) return resultOf("+", b, a);
  if (operator === "-" && a.kind === "date" && b.kind === "date") return { kind: "int" };
  if (operator === "+" && a.kind === "duration" && b.kind === "datetime") return { kind: "datetime" };
  return operator === "-" && a.kind === "datetime" && b.kind === "datetime" ? { kind: "duration" } : null;
}

function refuse(
  syntax: Extract<Syntax, { kind: "arithmetic" }>,
  [left, right]: readonly [Expression, Expression],
  checking: Checking,
): null {
  const message = `\`${syntax.operator}\` can't be used with the types ${nameOf(left.type)} and ${nameOf(right.type)}.`;
  const kinds = [left.type.kind, right.type.kind];
  const hint = kinds.includes("date")
    ? "Add or subtract days or a duration: `today + 7`. Or subtract two dates: `ends_on - starts_on`."
    : kinds.includes("datetime")
      ? 'Add or subtract a duration: `now - duration("24h")`.'
      : kinds.includes("null")
        ? "A calculation with `null` is always unknown. Test for a value with `has(x)`."
        : null;
  return report(checking, syntax, "type_mismatch", message, hint);
}

function countProducts(expression: Expression): number {
  let products = 0;
  someNode(expression, (node) => {
    if (node.kind === "operation" && (node.operator === "*" || node.operator === "/")) products++;
    return false;
  });
  return products;
}

/** `-x` is `0 - x`. */
export function checkNegative(
  syntax: Extract<Syntax, { kind: "negative" }>,
  expected: Type | null,
  checking: Checking,
): Expression | null {
  const operand = checking.check(syntax.operand, expected, checking);
  if (operand === null) return null;
  const { type } = operand;
  if (!isNumber(type)) {
    return report(
      checking,
      syntax,
      "type_mismatch",
      `A value of type ${nameOf(type)} can't be negative.`,
      "To negate a condition, use `!`.",
    );
  }
  const zero: Expression = { kind: "literal", type, value: type.kind === "decimal" ? "0" : 0 };
  checking.places.set(zero, syntax);
  return { kind: "operation", type, operator: "-", args: [zero, operand] };
}

export function checkConditional(
  syntax: Extract<Syntax, { kind: "conditional" }>,
  expected: Type | null,
  checking: Checking,
): Expression | null {
  const condition = checking.check(syntax.condition, { kind: "bool" }, checking);
  const pair = checkPair(syntax.yes, syntax.no, expected, checking);
  if (condition === null || pair === null) return null;
  if (condition.type.kind !== "bool") {
    return report(
      checking,
      syntax.condition,
      "not_a_condition",
      `This has the type ${nameOf(condition.type)}, but a condition is expected.`,
    );
  }
  const [yes, no] = pair;
  const type = commonType(yes.type, no.type);
  if (type === null || type.kind === "null" || type.kind === "list" || type.kind === "opaque") {
    const message = `Both results must have the same type, but they are ${nameOf(yes.type)} and ${nameOf(no.type)}.`;
    return report(checking, syntax, "type_mismatch", message);
  }
  return { kind: "operation", type, operator: "?:", args: [condition, yes, no] };
}
