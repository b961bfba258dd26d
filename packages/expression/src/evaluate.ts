// Evaluates a rule in memory. In: a typed expression and the rows that it reads. Out: true, false or null (unknown), by
// SQL's three-valued logic. It must agree with the SQL that the compiler makes from the same tree. It reads only its
// context.
import { aggregate } from "./aggregate.ts";
import { calculate } from "./calculate.ts";
import { asFloat, compareData, type Datum, datumOf, knownDatum, plainOf, type Value } from "./datum.ts";
import { callFunction } from "./functions.ts";
import { readMember } from "./object-member.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import type { Arithmetic, Comparison, Expression, RowName, TextTest, Type } from "./tree.ts";

/** A row, with the rows behind its references and relations. A missing field is null. */
export interface Row {
  readonly values: Readonly<Record<string, Value>>;
  /** The rows behind reference fields, by the field's name. A missing one does not exist (or is deleted). */
  readonly related?: Readonly<Record<string, Row>>;
  /** The rows of to-many relations, by the relation's name; missing if there are none. */
  readonly many?: Readonly<Record<string, readonly Row[]>>;
}

export interface EvaluationContext {
  readonly rows: Readonly<Partial<Record<RowName, Row>>>;
  /**
   * If nobody is signed in, `id` and `email` are null and profile fields are missing; `roles` are all roles of the
   * caller.
   */
  readonly user: {
    readonly id: string | null;
    readonly email: string | null;
    readonly roles: readonly string[];
    /** Profile fields; missing if there are none. */
    readonly profile?: Readonly<Record<string, Value>>;
    readonly memberships?: readonly { readonly organization: string; readonly role: string }[];
  };
  /** The organization of the request; missing or null if there is none. */
  readonly organization?: string | null;
  readonly request?: { readonly ip: string | null; readonly keyKind: string | null };
  /** RFC 3339. Required if a rule uses `now` or `today`. */
  readonly now?: string;
  /** The fields that the caller sent. */
  readonly sent?: readonly string[];
  /** Values next to the rows, by their root: `event`, `steps`. */
  readonly values?: Readonly<Record<string, Value>>;
}

/** Whether a rule grants. Unknown denies. */
export function allows(rule: Expression, context: EvaluationContext): boolean {
  return evaluate(rule, context) === true;
}

/** @throws Error (our bug) if the tree reads a row that the context lacks, or is not a condition. */
export function evaluate(condition: Expression, context: EvaluationContext): boolean | null {
  return judge(condition, { context, variables: new Map(), patterns: new Map() });
}

/** The value of any expression as JSON, for `set` and computed fields. */
export function evaluateValue(expression: Expression, context: EvaluationContext): Value {
  return plainOf(read(expression, { context, variables: new Map(), patterns: new Map() }), expression.type);
}

/**
 * If the expression is only a name, the value exactly as it came: `1.10`, `P7D`. Undefined if the expression computes a
 * value.
 */
export function namedValue(expression: Expression, context: EvaluationContext): Value | undefined {
  const at: Reading = { context, variables: new Map(), patterns: new Map() };
  const value = namedAt(expression, at);
  if (value === undefined) return undefined;
  // A value of the wrong type is null, as in computed expressions.
  return knownDatum(value, expression.type) === null ? null : value;
}

function namedAt(expression: Expression, at: Reading): Value | undefined {
  if (expression.kind === "value") return valueAt(expression.root, expression.path, at.context);
  if (expression.kind !== "field") return undefined;
  const [row, name] = [rowAt(expression.row, expression.path.slice(0, -1), at), expression.path.at(-1)];
  return row === undefined || name === undefined ? null : (own(row.values, name) ?? null);
}

interface Reading {
  readonly context: EvaluationContext;
  /** The current records of the enclosing `each`. */
  readonly variables: ReadonlyMap<string, Row>;
  /** Compiled once, for all records of an `each`. */
  readonly patterns: Map<string, Pattern>;
}

function judge(condition: Expression, at: Reading): boolean | null {
  const datum = read(condition, at);
  if (datum === null) return null;
  if (datum.kind !== "bool") throw new Error(`a condition can't be of type ${condition.type.kind}`);
  return datum.value;
}

function read(expression: Expression, at: Reading): Datum | null {
  switch (expression.kind) {
    case "literal":
      return datumOf(expression.value, expression.type);
    case "list":
      return { kind: "list", value: expression.items.map((item) => read(item, at)) };
    case "field": {
      const [row, name] = [rowAt(expression.row, expression.path.slice(0, -1), at), expression.path.at(-1)];
      return row === undefined || name === undefined ? null : datumOf(own(row.values, name), expression.type);
    }
    case "sent":
      return truth(at.context.sent?.includes(expression.field) ?? false);
    case "value":
      return knownDatum(valueAt(expression.root, expression.path, at.context), expression.type);
    case "user":
      return datumOf(userValue(expression.name, at.context.user), expression.type);
    case "context":
      return readContext(expression.name, expression.type, at.context);
    case "operation":
      return readOperation(expression, at);
    case "each":
      return readEach(expression, at);
    case "member":
      return truth(isMember(expression, at));
  }
}

/** A missing member is null, and so are its own members. */
function valueAt(root: string, path: readonly string[], { values }: EvaluationContext): Value {
  let value: Value | undefined = values === undefined ? undefined : own(values, root);
  for (const name of path) {
    if (value === null || typeof value !== "object") return null;
    value = Array.isArray(value) ? value[Number(name)] : own(value as Readonly<Record<string, Value>>, name);
  }
  return value ?? null;
}

function userValue(name: string, user: EvaluationContext["user"]): Value {
  if (name === "id" || name === "email" || name === "roles") return user[name];
  return user.profile === undefined ? null : (own(user.profile, name) ?? null);
}

function readContext(
  name: Extract<Expression, { kind: "context" }>["name"],
  type: Type,
  context: EvaluationContext,
): Datum | null {
  switch (name) {
    case "current_org":
      return datumOf(context.organization, type);
    case "request.ip":
      return datumOf(context.request?.ip, type);
    case "request.key_kind":
      return datumOf(context.request?.keyKind, type);
    case "now":
    case "today": {
      if (context.now === undefined) throw new Error(`the rule uses \`${name}\`, but no time was given`);
      const now = datumOf(context.now, { kind: "datetime" });
      if (name === "now") return now;
      return { kind: "text", value: String(plainOf(now, { kind: "datetime" })).slice(0, 10) };
    }
  }
}

function readOperation(expression: Extract<Expression, { kind: "operation" }>, at: Reading): Datum | null {
  const { operator, args } = expression;
  switch (operator) {
    case "&&":
      return truth(settle(args, at, false));
    case "||":
      return truth(settle(args, at, true));
    case "!": {
      const operand = judge(argument(args, 0), at);
      return operand === null ? null : truth(!operand);
    }
    case "?:": {
      const condition = judge(argument(args, 0), at);
      if (condition === null) return null;
      return adapted(read(argument(args, condition ? 1 : 2), at), expression.type);
    }
    case "in":
      return truth(isIn(read(argument(args, 0), at), read(argument(args, 1), at)));
    case "size": {
      const counted = read(argument(args, 0), at);
      // An untyped value may not be a list.
      if (counted === null || (counted.kind === "opaque" && !Array.isArray(counted.value))) return null;
      return { kind: "exact", value: { digits: BigInt(sizeOf(counted)), scale: 0 } };
    }
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return truth(compareArguments(operator, argument(args, 0), argument(args, 1), at));
    case "+":
    case "-":
    case "*":
    case "/":
      return readArithmetic(operator, argument(args, 0), argument(args, 1), expression.type, at);
    case "startsWith":
    case "endsWith":
    case "contains":
    case "matches":
      return truth(testText(operator, read(argument(args, 0), at), read(argument(args, 1), at), at));
    case ".":
      return readMember(read(argument(args, 0), at), args.slice(1).map(nameIn), expression.type);
    default: {
      const [value, second] = [argument(args, 0), args[1]];
      return callFunction(operator, read(value, at), value.type, second === undefined ? null : read(second, at));
    }
  }
}

/** False decides `&&`, true decides `||`; otherwise an unknown operand makes the result unknown. */
function settle(args: readonly Expression[], at: Reading, decisive: boolean): boolean | null {
  let unknown = false;
  for (const one of args) {
    const value = judge(one, at);
    if (value === decisive) return decisive;
    if (value === null) unknown = true;
  }
  return unknown ? null : !decisive;
}

/**
 * No value is in an empty list, not even an unknown one. If a value is not found, a null among the members makes the
 * result unknown.
 */
function isIn(value: Datum | null, list: Datum | null): boolean | null {
  if (list === null) return null;
  if (list.kind !== "list") throw new Error(`\`in\` can't look into a ${list.kind}`);
  if (list.value.length === 0) return false;
  if (value === null) return null;
  let unknown = false;
  for (const item of list.value) {
    const order = item === null ? null : compareData(value, item);
    if (order === 0) return true;
    if (order === null) unknown = true;
  }
  return unknown ? null : false;
}

function compareArguments(operator: Comparison, left: Expression, right: Expression, at: Reading): boolean | null {
  const [a, b] = [read(left, at), read(right, at)];
  if (left.type.kind === "null" || right.type.kind === "null") {
    const bothNull = a === null && b === null;
    return operator === "==" ? bothNull : !bothNull;
  }
  const order = a === null || b === null ? null : compareData(a, b);
  if (order === null) return null;
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

function readArithmetic(operator: Arithmetic, a: Expression, b: Expression, result: Type, at: Reading): Datum | null {
  return calculate(operator, read(a, at), read(b, at), { left: a.type, right: b.type, result });
}

/**
 * A branch of `?:` in the type of the whole: a whole number or a decimal becomes a float if the other branch is one.
 */
function adapted(datum: Datum | null, type: Type): Datum | null {
  if (datum?.kind !== "exact" || type.kind !== "float") return datum;
  const value = asFloat(datum);
  return value === null ? null : { kind: "float", value };
}

/** Code points of a text, members of a list. */
function sizeOf(datum: Datum): number {
  if (datum.kind === "list") return datum.value.length;
  if (datum.kind === "opaque" && Array.isArray(datum.value)) return datum.value.length;
  if (datum.kind !== "text") throw new Error(`a ${datum.kind} has no size`);
  let size = 0;
  for (const _ of datum.value) size++;
  return size;
}

function testText(operator: TextTest, subject: Datum | null, part: Datum | null, at: Reading): boolean | null {
  if (subject === null || part === null) return null;
  if (subject.kind !== "text" || part.kind !== "text") throw new Error(`\`${operator}\` is for texts`);
  switch (operator) {
    case "startsWith":
      return subject.value.startsWith(part.value);
    case "endsWith":
      return subject.value.endsWith(part.value);
    case "contains":
      return subject.value.includes(part.value);
    case "matches":
      return patternOf(part.value, at).test(subject.value);
  }
}

function patternOf(source: string, { patterns }: Reading): Pattern {
  const pattern = patterns.get(source) ?? compilePattern(source);
  patterns.set(source, pattern);
  return pattern;
}

function readEach(each: Extract<Expression, { kind: "each" }>, at: Reading): Datum | null {
  const owner = rowAt(each.row, each.path, at);
  if (owner === undefined) return null;
  const records = owner.many === undefined ? [] : (own(owner.many, each.relation) ?? []);
  let [held, unknown, failed] = [0, 0, 0];
  const values: Datum[] = [];
  for (const record of records) {
    const inner = { ...at, variables: new Map(at.variables).set(each.variable, record) };
    const judged = judge(each.condition, inner);
    if (judged === null) unknown++;
    else if (!judged) failed++;
    else {
      held++;
      const value = each.value === undefined ? null : read(each.value, inner);
      if (value !== null) values.push(value);
    }
  }
  switch (each.quantifier) {
    case "exists":
      return truth(held > 0 ? true : unknown > 0 ? null : false);
    case "all":
      return truth(failed > 0 ? false : unknown > 0 ? null : true);
    case "exists_one":
      return truth(held > 1 ? false : unknown > 0 ? null : held === 1);
    case "count":
      return unknown > 0 ? null : { kind: "exact", value: { digits: BigInt(held), scale: 0 } };
    default:
      return unknown > 0 ? null : aggregate(each.quantifier, values, each.type);
  }
}

/** Unknown if there is no organization or nobody is signed in. */
function isMember({ organization, role }: Extract<Expression, { kind: "member" }>, at: Reading): boolean | null {
  const id = read(organization, at);
  const { user } = at.context;
  if (id?.kind !== "text" || user.id === null) return null;
  return (user.memberships ?? []).some(
    (one) => one.organization.toLowerCase() === id.value && (role === null || one.role === role),
  );
}

/** The record at the end of a path of references; undefined if one of them is empty. */
function rowAt(name: string, path: readonly string[], at: Reading): Row | undefined {
  let row = at.variables.get(name) ?? at.context.rows[name as RowName];
  if (row === undefined) throw new Error(`the rule uses \`${name}\`, which does not exist here`);
  for (const step of path) {
    row = row.related === undefined ? undefined : own(row.related, step);
    if (row === undefined) return undefined;
  }
  return row;
}

/** A name that is a literal in the tree. */
function nameIn(expression: Expression): string {
  return expression.kind === "literal" ? String(expression.value) : "";
}

function truth(value: boolean | null): Datum | null {
  return value === null ? null : { kind: "bool", value };
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function argument(args: readonly Expression[], index: number): Expression {
  const one = args[index];
  if (one === undefined) throw new Error("an operation has too few arguments");
  return one;
}
