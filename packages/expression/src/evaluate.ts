// In: a typed expression and the rows it reads. Out: true, false or null (unknown), by the three-valued logic of SQL.
// It must agree with the SQL that the compiler lowers the same tree to; text compares by code point (COLLATE "C").
import type { Expression, Operator, RowName, Type } from "./tree.ts";

/** A value as it stands in JSON; a datetime is RFC 3339, a uuid its text. */
export type Value = string | number | boolean | null;

/** A row that may be followed along its references. A field that is absent is null. */
export interface Row {
  readonly values: Readonly<Record<string, Value>>;
  /** The rows that reference fields point at, by the field's name. */
  readonly related?: Readonly<Record<string, Row>>;
}

export interface EvaluationContext {
  readonly rows: Readonly<Partial<Record<RowName, Row>>>;
  /** `id` and `email` are null and `roles` is empty where nobody is signed in. */
  readonly user: { readonly id: string | null; readonly email: string | null; readonly roles: readonly string[] };
}

/** Whether a rule grants: an unknown denies. */
export function allows(rule: Expression, context: EvaluationContext): boolean {
  return evaluate(rule, context) === true;
}

/** @throws Error (our bug) where the tree reads a row that the context lacks. */
export function evaluate(condition: Expression, context: EvaluationContext): boolean | null {
  if (condition.kind !== "operation") {
    const value = readValue(condition, context);
    if (typeof value === "boolean" || value === null) return value;
    throw new Error(`a condition can't be of type ${condition.type.kind}`);
  }
  const { operator, args } = condition;
  switch (operator) {
    case "&&":
      return settle(args, context, false);
    case "||":
      return settle(args, context, true);
    case "!": {
      const operand = evaluate(argument(args, 0), context);
      return operand === null ? null : !operand;
    }
    case "in":
      return isIn(argument(args, 0), argument(args, 1), context);
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return compareArguments(operator, argument(args, 0), argument(args, 1), context);
  }
}

/** `&&` settles on false, `||` on true; else an unknown among the operands makes the whole unknown. */
function settle(args: readonly Expression[], context: EvaluationContext, decisive: boolean): boolean | null {
  let unknown = false;
  for (const one of args) {
    const value = evaluate(one, context);
    if (value === decisive) return decisive;
    if (value === null) unknown = true;
  }
  return unknown ? null : !decisive;
}

function isIn(subject: Expression, list: Expression, context: EvaluationContext): boolean | null {
  const value = readValue(subject, context);
  if (value === null) return null;
  if (list.kind === "user" && list.name === "roles") return context.user.roles.some((role) => role === value);
  if (list.kind !== "list") throw new Error(`\`in\` can't look into a ${list.kind}`);
  return list.items.some((item) => {
    const other = readValue(item, context);
    return other !== null && compare(value, other, subject.type) === 0;
  });
}

function compareArguments(
  operator: Exclude<Operator, "&&" | "||" | "!" | "in">,
  left: Expression,
  right: Expression,
  context: EvaluationContext,
): boolean | null {
  const [a, b] = [readValue(left, context), readValue(right, context)];
  if (left.type.kind === "null" || right.type.kind === "null") {
    const bothNull = a === null && b === null;
    return operator === "==" ? bothNull : !bothNull;
  }
  if (a === null || b === null) return null;
  const order = compare(a, b, left.type);
  switch (operator) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

function readValue(expression: Expression, context: EvaluationContext): Value {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "field": {
      const start = context.rows[expression.row];
      if (start === undefined) throw new Error(`the rule reads \`${expression.row}\`, which is not there`);
      return readPath(start, expression.path);
    }
    case "user":
      if (expression.name === "roles") throw new Error("`current_user.roles` is a list, not a value");
      return context.user[expression.name];
    case "operation":
      return evaluate(expression, context);
    case "list":
      throw new Error("a list is not a value");
  }
}

function readPath(start: Row, path: readonly string[]): Value {
  let row: Row | undefined = start;
  for (const [index, name] of path.entries()) {
    if (row === undefined) return null;
    if (index === path.length - 1) return own(row.values, name) ?? null;
    row = row.related === undefined ? undefined : own(row.related, name);
  }
  return null;
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Negative, zero or positive; both are of one type. */
function compare(a: Value, b: Value, type: Type): number {
  if (typeof a === "string" && typeof b === "string") {
    if (type.kind === "datetime") return compareText(instantKey(a), instantKey(b));
    if (type.kind === "uuid") return compareText(a.toLowerCase(), b.toLowerCase());
    return compareText(a, b);
  }
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  throw new Error(`can't compare ${typeof a} with ${typeof b}`);
}

/** By code point. `<` on strings goes by UTF-16 unit and puts U+FF61 after an emoji. */
export function compareText(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [xIsSurrogate, yIsSurrogate] = [(x & 0xf800) === 0xd800, (y & 0xf800) === 0xd800];
    return xIsSurrogate === yIsSurrogate ? x - y : xIsSurrogate ? 1 : -1;
  }
  return a.length - b.length;
}

/** A text that sorts as the instant does, to the microsecond; a `Date` alone would lose three digits. */
function instantKey(text: string): string {
  const match = /^(.*:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/i.exec(text);
  if (match === null) throw new Error(`not an RFC 3339 time: ${text}`);
  const seconds = Date.parse(`${match[1]}${match[3]}`) / 1000;
  if (Number.isNaN(seconds)) throw new Error(`not an RFC 3339 time: ${text}`);
  return `${String(seconds + 1e11).padStart(13, "0")}.${(match[2] ?? "").padEnd(6, "0")}`;
}

function argument(args: readonly Expression[], index: number): Expression {
  const one = args[index];
  if (one === undefined) throw new Error("an operation lacks an argument");
  return one;
}
