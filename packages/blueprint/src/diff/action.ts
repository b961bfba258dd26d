// Compares an action. In: the action before and after a change. Out: a witness of what somebody can newly do; null if
// it is proven that there is nobody. Its steps can act with the rights of the service, so changed steps count as more
// for everybody who can call it.
import { type ComparisonTypes, type Expression, findLoosening, substitute } from "@plinth/expression";
import type { Action } from "../model/background.ts";
import type { FieldType } from "../model/model.ts";
import { typeInRules } from "../rules/expression-schema.ts";
import type { Witness } from "./change.ts";
import { same } from "./make-change.ts";
import { capitalized, oneOf } from "./one-of.ts";

export function actionGain(before: Action | null, after: Action): Witness | null {
  const [caller] = Object.keys(after.access);
  if (caller === undefined) return null;
  if (before !== null && !same(workOf(before), workOf(after))) return undecided(after, caller);
  const types = typesOf(after);
  let open: Witness | null = null;
  for (const [role, rule] of Object.entries(after.access)) {
    const was = before?.access[role];
    const found = findLoosening(was === undefined ? null : overInput(was), overInput(rule), types);
    if (found === null) continue;
    if (found.kind === "undecided") {
      open ??= undecided(after, role);
      continue;
    }
    const own = found.witness.reads.filter(({ expression }) => expression.kind === "field");
    const record = Object.fromEntries(
      own.map(({ expression, value }) => [expression.kind === "field" ? expression.path.join(".") : "", value]),
    );
    const words = Object.entries(record).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
    const sent = words.length === 0 ? "" : ` with ${words.join(", ")}`;
    const summary = `${capitalized(oneOf(role))} can now call \`${after.name}\`${sent}.`;
    return { role, operation: "create", entity: after.name, decided: true, summary, record };
  }
  return open;
}

/** Everything except who can call it. */
function workOf({ input, output, steps, mode }: Action): unknown {
  return { input, output, steps, mode };
}

function undecided({ name }: Action, role: string): Witness {
  const summary = `It can't be decided whether the change of \`${name}\` gives somebody new rights, so it counts as if it did.`;
  return { role, operation: "create", entity: name, decided: false, summary, record: null };
}

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
