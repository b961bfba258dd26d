// Checks a macro over a to-many relation, or a count of one. In: its syntax. Out: a typed `each`, or problems. Lists of
// values have no macros; use `in`.
import { type Checking, report } from "./checking.ts";
import { isMember, manyHint, resolvePath, type ToMany } from "./resolve-name.ts";
import { specialNames } from "./scope.ts";
import { substitute } from "./substitute.ts";
import type { Syntax } from "./syntax.ts";
import type { Aggregate, Expression, Quantifier, Type } from "./tree.ts";
import { bool, isNumber, nameOf } from "./types.ts";
import { partsOf, truth } from "./walk.ts";

type Call = Extract<Syntax, { kind: "call" }>;

/** How deep macros can be nested. Each one is a sub-select for each record of the outer one. */
const NESTING_MAX = 3;
/** The variable for `size(comments)`, which has no name of its own. */
const UNNAMED = "one";

export function checkEach(call: Call, receiver: Syntax, quantifier: Quantifier, checking: Checking): Expression | null {
  const [variable, condition, more] = call.args;
  if (variable === undefined && quantifier === "count") return countedAt(call, receiver, checking);
  if (variable?.kind !== "name" || condition === undefined || more !== undefined) {
    const hint = `Write it like this: \`comments.${call.name}(c, c.hidden)\`.`;
    return report(
      checking,
      call,
      "wrong_arguments",
      `\`${call.name}\` needs a name for the record and a condition.`,
      hint,
    );
  }
  const relation = relationAt(receiver, checking);
  if (relation === null || !isFree(variable, checking)) return null;
  return eachOf(call, relation, quantifier, { name: variable.name, condition }, checking);
}

/** `invoice_lines.sum(l, l.amount)`, over all records or those that a `filter` finds. */
export function checkAggregate(call: Call, receiver: Syntax, name: Aggregate, checking: Checking): Expression | null {
  const [variable, value, more] = call.args;
  if (variable?.kind !== "name" || value === undefined || more !== undefined) {
    const hint = `Write it like this: \`lines.${name}(l, l.amount)\`.`;
    return report(checking, call, "wrong_arguments", `\`${name}\` needs a name for the record and a value.`, hint);
  }
  const isFiltered = receiver.kind === "call" && receiver.name === "filter" && receiver.receiver !== null;
  const of = isFiltered
    ? checkEach(receiver, receiver.receiver, "count", checking)
    : countedAt(call, receiver, checking);
  if (of?.kind !== "each" || !isFree(variable, checking)) return null;
  const inner = { ...checking, variables: new Map(checking.variables).set(variable.name, of.entity) };
  const found = checking.check(value, null, inner);
  if (found === null) return null;
  const type = typeOfAggregate(name, found.type);
  if (type === null) {
    const hint = name === "sum" || name === "avg" ? "Use numbers or durations. `avg` needs numbers." : null;
    return report(
      checking,
      value,
      "type_mismatch",
      `\`${name}\` doesn't support the type ${nameOf(found.type)}.`,
      hint,
    );
  }
  const moved = (from: Expression, to: Expression): void => {
    const place = checking.places.get(from);
    if (place !== undefined && !checking.places.has(to)) checking.places.set(to, place);
  };
  const renamed = of.variable === variable.name || isUnnamed(of);
  const condition = renamed
    ? of.condition
    : substitute(of.condition, { [of.variable]: { row: variable.name, path: [] } }, moved);
  return { ...of, type, quantifier: name, variable: variable.name, condition, value: found };
}

/** All records of a relation. */
function countedAt(at: Syntax, receiver: Syntax, checking: Checking): Expression | null {
  const relation = relationAt(receiver, checking);
  return relation && eachOf(at, relation, "count", { name: UNNAMED, condition: null }, checking);
}

function isUnnamed({ variable, condition }: Extract<Expression, { kind: "each" }>): boolean {
  return variable === UNNAMED && condition.kind === "literal";
}

function typeOfAggregate(name: Aggregate, of: Type): Type | null {
  switch (name) {
    case "sum":
      return isNumber(of) || of.kind === "duration" ? of : null;
    case "avg":
      return isNumber(of) ? { kind: of.kind === "float" ? "float" : "decimal" } : null;
    case "min":
    case "max":
      return isNumber(of) || ordered.has(of.kind) ? of : null;
  }
}

const ordered: ReadonlySet<Type["kind"]> = new Set(["text", "date", "time", "datetime", "duration"]);

/** What `size(...)` counts: a relation or a `filter` of one; `"no relation"` if it is a value. */
export function checkCounted(call: Syntax, counted: Syntax, checking: Checking): Expression | null | "no relation" {
  if (counted.kind === "call" && counted.name === "filter" && counted.receiver !== null) {
    return checkEach(counted, counted.receiver, "count", checking);
  }
  if (counted.kind !== "name" && counted.kind !== "member") return "no relation";
  const resolved = resolvePath(counted, checking);
  if (!("relation" in resolved)) return "no relation";
  return eachOf(call, resolved.relation, "count", { name: UNNAMED, condition: null }, checking);
}

function eachOf(
  at: Syntax,
  relation: ToMany,
  quantifier: Quantifier,
  { name, condition }: { readonly name: string; readonly condition: Syntax | null },
  checking: Checking,
): Expression | null {
  if (checking.variables.size >= NESTING_MAX) {
    return report(
      checking,
      at,
      "expression_too_large",
      `Relations can be nested at most ${NESTING_MAX} deep in a rule.`,
    );
  }
  const inner = { ...checking, variables: new Map(checking.variables).set(name, relation.record) };
  const judged = condition === null ? truth(true) : checking.check(condition, bool, inner);
  if (judged === null) return null;
  if (condition !== null && judged.type.kind !== "bool") {
    return report(
      checking,
      condition,
      "not_a_condition",
      `This has the type ${nameOf(judged.type)}, but a condition is expected.`,
    );
  }
  if (condition === null) checking.places.set(judged, at);
  return {
    kind: "each",
    type: quantifier === "count" ? { kind: "int" } : bool,
    quantifier,
    row: relation.row,
    path: relation.path,
    relation: relation.name,
    entity: relation.record,
    variable: name,
    condition: judged,
  };
}

/**
 * Whether the nesting of relations is within the limit after the expression is written out. Reports a problem if not.
 */
export function nestsWithin(expression: Expression, at: Syntax, checking: Checking): boolean {
  if (checking.variables.size + depthOf(expression) <= NESTING_MAX) return true;
  const message = `Relations can be nested at most ${NESTING_MAX} deep in a rule.`;
  report(checking, at, "expression_too_large", message, "Relations inside computed fields count too.");
  return false;
}

function depthOf(expression: Expression): number {
  const below = Math.max(0, ...partsOf(expression).map(depthOf));
  return expression.kind === "each" ? below + 1 : below;
}

function relationAt(receiver: Syntax, checking: Checking): ToMany | null {
  if (receiver.kind !== "name" && receiver.kind !== "member") {
    return report(
      checking,
      receiver,
      "wrong_arguments",
      "This is not a relation.",
      "Use a to-many relation of the record.",
    );
  }
  const resolved = resolvePath(receiver, checking);
  if ("relation" in resolved) return resolved.relation;
  if ("problem" in resolved) {
    const { start, end, code, message, hint } = resolved.problem;
    return report(checking, { start, end }, code, message, hint);
  }
  const isList = "expression" in resolved && resolved.expression.type.kind === "list";
  const hint = isList
    ? 'For a list, use `in`: `"a" in tags`.'
    : "For a reference to one record, use its path: `shop.open`.";
  return report(checking, receiver, "wrong_arguments", "This is not a to-many relation.", hint);
}

function isFree(variable: Extract<Syntax, { kind: "name" }>, checking: Checking): boolean {
  const { name } = variable;
  if (checking.variables.has(name) || specialNames.includes(name)) {
    report(
      checking,
      variable,
      "wrong_arguments",
      `The name \`${name}\` is already used.`,
      "Choose another name for the record.",
    );
    return false;
  }
  if (isMember(name, checking.scope)) {
    const message = `\`${name}\` is a field and the name of a record here. It is read as the record.`;
    report(
      checking,
      variable,
      "ambiguous_name",
      message,
      `Choose another name for the record, or write \`record.${name}\` for the field.`,
    );
  }
  return true;
}

/** Reports a to-many relation in a place that needs a value. */
export function refuseRelation(at: Syntax, relation: ToMany, checking: Checking): null {
  return report(
    checking,
    at,
    "type_mismatch",
    `\`${relation.name}\` is a list of records, not a value.`,
    manyHint(relation.name),
  );
}
