// Prints an expression. In: a typed expression. Out: its text, which shows a person what a rule says. It is not the
// author's text: bare names of an update rule are already split into `old` and `new`, and named rules and `can(...)`
// are written out.
import { isFunction } from "./check-function.ts";
import { specialNames } from "./scope.ts";
import { parseDuration, printCelDuration } from "./temporal.ts";
import type { Expression, FunctionName, Operator, TextTest } from "./tree.ts";
import { isConstant } from "./walk.ts";

const precedence: Readonly<Record<Exclude<Operator, "size" | "." | TextTest | FunctionName>, number>> = {
  "?:": 0,
  "||": 1,
  "&&": 2,
  "==": 3,
  "!=": 3,
  "<": 3,
  "<=": 3,
  ">": 3,
  ">=": 3,
  in: 3,
  "+": 4,
  "-": 4,
  "*": 5,
  "/": 5,
  "!": 6,
};

/** Words that are not names; after a dot they are. */
const keywords: readonly string[] = ["true", "false", "null", "in"];

/** The expression as CEL. Checking it again in its scope gives an equal tree. */
export function printExpression(expression: Expression): string {
  return print(expression, []);
}

/** `variables` are those of all enclosing `each`: a field of the record with the same name is written `record.x`. */
function print(expression: Expression, variables: readonly string[]): string {
  switch (expression.kind) {
    case "literal":
      return printLiteral(expression);
    case "list":
      return `[${expression.items.map((item) => print(item, variables)).join(", ")}]`;
    case "field":
      return printPath(expression.row, expression.path, variables);
    case "sent":
      return `has(input.${expression.field})`;
    case "value":
      return [expression.root, ...expression.path].join(".");
    case "user":
      return `current_user.${expression.name}`;
    case "context":
      return expression.name;
    case "operation":
      return printOperation(expression, variables);
    case "each":
      return printEach(expression, variables);
    case "member": {
      const role = expression.role === null ? "" : `, ${quote(expression.role)}`;
      return `member(${print(expression.organization, variables)}${role})`;
    }
  }
}

function printLiteral({ type, value }: Extract<Expression, { kind: "literal" }>): string {
  // A decimal keeps its decimal point: `x / 2.0` is not `x / 2`.
  if (type.kind === "decimal") return String(value).includes(".") ? String(value) : `${value}.0`;
  if (typeof value !== "string" || type.kind === "int") return String(value);
  if (type.kind === "duration") return `duration(${quote(printCelDuration(parseDuration(value) ?? 0n))})`;
  return quote(value);
}

function printPath(row: string, path: readonly string[], variables: readonly string[]): string {
  const [head] = path;
  const isTaken =
    head === undefined || variables.includes(head) || specialNames.includes(head) || keywords.includes(head);
  const bare = row === "record" && !isTaken;
  return (bare ? path : [row, ...path]).join(".");
}

function printOperation(
  { operator, args }: Extract<Expression, { kind: "operation" }>,
  variables: readonly string[],
): string {
  const [first, second, third] = args;
  if (operator === ".") {
    const names = args.slice(1).map((one) => (one.kind === "literal" ? String(one.value) : ""));
    return [operand(first, 8, variables), ...names].join(".");
  }
  if (operator === "size" || isFunction(operator))
    return `${operator}(${args.map((one) => print(one, variables)).join(", ")})`;
  switch (operator) {
    case "startsWith":
    case "endsWith":
    case "contains":
    case "matches":
      return `${operand(first, 7, variables)}.${operator}(${second === undefined ? "" : print(second, variables)})`;
    case "?:":
      return `${operand(first, 1, variables)} ? ${operand(second, 1, variables)} : ${operand(third, 1, variables)}`;
    case "!":
      return `!${operand(first, 7, variables)}`;
    case "+":
    case "-":
    case "*":
    case "/":
      return `${operand(first, precedence[operator], variables)} ${operator} ${operand(second, precedence[operator] + 1, variables)}`;
    default:
      return args.map((one) => operand(one, precedence[operator] + 1, variables)).join(` ${operator} `);
  }
}

/** In parentheses if it binds weaker than `least`. */
function operand(one: Expression | undefined, least: number, variables: readonly string[]): string {
  if (one === undefined) throw new Error("an operation has too few arguments");
  const text = print(one, variables);
  return bindingOf(one) < least ? `(${text})` : text;
}

function bindingOf(expression: Expression): number {
  if (expression.kind === "literal")
    return Number(expression.value) < 0 && typeof expression.value !== "boolean" ? 6 : 8;
  if (expression.kind !== "operation") return 8;
  const { operator } = expression;
  if (isFunction(operator)) return 8;
  switch (operator) {
    case ".":
    case "size":
    case "startsWith":
    case "endsWith":
    case "contains":
    case "matches":
      return 8;
    default:
      return precedence[operator];
  }
}

function printEach(each: Extract<Expression, { kind: "each" }>, variables: readonly string[]): string {
  const relation = printPath(each.row, [...each.path, each.relation], variables);
  const { condition, variable, quantifier, value } = each;
  const judged = print(condition, [...variables, variable]);
  if (value !== undefined) {
    const chosen = isConstant(condition, true) ? relation : `${relation}.filter(${variable}, ${judged})`;
    return `${chosen}.${quantifier}(${variable}, ${print(value, [...variables, variable])})`;
  }
  return quantifier === "count"
    ? `${relation}.filter(${variable}, ${judged}).size()`
    : `${relation}.${quantifier}(${variable}, ${judged})`;
}

/** CEL has the same escapes as JSON. */
function quote(text: string): string {
  return JSON.stringify(text);
}
