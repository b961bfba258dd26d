// Finds the position of a rule. In: a permission of a model. Out: its position in the blueprint, for diagnostics about
// the whole model.
import type { Expression } from "@plinth/expression";
import type { PermissionDeclaration } from "../../declarations/declarations.ts";
import type { Permission } from "../../model/model.ts";
import type { Places } from "../../text/places.ts";
import type { Range } from "../../text/syntax.ts";

/** Null for a permission that is not declared (from a transition's roles). */
export function rangeOfRule(
  entity: string,
  permission: Permission,
  declared: readonly PermissionDeclaration[],
  places: Places,
): Range | null {
  return placeOf(permission.rule, places) ?? declaredAt(entity, permission, declared);
}

/** The position of a node as it was written. */
export function placeOf(rule: Expression, places: Places): Range | null {
  const place = places.get(rule);
  return place === null ? null : { start: place.start.offset, end: place.end.offset };
}

function declaredAt(
  entity: string,
  { role, operation }: Permission,
  declared: readonly PermissionDeclaration[],
): Range | null {
  const own = declared.filter((one) => one.entity.text === entity && one.role.text === role);
  const found = own.find((one) => one.operation.text === operation) ?? own.find((one) => one.operation.text === "all");
  return found?.rules[0]?.scalar.range ?? found?.range ?? null;
}
