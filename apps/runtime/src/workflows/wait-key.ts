// By what an event is brought to those who wait for it. In: the condition of a wait, and what its run knows. Out: a member of the
// event and the text that it has to be, where the condition asks for one: a hundred thousand waits for one kind of event are then
// found by an index, and not asked one by one. What is offered is judged by the whole condition in any case.
import { type EvaluationContext, type Expression, evaluateValue } from "@plinth/expression";

/** Both empty: any event of the name may be it. */
export interface WaitKey {
  /** `record/<field>`, `data/<member>` or `record_id`. */
  readonly member: string;
  readonly wanted: string;
}

const any: WaitKey = { member: "", wanted: "" };
/** An entry of an index has its bound. */
const LENGTH_MAX = 400;

export function keyOf(condition: Expression | null, context: EvaluationContext): WaitKey {
  if (condition?.kind !== "operation") return any;
  const { operator, args } = condition;
  if (operator === "&&") return args.map((each) => keyOf(each, context)).find((key) => key !== any) ?? any;
  const [one, other] = args;
  if (operator !== "==" || one === undefined || other === undefined) return any;
  return keyFrom(one, other, context) ?? keyFrom(other, one, context) ?? any;
}

function keyFrom(asked: Expression, known: Expression, context: EvaluationContext): WaitKey | null {
  const member = memberOf(asked);
  if (member === null || readsEvent(known)) return null;
  const value = evaluateValue(known, context);
  if (typeof value !== "string" || value.length > LENGTH_MAX) return null;
  return { member, wanted: asked.type.kind === "uuid" ? value.toLowerCase() : value };
}

/** Of what is equal where its text is. */
function memberOf(asked: Expression): string | null {
  if (!["text", "enum", "uuid"].includes(asked.type.kind)) return null;
  if (asked.kind === "field")
    return asked.row === "record" && asked.path.length === 1 ? `record/${asked.path[0]}` : null;
  if (asked.kind !== "value" || asked.root !== "event") return null;
  const [first, ...rest] = asked.path;
  if (first === "record_id" && rest.length === 0) return first;
  return first === "data" && rest.length > 0 ? asked.path.join("/") : null;
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
