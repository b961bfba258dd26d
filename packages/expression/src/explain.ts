// In: a rule and what it was judged on. Out: what it came to, and the smallest part of it that kept it from being true.
// It judges nothing by itself: each part is what the evaluator says it is.

import type { CheckedExpression, Place } from "./check.ts";
import { type EvaluationContext, evaluate } from "./evaluate.ts";
import type { Expression } from "./tree.ts";
import { partsOf } from "./walk.ts";

export interface Explanation {
  readonly value: boolean | null;
  /** Null where the rule holds. */
  readonly culprit: Expression | null;
}

/** What a rule comes to; `placeOf` tells where in its text the culprit stands. */
export function explain(rule: Expression, context: EvaluationContext): Explanation {
  const value = evaluate(rule, context);
  return { value, culprit: value === true ? null : culpritOf(rule, true, context) };
}

/**
 * Where a node of a checked rule stands in what the author wrote; null for one of another rule. What was joined of several
 * sources stands where its first part does.
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

/** The smallest part that kept a condition from being `wanted`; it is known not to be. */
function culpritOf(condition: Expression, wanted: boolean, context: EvaluationContext): Expression {
  if (condition.kind !== "operation") return condition;
  const { operator, args } = condition;
  const [first, second, third] = args;
  switch (operator) {
    case "!":
      return first === undefined ? condition : culpritOf(first, !wanted, context);
    case "&&":
    case "||": {
      // Each operand of an `&&` has to hold, and of an `||` that must not: one of them is to blame, a known value first.
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
