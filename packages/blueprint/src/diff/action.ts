// Compares an action. In: the action before and after a change. Out: who can newly call it, with an input that they can
// send; and whether calls that work now can fail. What a call does is compared with the effects of all work.
import {
  type ComparisonTypes,
  type Expression,
  findLoosening,
  joined,
  substitute,
  type Template,
} from "@plinth/expression";
import type { Action } from "../model/background.ts";
import type { FieldType } from "../model/model.ts";
import { typeInRules } from "../rules/expression-schema.ts";
import type { Witness } from "./change.ts";
import { isWithin } from "./effects/input-range.ts";
import { capitalized, oneOf } from "./one-of.ts";

/** Somebody who can now call it; null if there is nobody, or if that can't be decided. */
export function newCaller(before: Action | null, after: Action): Witness | null {
  const types = typesOf(after);
  for (const [role, rule] of Object.entries(after.access)) {
    const was = before?.access[role];
    const found = findLoosening(was === undefined ? null : overInput(was), overInput(rule), types);
    if (found?.kind !== "looser") continue;
    const own = found.witness.reads.filter(({ expression }) => expression.kind === "field");
    const record = Object.fromEntries(
      own.map(({ expression, value }) => [expression.kind === "field" ? expression.path.join(".") : "", value]),
    );
    const words = Object.entries(record).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
    const sent = words.length === 0 ? "" : ` with ${words.join(", ")}`;
    const summary = `${capitalized(oneOf(role))} can now call \`${after.name}\`${sent}.`;
    return { role, operation: "create", entity: after.name, decided: true, summary, record };
  }
  return null;
}

/** Whether a call that works now can fail, or gets an answer that lacks something. */
export function breaksCallers(before: Action, after: Action): boolean {
  if (before.mode !== after.mode || losesCallers(before, after) || !answersAlike(before.output, after.output))
    return true;
  const takes = before.input.every((field) =>
    isWithin(
      field,
      after.input.find(({ name }) => name === field.name),
    ),
  );
  const added = after.input.filter((field) => !before.input.some(({ name }) => name === field.name));
  return !takes || added.some((field) => !field.optional && field.default === null);
}

function losesCallers(before: Action, after: Action): boolean {
  return findLoosening(callersOf(after), callersOf(before), typesOf(before)) !== null;
}

/** Who can call it, through any role. */
function callersOf({ access }: Action): Expression | null {
  const text = { kind: "text" } as const;
  const roles: Expression = { kind: "user", type: { kind: "list", of: text }, name: "roles" };
  const rules = Object.entries(access).map(([role, rule]): Expression => {
    const args: Expression[] = [{ kind: "literal", type: text, value: role }, roles];
    return joined("&&", [{ kind: "operation", type: { kind: "bool" }, operator: "in", args }, overInput(rule)]);
  });
  return rules.length === 0 ? null : joined("||", rules);
}

function answersAlike(before: Template | null, after: Template | null): boolean {
  if (before === null || after === null) return before === null;
  if (before.kind === "object")
    return (
      after.kind === "object" &&
      Object.entries(before.members).every(([name, value]) => answersAlike(value, after.members[name] ?? null))
    );
  return typeOf(before) === typeOf(after);
}

function typeOf(template: Template): string {
  if (template.kind === "value") return template.expression.type.kind;
  return template.kind === "literal" ? (jsonTypes[typeof template.value] ?? "") : template.kind;
}

const jsonTypes: Readonly<Record<string, string>> = { string: "text", number: "int", boolean: "bool", object: "null" };

/** The input takes the place of the record: both names are one row. */
function overInput(rule: Expression): Expression {
  return substitute(rule, { input: { row: "new", path: [] } });
}

function typesOf({ input }: Action): ComparisonTypes {
  return {
    field: (_, path) => {
      const field = input.find((one) => one.name === path[0]);
      if (field === undefined || path.length !== 1) return null;
      return { type: typeInRules(field.type), nullable: field.optional, places: placesOf(field.type) };
    },
    profile: () => null,
    rolesOfAll: ["public"],
    rolesOfUsers: ["user", "owner"],
  };
}

function placesOf(type: FieldType): number | null {
  if (type.kind === "decimal" || type.kind === "money") return type.scale;
  return type.kind === "percent" ? 4 : null;
}
