// Checks one comparison, including `in`. In: its syntax. Out: a typed operation, or problems. A literal takes its type
// from the other side, and a bare word can be a value of an enum.

import { checkPair, typedAs, warnOfAmbiguity } from "./check-pair.ts";
import { type Checking, report } from "./checking.ts";
import { meaningOf } from "./meaning.ts";
import { isOpen } from "./open-side.ts";
import { isUntyped } from "./resolve-value.ts";
import { didYouMean } from "./suggest.ts";
import type { Syntax } from "./syntax.ts";
import type { Expression, Type } from "./tree.ts";
import { bool, fits, isNumber, isText, nameOf, widerNumber } from "./types.ts";

type Comparison = Extract<Syntax, { kind: "comparison" }>;

export function checkComparison(comparison: Comparison, checking: Checking): Expression | null {
  const { operator } = comparison;
  if (operator === "in") return checkMembership(comparison, checking);
  const pair = checkPair(comparison.left, comparison.right, null, checking);
  if (pair === null) return null;
  warnOfAmbiguity(comparison.left, pair[0], pair[1].type, checking);
  warnOfAmbiguity(comparison.right, pair[1], pair[0].type, checking);
  if (!isComparable(pair[0], pair[1], comparison, checking)) return null;
  return { kind: "operation", type: bool, operator, args: pair };
}

function isComparable(left: Expression, right: Expression, comparison: Comparison, checking: Checking): boolean {
  const ordering = comparison.operator !== "==" && comparison.operator !== "!=";
  const refuse = (message: string, hint: string | null = null): false => {
    report(checking, comparison, "type_mismatch", message, hint);
    return false;
  };
  if (left.type.kind === "null" || right.type.kind === "null") {
    if (left.kind === "literal" && right.kind === "literal")
      return refuse("Both sides are literals, so the result is always the same.");
    if ([left, right].some((side) => side.kind === "user" && side.name === "roles")) {
      return refuse("`current_user.roles` always has a value.", "Test for one role: `current_user.is(support)`.");
    }
    return ordering ? refuse("`null` can't be ordered.", "Write `x == null` or `x != null`.") : true;
  }
  for (const { kind } of [left.type, right.type]) {
    if (kind === "list") return refuse("A list can't be compared like this.", "Use `value in list` or `size(list)`.");
    if (isUntyped(left) && isUntyped(right))
      return refuse("The types of both sides are unknown.", "Compare this value with a field or a literal.");
    if (kind === "opaque")
      return refuse("Rules can only test whether such a value exists.", "Write `has(x)` or `x == null`.");
  }
  if (!fits(left.type, right.type)) {
    mismatch(comparison, left.type, right.type, checking);
    return false;
  }
  const difference = differenceOf(left, right, checking);
  if (difference !== null) return refuse(difference.message, difference.hint);
  const unordered = [left.type, right.type].find(({ kind }) => kind === "bool" || kind === "enum" || kind === "uuid");
  if (!ordering || unordered === undefined) return true;
  return refuse(`Values of the type ${unordered.kind} can't be ordered.`, "Compare with `==`, `!=` or `in`.");
}

function checkMembership(comparison: Comparison, checking: Checking): Expression | null {
  const { left, right } = comparison;
  if (right.kind === "list") return checkInLiteral(left, right, checking);
  const found = checking.check(right, null, checking);
  if (found === null) return null;
  if (isUntyped(found)) return checkInUntyped(left, found, checking);
  const list = found;
  if (list.type.kind !== "list") {
    return report(
      checking,
      right,
      "type_mismatch",
      "`in` needs a list on its right side.",
      "Write `[a, b]` or `current_user.roles`.",
    );
  }
  const given = checking.check(left, list.type.of, checking);
  if (given === null) return null;
  const value = typedAs(given, list.type.of, checking);
  if (list.kind === "user" && list.name === "roles") return checkRole(left, value, list, checking);
  if (!fits(value.type, list.type.of)) return mismatch(left, value.type, list.type.of, checking);
  return { kind: "operation", type: bool, operator: "in", args: [value, list] };
}

/** The members of an untyped list have the type of the value on the left. */
function checkInUntyped(left: Syntax, list: Expression, checking: Checking): Expression | null {
  const value = checking.check(left, null, checking);
  if (value === null) return null;
  if (value.type.kind === "null" || value.type.kind === "list" || value.type.kind === "opaque") {
    return report(checking, left, "type_mismatch", `\`in\` doesn't support a value of the type ${nameOf(value.type)}.`);
  }
  const typed = typedAs(list, { kind: "list", of: value.type }, checking);
  return { kind: "operation", type: bool, operator: "in", args: [value, typed] };
}

function checkRole(at: Syntax, value: Expression, roles: Expression, checking: Checking): Expression | null {
  if (!isText(value.type)) {
    return report(checking, at, "type_mismatch", `A role is a text, but this has the type ${nameOf(value.type)}.`);
  }
  if (value.kind === "literal" && !isRole(String(value.value), at, checking)) return null;
  return { kind: "operation", type: bool, operator: "in", args: [value, roles] };
}

/** Whether the role exists. Reports a problem if not. */
export function isRole(name: string, at: Syntax, checking: Checking): boolean {
  const { roles } = checking.scope.schema;
  if (roles.includes(name)) return true;
  report(checking, at, "unknown_role_name", `There is no role \`${name}\`.`, didYouMean(name, roles));
  return false;
}

/** Two values of the same type with different meanings: ids of two entities, amounts in two currencies. */
function differenceOf(
  left: Expression,
  right: Expression,
  checking: Checking,
): { readonly message: string; readonly hint: string } | null {
  const [one, other] = [meaningOf(left, checking), meaningOf(right, checking)];
  if (one.idOf !== null && other.idOf !== null && one.idOf !== other.idOf) {
    const message = `An id of \`${one.idOf}\` can never equal an id of \`${other.idOf}\`.`;
    const involvesUser = one.idOf === "user" || other.idOf === "user";
    const hint = involvesUser
      ? "Compare a reference to a user with `current_user.id`."
      : "Compare ids of the same entity.";
    return { message, hint };
  }
  if (one.currency === null || other.currency === null || one.currency === other.currency) return null;
  const message = `Amounts in ${one.currency} and ${other.currency} can't be compared.`;
  return { message, hint: "Convert one of them first." };
}

type ListSyntax = Extract<Syntax, { kind: "list" }>;

function checkInLiteral(left: Syntax, right: ListSyntax, checking: Checking): Expression | null {
  if (right.items.length === 0) {
    checking.check(left, null, checking);
    return report(checking, right, "type_mismatch", "The list is empty, so this is never true.");
  }
  // A literal on the left takes its type from the first typed member.
  const typedItem = isOpen(left, checking) ? right.items.find((item) => !isOpen(item, checking)) : undefined;
  const first = typedItem === undefined ? null : checking.check(typedItem, null, checking);
  if (typedItem !== undefined && first === null) return null;
  const found = checking.check(left, first?.type ?? null, checking);
  if (found === null) return null;
  const value = isUntyped(found) ? readLike(found, right.items, checking) : found;
  if (value.type.kind === "null" || value.type.kind === "list" || value.type.kind === "opaque") {
    return report(checking, left, "type_mismatch", `\`in\` doesn't support a value of the type ${nameOf(value.type)}.`);
  }
  const items = right.items.map((item) => (item === typedItem ? first : listItem(item, value.type, checking)));
  if (!items.every((item) => item !== null)) return null;
  for (const [index, item] of items.entries()) {
    const at = right.items[index] ?? right;
    if (!fits(value.type, item.type)) return mismatch(at, value.type, item.type, checking);
    const difference = differenceOf(value, item, checking);
    if (difference !== null) return report(checking, at, "type_mismatch", difference.message, difference.hint);
  }
  const of = isNumber(value.type) ? items.map((item) => item.type).reduce(widerNumber) : value.type;
  const list: Expression = { kind: "list", type: { kind: "list", of }, items };
  checking.places.set(list, right);
  return { kind: "operation", type: bool, operator: "in", args: [value, list] };
}

/** It is read like the first typed member; its problems are reported together with the member. */
function readLike(value: Expression, items: readonly Syntax[], checking: Checking): Expression {
  const [first] = items;
  if (first === undefined) return value;
  const member = checking.check(first, null, { ...checking, problems: [] });
  return member === null ? value : typedAs(value, member.type, checking);
}

function listItem(item: Syntax, expected: Type, checking: Checking): Expression | null {
  if (item.kind === "literal" && item.value === null) {
    return report(checking, item, "type_mismatch", "A list can't contain `null`.", "Add `|| x == null`.");
  }
  const value = checking.check(item, expected, checking);
  if (value !== null) warnOfAmbiguity(item, value, expected, checking);
  return value;
}

function mismatch(at: Syntax, left: Type, right: Type, checking: Checking): null {
  const message = `A value of type ${nameOf(left)} can't be compared with one of type ${nameOf(right)}.`;
  const kinds = [left.kind, right.kind];
  const hint =
    kinds.includes("date") && kinds.includes("datetime")
      ? "Compare dates with `today`, times with `now`."
      : unquoted(at, [left, right]);
  return report(checking, at, "type_mismatch", message, hint);
}

/** In `days == "5"`, the number is meant. */
function unquoted(at: Syntax, types: readonly Type[]): string | null {
  if (at.kind !== "comparison" || !types.some(isNumber)) return null;
  const quoted = [at.left, at.right].find(
    (side) => side.kind === "literal" && /^-?\d+(?:\.\d+)?$/.test(String(side.value)),
  );
  return quoted?.kind === "literal" ? `Write \`${quoted.value}\` without quotes.` : null;
}
