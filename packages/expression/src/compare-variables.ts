// Reads rules into skeletons. In: two rules. Out: their boolean skeletons over shared atoms, and the variables of the
// atoms. A part that the comparison can't analyse becomes a free variable of its type, the same one for each
// occurrence. It decides nothing; `compare-rules.ts` explains why the result is exact.
import type { Expression, Type } from "./tree.ts";

/** What a field can hold in an existing row; if this is not known, any value of the type, and null. */
export interface FieldRange {
  readonly type: Type;
  readonly nullable: boolean;
  /** Decimal places of a decimal; null if unlimited. */
  readonly places: number | null;
}

export interface ComparisonTypes {
  readonly field: (row: string, path: readonly string[]) => FieldRange | null;
  /** A profile field of a signed-in user. */
  readonly profile: (name: string) => FieldRange | null;
  /** Roles of every caller. */
  readonly rolesOfAll: readonly string[];
  /** Additional roles of every signed-in user. */
  readonly rolesOfUsers: readonly string[];
}

export interface Variable {
  readonly index: number;
  readonly source: Expression;
  readonly type: Type;
  readonly nullable: boolean;
  readonly places: number | null;
  /**
   * `role`: whether the caller has it. `signed_in`: the condition for everything that a user has. `abstract`: not
   * analysed.
   */
  readonly kind: "value" | "role" | "signed_in" | "abstract";
  /** Whether it is null if nobody is signed in. */
  readonly ofUser: boolean;
}

export interface Atom {
  readonly index: number;
  /** The expression reads one row `record` whose fields are the variables, with names from `nameOf`. */
  readonly condition: Expression;
  readonly variables: readonly number[];
}

export type Skeleton =
  | { readonly kind: "constant"; readonly value: boolean | null }
  | { readonly kind: "and" | "or" | "not" | "choice"; readonly args: readonly Skeleton[] }
  | { readonly kind: "atom"; readonly atom: Atom };

export interface Reading {
  readonly variables: readonly Variable[];
  readonly atoms: readonly Atom[];
  readonly skeleton: (rule: Expression) => Skeleton;
}

const bool: Type = { kind: "bool" };

export function nameOf(variable: number): string {
  return `$${variable}`;
}

/** Reads rules one after the other. Equal parts get the same variables and atoms. */
export function createReading(types: ComparisonTypes): Reading {
  const variables: Variable[] = [];
  const byKey = new Map<string, number>();
  const atoms: Atom[] = [];
  const atomByKey = new Map<string, Atom>();

  function variable(source: Expression, of: Omit<Variable, "index" | "source">): Expression {
    if ((of.ofUser || of.kind === "role") && !byKey.has("signed_in")) {
      byKey.set("signed_in", variables.length);
      const always = { type: bool, nullable: false, places: null, kind: "signed_in", ofUser: false } as const;
      variables.push({ index: variables.length, source, ...always });
    }
    const key = `${of.kind} ${comparableKind(of.type)} ${keyOf(source)}`;
    const index = byKey.get(key) ?? variables.length;
    if (index === variables.length) variables.push({ index, source, ...of });
    byKey.set(key, index);
    // The type belongs to the occurrence: the two rules may have been checked against different enum values.
    return {
      kind: "field",
      type: source.type.kind === "list" && of.kind === "role" ? bool : of.type,
      row: "record",
      path: [nameOf(index)],
    };
  }

  function abstracted(source: Expression): Expression {
    const nullable = source.kind !== "sent";
    const type = source.type;
    return variable(source, { type, nullable, places: null, kind: "abstract", ofUser: source.kind === "member" });
  }

  function skeleton(rule: Expression): Skeleton {
    if (rule.kind === "literal")
      return { kind: "constant", value: typeof rule.value === "boolean" ? rule.value : null };
    if (rule.kind === "operation") {
      const kind = connectives[rule.operator];
      if (kind !== undefined) return { kind, args: rule.args.map(skeleton) };
    }
    const condition = operand(rule);
    const key = JSON.stringify(condition);
    const known = atomByKey.get(key);
    if (known !== undefined) return { kind: "atom", atom: known };
    const atom = { index: atoms.length, condition, variables: [...new Set(variablesIn(condition))] };
    atoms.push(atom);
    atomByKey.set(key, atom);
    return { kind: "atom", atom };
  }

  function operand(expression: Expression): Expression {
    switch (expression.kind) {
      case "literal":
        return expression;
      case "list":
        return { ...expression, items: expression.items.map(operand) };
      case "field":
        return expression.type.kind === "list" && expression.path.length > 1
          ? abstracted(expression)
          : field(expression);
      case "user":
        return user(expression);
      case "context": {
        const nullable = expression.name !== "now" && expression.name !== "today";
        // `today` depends on `now`; as a separate value it may contradict it.
        const kind = expression.name === "today" ? "abstract" : "value";
        return variable(expression, { type: expression.type, nullable, places: null, kind, ofUser: false });
      }
      case "operation":
        return operation(expression);
      case "sent":
      case "value":
      case "each":
      case "member":
        return abstracted(expression);
    }
  }

  function field(expression: Extract<Expression, { kind: "field" }>): Expression {
    // The input depends on the old row and the new row.
    if (expression.row === "input") return abstracted(expression);
    const range = types.field(expression.row, expression.path);
    // A rule that was checked against another type can't say what this field's values mean.
    if (range !== null && comparableKind(range.type) !== comparableKind(expression.type)) return abstracted(expression);
    const of = range ?? { type: expression.type, nullable: true, places: null };
    const read = variable(expression, { ...of, kind: "value", ofUser: false });
    return { ...read, type: expression.type };
  }

  function user(expression: Extract<Expression, { kind: "user" }>): Expression {
    if (expression.type.kind === "list") return abstracted(expression);
    const known = { type: expression.type, nullable: false, places: null };
    const builtin = expression.name === "id" || expression.name === "email";
    const of = builtin ? known : (types.profile(expression.name) ?? { ...known, nullable: true });
    return { ...variable(expression, { ...of, kind: "value", ofUser: true }), type: expression.type };
  }

  function operation(expression: Extract<Expression, { kind: "operation" }>): Expression {
    const { operator, args } = expression;
    if (operator === "in") return membership(expression);
    if (operator === ".")
      return variable(expression, {
        type: expression.type,
        nullable: true,
        places: null,
        kind: "value",
        ofUser: false,
      });
    if (!looksInto.has(operator)) return abstracted(expression);
    // A list, or a value that can only be tested for null, is compared with nothing else.
    const withNull = args.some((one) => one.type.kind === "null");
    const opaque = args.some((one) => one.type.kind === "list" || (one.type.kind === "opaque" && !withNull));
    return opaque ? abstracted(expression) : { ...expression, args: args.map(operand) };
  }

  function membership(expression: Extract<Expression, { kind: "operation" }>): Expression {
    const [subject, list] = expression.args;
    if (subject === undefined || list === undefined) return abstracted(expression);
    if (list.kind === "list") return { ...expression, args: [operand(subject), operand(list)] };
    const named = subject.kind === "literal" && typeof subject.value === "string" ? subject.value : null;
    if (list.kind === "user" && list.name === "roles" && named !== null) {
      if (types.rolesOfAll.includes(named)) return { kind: "literal", type: bool, value: true };
      return variable(expression, { type: bool, nullable: false, places: null, kind: "role", ofUser: false });
    }
    // Named members are distinguished; a list is represented by which of them it contains.
    if (list.kind === "field" && list.path.length === 1 && list.row !== "input" && named !== null) {
      return { ...expression, args: [subject, field(list)] };
    }
    return abstracted(expression);
  }

  return { variables, atoms, skeleton };
}

const connectives: Readonly<Record<string, "and" | "or" | "not" | undefined>> = { "&&": "and", "||": "or", "!": "not" };
const looksInto: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "?:"]);

/** The role that `"support" in current_user.roles` asks for. */
export function roleOf(variable: Variable): string {
  const source = variable.source;
  const subject = source.kind === "operation" ? source.args[0] : undefined;
  return subject?.kind === "literal" ? String(subject.value) : "";
}

export function variablesIn(condition: Expression): number[] {
  if (condition.kind === "field") return [Number(condition.path[0]?.slice(1))];
  if (condition.kind === "list") return condition.items.flatMap(variablesIn);
  return condition.kind === "operation" ? condition.args.flatMap(variablesIn) : [];
}

/**
 * Equal keys for equal meaning. From types, the key has only what changes how values are processed: how a field
 * compares, how arithmetic rounds. The variable of an `each` is named by its depth.
 */
export function keyOf(expression: Expression, names: ReadonlyMap<string, string> = new Map()): string {
  switch (expression.kind) {
    case "literal":
      return JSON.stringify([expression.value, comparableKind(expression.type)]);
    case "list":
      return `[${expression.items.map((one) => keyOf(one, names)).join()}]`;
    case "field":
      return `${comparableKind(expression.type)} ${names.get(expression.row) ?? expression.row}.${expression.path.join(".")}`;
    case "sent":
      return `sent ${expression.field}`;
    case "value":
      return `value ${[expression.root, ...expression.path].join(".")}`;
    case "user":
    case "context":
      return `${expression.kind} ${expression.name}`;
    case "operation":
      return `(${expression.operator} ${expression.type.kind} ${argsOf(expression, names).join(" ")})`;
    case "each": {
      const inner = new Map(names).set(expression.variable, `#${names.size}`);
      const owner = [names.get(expression.row) ?? expression.row, ...expression.path, expression.relation].join(".");
      const value = expression.value === undefined ? "" : ` ${keyOf(expression.value, inner)}`;
      return `(${expression.quantifier} ${owner} ${expression.entity} ${keyOf(expression.condition, inner)}${value})`;
    }
    case "member":
      return `(member ${keyOf(expression.organization, names)} ${expression.role ?? ""})`;
  }
}

/** In one order for operands that can change places, so that `fee * guests` is `guests * fee`. */
function argsOf(
  { operator, type, args }: Extract<Expression, { kind: "operation" }>,
  names: ReadonlyMap<string, string>,
): readonly string[] {
  const keys = args.map((one) => keyOf(one, names));
  // The operator for numbers also joins texts.
  return commutative.has(operator) && type.kind !== "text" ? keys.toSorted() : keys;
}

const commutative: ReadonlySet<string> = new Set(["+", "*", "==", "!=", "&&", "||"]);

/** Both rules can distinguish values of this type. */
function comparableKind(type: Type): string {
  if (type.kind === "enum") return "text";
  return type.kind === "decimal" || type.kind === "int" ? "exact" : type.kind;
}
