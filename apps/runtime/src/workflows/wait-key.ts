// The key by which an event finds the runs that wait for it. In: the condition of a wait, and the values that its run
// knows. Out: a member of the event and its required text, if the condition has one. An index then finds a hundred
// thousand waits for one kind of event, without evaluating each. The whole condition is evaluated in any case.
import { type EvaluationContext, type Expression, evaluateValue } from "@plinth/expression";

/** Both empty: any event of the name may match. */
export interface WaitKey {
  /** `record/<field>`, `data/<member>` or `record_id`. */
  readonly member: string;
  readonly wanted: string;
}

const any: WaitKey = { member: "", wanted: "" };
/** Entries of an index have a limit. */
const LENGTH_MAX = 400;

export function keyOf(condition: Expression | null, context: EvaluationContext): WaitKey {
  if (condition?.kind !== "operation") return any;
  const { operator, args } = condition;
  if (operator === "&&") return args.map((each) => keyOf(each, context)).find((key) => key !== any) ?? any;
  const [one, other] = args;
  if (operator !== "==" || one === undefined || other === undefined) return any;
  return keyFrom(one, other, context) ?? keyFrom(other, one, context) ?? any;
}

function keyFrom(expression: Expression, known: Expression, context: EvaluationContext): WaitKey | null {
  const member = memberOf(expression);
  if (member === null || readsEvent(known)) return null;
  const value = evaluateValue(known, context);
  if (typeof value !== "string" || value.length > LENGTH_MAX) return null;
  return { member, wanted: expression.type.kind === "uuid" ? value.toLowerCase() : value };
}

/** For types whose values are equal if their texts are. */
function memberOf(expression: Expression): string | null {
  if (!["text", "enum", "uuid"].includes(expression.type.kind)) return null;
  if (expression.kind === "field")
    return expression.row === "record" && expression.path.length === 1 ? `record/${expression.path[0]}` : null;
  if (expression.kind !== "value" || expression.root !== "event") return null;
  const [first, ...rest] = expression.path;
  if (first === "record_id" && rest.length === 0) return first;
  return first === "data" && rest.length > 0 ? expression.path.join("/") : null;
}

function readsEvent(expression: Expression): boolean {
  switch (expression.kind) {
    case "literal":
      return false;
    case "value":
      return expression.root === "event";
    default:
      return true;
  }
}
