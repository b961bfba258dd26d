// Texts about a role and a scope, for the form, the invitation and the list of members. In: a role, a scope, the names of projects. Out: text
// for a person.
import type { MemberRole, MemberScope } from "@plinth/control/router";

/** The rights of a role within a scope. */
export function roleWords(role: MemberRole, scope: MemberScope["kind"]): string {
  const whole = scope === "organization";
  switch (role) {
    case "viewer":
      return "Can read blueprints, changes, records and the list of keys. Can't change anything.";
    case "developer":
      return "Can draft and propose changes, deploy those that need no consent, change records, and retry work.";
    case "admin":
      return whole
        ? "Can also give consents, create and delete projects, and manage keys, connections, settings, members and invitations."
        : "Can also give consents, and manage the keys, connections and settings of these projects. Can't invite members.";
    case "owner":
      return whole
        ? "Can do everything, including naming owners and deleting the organization."
        : "Can do everything in these projects. Can't create projects or invite members.";
  }
}

/** From the lowest to the highest. */
export const allRoles: readonly MemberRole[] = ["viewer", "developer", "admin", "owner"];

/** `slugs`: the names of the projects, as far as the reader can see them. */
export function scopeWords(scope: MemberScope["kind"], slugs: readonly string[]): string {
  if (scope === "organization") return "All projects, including future ones";
  return slugs.length === 0 ? "No project" : slugs.join(", ");
}

export function roleName(role: MemberRole): string {
  return role.charAt(0).toUpperCase() + role.slice(1);
}
