// In: a model without errors. Out: a warning for each rule that trusts what its caller says of themselves: a profile field that users
// write, read of who is signed in.
import { type Expression, partsOf } from "@plinth/expression";
import type { PermissionDeclaration } from "../../declarations/declarations.ts";
import type { Model } from "../../model/model.ts";
import type { Places } from "../../text/places.ts";
import type { Report } from "../../text/report.ts";
import { rangeOfRule } from "./rule-range.ts";

export function warnOfOwnProfile(
  model: Model,
  declared: readonly PermissionDeclaration[],
  places: Places,
  report: Report,
): void {
  const written = new Set(model.userFields.filter(({ writer }) => writer === "caller").map(({ name }) => name));
  if (written.size === 0) return;
  for (const { name, permissions } of model.entities) {
    for (const permission of permissions) {
      const field = writtenIn(permission.rule, written);
      const range = field === null ? null : rangeOfRule(name, permission, declared, places);
      if (field === null || range === null) continue;
      const message = `Users write their own \`${field}\`, so that this rule lets in whoever says so.`;
      const hint = `Add \`writable(admin)\` to the profile field \`${field}\`, if others are to decide on it.`;
      report.add("rule_trusts_caller", range, message, hint);
    }
  }
}

function writtenIn(rule: Expression, written: ReadonlySet<string>): string | null {
  if (rule.kind === "user" && written.has(rule.name)) return rule.name;
  for (const part of partsOf(rule)) {
    const found = writtenIn(part, written);
    if (found !== null) return found;
  }
  return null;
}
