// Warns about rules on users. In: a model without errors. Out: a warning for each rule that asks for an organization
// but for nothing about the user who is read: it seems to mean the organization's own users, but means all users of the
// project.
import { type Expression, partsOf } from "@plinth/expression";
import type { PermissionDeclaration } from "../../declarations/declarations.ts";
import type { Model } from "../../model/model.ts";
import { USER_ENTITY } from "../../modules/users.ts";
import type { Places } from "../../text/places.ts";
import type { Report } from "../../text/report.ts";
import { rangeOfRule } from "./rule-range.ts";

export function warnOfAllUsers(
  { userPermissions = [] }: Model,
  declared: readonly PermissionDeclaration[],
  places: Places,
  report: Report,
): void {
  for (const permission of userPermissions) {
    const kinds = kindsIn(permission.rule);
    if (!kinds.has("member") || kinds.has("field")) continue;
    const range = rangeOfRule(USER_ENTITY, permission, declared, places);
    if (range === null) continue;
    const message =
      "Everybody who passes this rule can read all users of the project, not only those of the organization.";
    const hint =
      "Put what members can see about each other into an `org_scoped` entity, or write `true` if you mean all users.";
    report.add("all_users_readable", range, message, hint);
  }
}

function kindsIn(rule: Expression): ReadonlySet<Expression["kind"]> {
  return new Set([rule.kind, ...partsOf(rule).flatMap((part) => [...kindsIn(part)])]);
}
