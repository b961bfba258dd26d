// Warns about rules that are always true. In: a model without errors. Out: a warning for each rule that is true for
// every record for which it is known, but is not written as `true`: `user_id == user.id` compares a reference with
// itself. It proves within a budget that no record makes the rule false.
import { createBudget, type Expression, findLoosening, mentionsUser, negated } from "@plinth/expression";
import type { PermissionDeclaration } from "../../declarations/declarations.ts";
import type { Model } from "../../model/model.ts";
import { createRanges } from "../../rules/field-ranges.ts";
import type { Places } from "../../text/places.ts";
import type { Report } from "../../text/report.ts";
import { rangeOfRule } from "./rule-range.ts";

/** For all rules of a blueprint; about 30 ms, because it runs at every key press. */
const WORK_MAX = 120_000;

const never: Expression = { kind: "literal", type: { kind: "bool" }, value: false };

export function warnOfAlwaysTrue(
  model: Model,
  declared: readonly PermissionDeclaration[],
  places: Places,
  report: Report,
): void {
  const ranges = createRanges(model, model);
  const budget = createBudget(WORK_MAX);
  for (const { name, permissions } of model.entities) {
    for (const permission of permissions) {
      const { rule } = permission;
      // A rule that uses the user isn't the same for all users.
      if (rule.kind === "literal" || mentionsUser(rule)) continue;
      if (findLoosening(never, negated(rule), ranges(name), budget) !== null) continue;
      const range = rangeOfRule(name, permission, declared, places);
      if (range === null) continue;
      const message = "This rule is true for every record.";
      report.add("rule_always_true", range, message, hintFor(rule));
    }
  }
}

function hintFor(rule: Expression): string {
  const comparesIds = rule.kind === "operation" && rule.args.some(({ type }) => type.kind === "uuid");
  return comparesIds
    ? "Compare a field with `current_user.id`, or write `true` if you mean every record."
    : "Write `true` if you mean every record.";
}
