// Types two sides of an operation. In: their syntax. Out: both sides typed; a literal or a bare word takes its type
// from the other side. It doesn't decide whether the types fit.
import { type Checking, report } from "./checking.ts";
import { knowsMore, opennessOf } from "./open-side.ts";
import { isMember } from "./resolve-name.ts";
import { isUntyped, readAs } from "./resolve-value.ts";
import type { Syntax } from "./syntax.ts";
import type { Expression, Type } from "./tree.ts";

/** `expected` is the type of both sides if neither has its own. */
export function checkPair(
  left: Syntax,
  right: Syntax,
  expected: Type | null,
  checking: Checking,
): readonly [Expression, Expression] | null {
  const [ofLeft, ofRight] = [opennessOf(left, checking), opennessOf(right, checking)];
  const turned = knowsMore(ofRight, ofLeft);
  const [first, second, ofFirst, ofSecond] = turned ? [right, left, ofRight, ofLeft] : [left, right, ofLeft, ofRight];
  const a = checking.check(first, ofFirst === "settled" ? null : expected, checking);
  if (a === null) {
    // A word alone can't be checked if the other side has problems. Two bare words are two unknown names.
    if (ofSecond === "settled" || (ofFirst === "word" && ofSecond === "word")) checking.check(second, null, checking);
    return null;
  }
  const b = checking.check(second, a.type.kind === "null" || isUntyped(a) ? expected : a.type, checking);
  if (b === null) return null;
  const [x, y] = [typedAs(a, b.type, checking), typedAs(b, a.type, checking)];
  return turned ? [y, x] : [x, y];
}

/** An untyped value is read with the type of the other side. */
export function typedAs(expression: Expression, type: Type, { places }: Checking): Expression {
  const typed = readAs(expression, type);
  const place = places.get(expression);
  if (typed !== expression && place !== undefined) places.set(typed, place);
  return typed;
}

/** A bare field with the same name as a value of the enum on the other side. */
export function warnOfAmbiguity(syntax: Syntax, expression: Expression, other: Type, checking: Checking): void {
  if (syntax.kind !== "name" || expression.kind !== "field" || other.kind !== "enum") return;
  if (!other.values.includes(syntax.name) || !isMember(syntax.name, checking.scope)) return;
  const message = `\`${syntax.name}\` is a field and a value of the enum. It is read as the field.`;
  const hint = `Write \`"${syntax.name}"\` for the value, or \`record.${syntax.name}\` for the field.`;
  report(checking, syntax, "ambiguous_name", message, hint);
}
