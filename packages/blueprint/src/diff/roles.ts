// Compares roles. In: the roles of two models, and the grants of the first, in the same words. Out: the changes between
// them. Nobody holds a new role until it is assigned; its rights are reported with the permissions.

import type { Entity, Role } from "../model/model.ts";
import type { Access } from "./access.ts";
import type { Change, ChangeClass, Witness } from "./change.ts";
import { changeOf, named, same } from "./make-change.ts";
import { capitalized, oneOf } from "./one-of.ts";

export function diffRoles(
  before: readonly Role[],
  after: readonly Role[],
  standing: readonly Entity[],
  access: Access | null,
): Change[] {
  const old = new Map(before.map((role) => [role.name, role]));
  const kept = new Set(after.map((role) => role.name));
  const changes = after.flatMap((role) => {
    const was = old.get(role.name);
    if (was === undefined) return role.builtin ? [] : [roleAdded(role)];
    const alike = same(was.inherits.toSorted(), role.inherits.toSorted());
    return [...(alike ? [] : [roleChanged(was, role, standing, access)]), ...wordsChanged(was, role)];
  });
  return [...changes, ...before.filter((role) => !kept.has(role.name)).map(roleRemoved)];
}

function roleAdded(role: Role): Change {
  const inherits = role.inherits.length === 0 ? "" : `, which inherits ${named(role.inherits)}`;
  return changeOf({
    kind: "role_added",
    path: `roles.${role.name}`,
    summary: `Add the role \`${role.name}\`${inherits}.`,
    classes: ["safe"],
    after: role.inherits,
  });
}

/** Holders of `admin` can do more than the grants on entities. */
function roleChanged(before: Role, after: Role, standing: readonly Entity[], access: Access | null): Change {
  const gained = after.inherits.filter((name) => !before.inherits.includes(name));
  const lost = before.inherits.filter((name) => !after.inherits.includes(name));
  const witness = access?.gainByRole(after, standing) ?? (gained.includes("admin") ? adminWitness(after) : null);
  const parts = [
    ...(gained.length > 0 ? [`now also hold ${named(gained)}`] : []),
    ...(lost.length > 0 ? [`no longer hold ${named(lost)}`] : []),
  ];
  const classes: ChangeClass[] = [
    ...(witness === null ? [] : (["loosens_access"] as const)),
    ...(lost.length > 0 ? (["breaking"] as const) : []),
  ];
  return changeOf({
    kind: "role_changed",
    path: `roles.${after.name}`,
    summary: `Holders of \`${after.name}\` ${parts.join(" and ")}.`,
    classes,
    before: before.inherits,
    after: after.inherits,
    witness,
  });
}

function wordsChanged(before: Role, after: Role): Change[] {
  const changed = (["label", "help"] as const).filter((word) => before[word] !== after[word]);
  return changed.map((word) =>
    changeOf({
      kind: "role_changed",
      path: `roles.${after.name}.${word}`,
      summary: `The role \`${after.name}\` gets another ${word === "label" ? "label" : "help text"}.`,
      classes: ["safe"],
      before: before[word],
      after: after[word],
    }),
  );
}

function adminWitness({ name }: Role): Witness {
  const summary = `${capitalized(oneOf(name))} can now do everything that an \`admin\` can, including with users and roles.`;
  return { role: name, operation: "update", entity: "user", decided: true, summary, record: {} };
}

function roleRemoved(role: Role): Change {
  return changeOf({
    kind: "role_removed",
    path: `roles.${role.name}`,
    summary: `Remove the role \`${role.name}\`. Its holders lose what it grants.`,
    classes: ["breaking"],
    before: role.inherits,
  });
}
