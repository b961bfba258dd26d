// Resolves names in background work. In: a path that doesn't start with a row. Out: the typed value that it names. It
// only knows shapes; the caller says which values exist.
import type { Problem } from "./problem.ts";
import type { ValueShape, WorkScope } from "./scope.ts";
import { didYouMean } from "./suggest.ts";
import type { Located } from "./syntax.ts";
import type { Expression, Type } from "./tree.ts";

interface Step extends Located {
  readonly name: string;
}

type ResolvedValue = { readonly expression: Expression } | { readonly problem: Problem };

/** The type of a value about which nothing is known. */
export const json: Type = { kind: "opaque", name: "json" };

export function resolveInWork(path: readonly Step[], work: WorkScope): ResolvedValue {
  const [head, ...rest] = path;
  if (head === undefined) throw new Error("a path has at least one step");
  if (head.name === "now" || head.name === "today") return resolveTime(head.name, rest);
  const root = work.values.get(head.name);
  if (root === undefined) return unknownRoot(head, work);
  let shape = root;
  for (const [index, step] of rest.entries()) {
    const inner = memberOf(shape, step.name);
    if (inner === null) return unknownMember(path.slice(0, index + 1), step, shape);
    shape = inner;
  }
  const names = rest.map((step) => step.name);
  return { expression: { kind: "value", type: typeOf(shape), root: head.name, path: names } };
}

/** Whether the type of an expression is unknown. */
export function isUntyped(expression: Expression): boolean {
  return expression.kind === "value" && expression.type.kind === "opaque" && expression.type.name === "json";
}

/** The same value, read as a type: it is null if it doesn't have that type. */
export function readAs(expression: Expression, type: Type): Expression {
  return isUntyped(expression) && type.kind !== "null" && type.kind !== "opaque" ? { ...expression, type } : expression;
}

function memberOf(shape: ValueShape, name: string): ValueShape | null {
  switch (shape.kind) {
    case "object":
      return shape.members.get(name) ?? null;
    case "json":
      return shape;
    case "value":
      // A value that is stored as JSON has members like JSON.
      return shape.type.kind === "opaque" ? { kind: "json" } : null;
    case "list":
      return null;
  }
}

function typeOf(shape: ValueShape): Type {
  if (shape.kind === "value") return shape.type;
  if (shape.kind !== "list") return json;
  const of = typeOf(shape.of);
  return of.kind === "opaque" || of.kind === "list" ? json : { kind: "list", of };
}

function resolveTime(name: "now" | "today", rest: readonly Step[]): ResolvedValue {
  const [further] = rest;
  if (further !== undefined) return wrong(further, `\`${name}\` has no \`${further.name}\`.`, null);
  return { expression: { kind: "context", type: { kind: name === "now" ? "datetime" : "date" }, name } };
}

function unknownRoot(head: Step, { values, rows, user }: WorkScope): ResolvedValue {
  if (head.name === "current_user") {
    const hint = values.has("event") ? "The user who caused the event is `event.actor.id`." : null;
    return wrong(head, "Nobody is signed in here. `current_user` only exists in actions.", hint, "name_not_available");
  }
  const known = [...rows, ...values.keys(), "now", ...(user ? ["current_user"] : [])];
  if (["event", "input", "steps", "each", "error", "run", "request", "current_org", "new"].includes(head.name)) {
    return wrong(head, `There is no \`${head.name}\` here.`, `Known names: ${known.join(", ")}.`, "name_not_available");
  }
  const field = rows.includes("record") ? `To use the field of the record, write \`record.${head.name}\`.` : null;
  const hint = didYouMean(head.name, known) ?? field ?? `Known names: ${known.join(", ")}.`;
  return wrong(head, `There is no \`${head.name}\` here.`, hint);
}

function unknownMember(before: readonly Step[], step: Step, shape: ValueShape): ResolvedValue {
  const owner = before.map((one) => one.name).join(".");
  const message = `\`${owner}\` has no \`${step.name}\`.`;
  if (shape.kind === "list")
    return wrong(step, message, "This is a list. Use `for_each` to run a step for each member.");
  const names = shape.kind === "object" ? [...shape.members.keys()] : [];
  const few = names.length > 0 && names.length <= 12 ? `Known members: ${names.join(", ")}.` : null;
  return wrong(step, message, didYouMean(step.name, names) ?? few);
}

function wrong(
  at: Located,
  message: string,
  hint: string | null,
  code: Problem["code"] = "unknown_name",
): ResolvedValue {
  return { problem: { code, message, hint, start: at.start, end: at.end } };
}
