// Checks a declaration with the language itself. In: one field or one rule, without all others. Out: the problem, or null. So the
// importer doesn't repeat the rules of the language, and nothing that it writes is refused later.
import { checkBlueprint } from "@plinth/blueprint";
import { stringify } from "yaml";
import { type LongField, targetIn } from "./draft.ts";

const modules = ["auth", "users", "roles", "organizations"];

/** @param at Whether it is a field of an entity or of a profile. */
export function fieldProblem(name: string, field: LongField, at: "entity" | "profile"): string | null {
  const target = targetIn(field);
  const others = target === null || target === "user" ? {} : { [target]: { fields: { note: "text?" } } };
  return at === "profile"
    ? problemOf({ users: { fields: { [name]: field } }, entities: {} })
    : problemOf({ entities: { probe: { fields: { [name]: field } }, ...others } });
}

export function checkProblem(fields: ReadonlyMap<string, LongField>, rule: string): string | null {
  return problemOf({ entities: { probe: { fields: alone(fields), checks: { probe: rule } } } });
}

export function computedProblem(fields: ReadonlyMap<string, LongField>, rule: string): string | null {
  return problemOf({ entities: { probe: { fields: { ...alone(fields), probe: `computed(${rule})` } } } });
}

export function ruleProblem(
  fields: ReadonlyMap<string, LongField>,
  role: string,
  operation: string,
  rule: string | true,
): string | null {
  return problemOf({ entities: { probe: { fields: alone(fields), permissions: { [role]: { [operation]: rule } } } } });
}

/** References to other entities become plain ids, because the others are not in the trial. */
function alone(fields: ReadonlyMap<string, LongField>): Record<string, unknown> {
  return Object.fromEntries(
    [...fields].flatMap(([name, field]) => {
      const target = targetIn(field);
      if (field.type.startsWith("refs(") || field.type.startsWith("computed(")) return [];
      const { as: _, ...rest } = field;
      if (target === null || target === "user") return [[name, rest]];
      return [[name, { type: "uuid", ...(field.optional === true && { optional: true }) }]];
    }),
  );
}

function problemOf(sections: object): string | null {
  const text = stringify({ project: "probe", modules, ...sections }, { lineWidth: 0 });
  const { diagnostics } = checkBlueprint(text);
  return diagnostics.find((one) => one.severity === "error")?.message ?? null;
}
