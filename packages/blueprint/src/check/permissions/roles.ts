// Checks roles. In: the declared roles. Out: all roles of the project, with everything that each one inherits.
import type { RoleDeclaration } from "../../declarations/declarations.ts";
import type { Role } from "../../model/model.ts";
import { checkName } from "../../text/names.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";

const ROLES_MAX = 200;
export const builtinRoles: readonly string[] = ["public", "user", "owner", "admin"];

export function checkRoles(declared: readonly RoleDeclaration[], report: Report): readonly Role[] {
  const over = declared[ROLES_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `A blueprint can have at most ${ROLES_MAX} roles.`);
  const parents = new Map<string, readonly Word[]>();
  const texts = new Map<string, Pick<Role, "label" | "help">>();
  for (const { name, inherits, label, help } of declared) {
    if (builtinRoles.includes(name.text)) {
      report.add(
        "builtin_role",
        name.range,
        `The role \`${name.text}\` already exists.`,
        "Remove it here, or choose another name.",
      );
      continue;
    }
    const problem = checkName(name.text, "role");
    if (problem !== null) report.add(problem.code, name.range, problem.message, problem.hint);
    parents.set(name.text, inherits);
    texts.set(name.text, { ...(label === null ? {} : { label }), ...(help === null ? {} : { help }) });
  }
  const known = new Set([...builtinRoles, ...parents.keys()]);
  for (const word of [...parents.values()].flat()) {
    if (!known.has(word.text))
      report.add(
        "unknown_role",
        word.range,
        `There is no role \`${word.text}\`.`,
        suggestFor(word.text, known, report),
      );
  }
  // Beyond the limit, inherited roles would fill the memory. It is an error in any case.
  const bounded = new Map([...parents].slice(0, ROLES_MAX));
  const roles = [...bounded].map(([name, inherits]): Role => {
    const ancestors = ancestorsOf(name, bounded);
    const first = inherits[0];
    if (ancestors.has(name) && first !== undefined) {
      report.add(
        "role_cycle",
        first.range,
        `The role \`${name}\` inherits itself.`,
        "Remove one of the `inherits` in the circle.",
      );
    }
    return { name, inherits: [...ancestors].sort(), builtin: false, ...texts.get(name) };
  });
  const surplus = [...parents.keys()].slice(ROLES_MAX).map((name): Role => ({ name, inherits: [], builtin: false }));
  return [...builtinRoles.map((name): Role => ({ name, inherits: [], builtin: true })), ...roles, ...surplus];
}

function ancestorsOf(role: string, parents: ReadonlyMap<string, readonly Word[]>): Set<string> {
  const found = new Set<string>();
  const open = [role];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { text } of parents.get(next) ?? []) {
      if (!found.has(text)) {
        found.add(text);
        open.push(text);
      }
    }
  }
  return found;
}
