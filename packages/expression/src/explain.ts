// Explains a result. In: a rule and the context in which it was evaluated. Out: its result, and the smallest part that
// kept it from being true. It evaluates nothing itself; it asks the evaluator about each part.

import type { CheckedExpression, Place } from "./check.ts";
import { type EvaluationContext, evaluate } from "./evaluate.ts";
import type { Expression } from "./tree.ts";
import { partsOf } from "./walk.ts";

export interface Explanation {
  readonly value: boolean | null;
  /** Null if the rule is true. */
  readonly culprit: Expression | null;
}

/** The result of a rule; `placeOf` finds the position of the culprit in its text. */
export function explain(rule: Expression, context: EvaluationContext): Explanation {
  const value = evaluate(rule, context);
  return { value, culprit: value === true ? null : culpritOf(rule, true, context) };
}

/**
 * The position of a checked node in the author's text; null for a node of another rule. A node that joins several
 * sources has the position of its first part.
 */
export function placeOf(expression: Expression, checked: Pick<CheckedExpression, "places">): Place | null {
  const own = checked.places.get(expression);
  if (own !== undefined) return own;
  for (const part of partsOf(expression)) {
    const place = placeOf(part, checked);
    if (place !== null) return place;
  }
  return null;
}

/** The smallest part that kept a condition from being `wanted`. The caller knows that it isn't. */
function culpritOf(condition: Expression, wanted: boolean, context: EvaluationContext): Expression {
  if (condition.kind !== "operation") return condition;
  const { operator, args } = condition;
  const [first, second, third] = args;
  switch (operator) {
    case "!":
      return first === undefined ? condition : culpritOf(first, !wanted, context);
    case "&&":
    case "||": {
      // In an `&&` that must be true, or an `||` that must be false, one operand is to blame; a known value is
      // preferred.
      const eachCounts = (operator === "&&") === wanted;
      const values = args.map((one) => evaluate(one, context));
      const against = values.indexOf(!wanted);
      const unknown = values.indexOf(null);
      if (!eachCounts && args.length > 1)
        return unknown === -1 ? condition : blame(args[unknown], wanted, context, condition);
      return blame(args[against === -1 ? unknown : against], wanted, context, condition);
    }
    case "?:": {
      const chosen = first === undefined ? null : evaluate(first, context);
      if (chosen === null) return first === undefined ? condition : culpritOf(first, true, context);
      return blame(chosen ? second : third, wanted, context, condition);
    }
    default:
      return condition;
  }
}

function blame(
  part: Expression | undefined,
  wanted: boolean,
  context: EvaluationContext,
  whole: Expression,
): Expression {
  return part === undefined ? whole : culpritOf(part, wanted, context);
}
