// The rights of members, in one table. In: a role and the level that an action needs. Out: whether the role has it. It never
// reads the scope of a membership; `access.ts` does.
import type { MemberRole, Rights } from "./api.ts";

/**
 * The level that an action needs. Each level includes those before it.
 * - `read`: sees projects and their records.
 * - `write`: drafts and proposes; approves and deploys changes without required consents; works with records.
 * - `manage`: members, keys, connections, consents, settings, the roles of end users; creates and deletes projects.
 * - `own`: names owners and deletes the organization.
 */
export type Level = "read" | "write" | "manage" | "own";

/** From the lowest to the highest. */
export const memberRoles: readonly ["viewer", "developer", "admin", "owner"] = [
  "viewer",
  "developer",
  "admin",
  "owner",
];

const highestLevel = { viewer: "read", developer: "write", admin: "manage", owner: "own" } as const satisfies Record<
  MemberRole,
  Level
>;

const levels: readonly Level[] = ["read", "write", "manage", "own"];

export function allows(role: MemberRole, level: Level): boolean {
  return levels.indexOf(highestLevel[role]) >= levels.indexOf(level);
}

export function rightsOf(role: MemberRole): Rights {
  return { write: allows(role, "write"), manage: allows(role, "manage"), own: allows(role, "own") };
}

/** Whether a role has rights that the other role lacks. */
export function isAbove(role: MemberRole, other: MemberRole): boolean {
  return memberRoles.indexOf(role) > memberRoles.indexOf(other);
}

/** The roles that have a level, for a refusal: "an admin or an owner". */
export function whoMay(level: Level): string {
  const named = { viewer: "a viewer", developer: "a developer", admin: "an admin", owner: "an owner" };
  const roles = memberRoles.filter((role) => allows(role, level)).map((role) => named[role]);
  return roles.length === 1 ? roles.join() : `${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}`;
}

/** The role of a member in the cell, when the member works with a project's records. */
export function cellRoleOf(role: MemberRole): "operator" | "viewer" {
  return allows(role, "write") ? "operator" : "viewer";
}
