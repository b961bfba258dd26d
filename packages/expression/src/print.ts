// In: a typed expression. Out: its text, to show a person what a rule says. Not the author's text: bare names of an
// update rule are split over `old` and `new` already.
import type { Expression, Operator } from "./tree.ts";

const precedence: Readonly<Record<Operator, number>> = {
  "||": 1,
  "&&": 2,
  "==": 3,
  "!=": 3,
  "<": 3,
  "<=": 3,
  ">": 3,
  ">=": 3,
  in: 3,
  "!": 4,
};

/** The expression as CEL. Checked again in its scope, it gives an equal tree. */
export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case "literal":
      return typeof expression.value === "string" ? quote(expression.value) : String(expression.value);
    case "list":
      return `[${expression.items.map(printExpression).join(", ")}]`;
    case "field":
      return [...(expression.row === "record" ? [] : [expression.row]), ...expression.path].join(".");
    case "user":
      return `current_user.${expression.name}`;
    case "operation": {
      const { operator, args } = expression;
      const printed = args.map((one) => printOperand(one, precedence[operator]));
      return operator === "!" ? `!${printed.join("")}` : printed.join(` ${operator} `);
    }
  }
}

function printOperand(operand: Expression, outer: number): string {
  const text = printExpression(operand);
  return operand.kind === "operation" && precedence[operand.operator] <= outer ? `(${text})` : text;
}

/** JSON's escapes are CEL's too. */
function quote(text: string): string {
  return JSON.stringify(text);
}
