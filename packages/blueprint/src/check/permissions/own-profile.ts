// Warns about rules that trust the caller. In: a model without errors. Out: a warning for each rule that reads a
// profile field of the caller which users can write themselves.
import { type Expression, partsOf } from "@plinth/expression";
import type { PermissionDeclaration } from "../../declarations/declarations.ts";
import type { Model } from "../../model/model.ts";
import { USER_ENTITY } from "../../modules/users.ts";
import type { Places } from "../../text/places.ts";
import type { Report } from "../../text/report.ts";
import type { Range } from "../../text/syntax.ts";
import { placeOf, rangeOfRule } from "./rule-range.ts";

export function warnOfOwnProfile(
  { userFields, userPermissions = [], entities, background }: Model,
  declared: readonly PermissionDeclaration[],
  places: Places,
  report: Report,
): void {
  const written = new Set(userFields.filter(({ writer }) => writer === "caller").map(({ name }) => name));
  if (written.size === 0) return;
  for (const { name, permissions } of [...entities, { name: USER_ENTITY, permissions: userPermissions }]) {
    for (const permission of permissions) {
      const found = writtenIn(permission.rule, written);
      if (found !== null) warn(found, rangeOfRule(name, permission, declared, places), report);
    }
  }
  for (const rule of background.actions.flatMap(({ access }) => Object.values(access))) {
    const found = writtenIn(rule, written);
    if (found !== null) warn(found, placeOf(found, places), report);
  }
}

type Read = Extract<Expression, { kind: "user" }>;

function warn({ name }: Read, range: Range | null, report: Report): void {
  if (range === null) return;
  const message = `Users write their own \`${name}\`, so any user can set it to a value that passes this rule.`;
  const hint = `If users must not decide this, add \`writable(admin)\` to the profile field \`${name}\`.`;
  report.add("rule_trusts_caller", range, message, hint);
}

function writtenIn(rule: Expression, written: ReadonlySet<string>): Read | null {
  if (rule.kind === "user" && written.has(rule.name)) return rule;
  for (const part of partsOf(rule)) {
    const found = writtenIn(part, written);
    if (found !== null) return found;
  }
  return null;
}
