// A role and a scope in words, the same before they are given, before they are accepted, and afterwards.
// In: a role, a scope, the names of projects. Out: text for a person.
import type { MemberRole, MemberScope } from "@plinth/control/router";

/** What the role lets one do with what the scope opens. */
export function roleWords(role: MemberRole, scope: MemberScope["kind"]): string {
  const whole = scope === "organization";
  switch (role) {
    case "viewer":
      return "Reads blueprints, changes, records and the list of keys. Changes nothing.";
    case "developer":
      return "Drafts and proposes changes, deploys those that owe no consent, edits records and retries work.";
    case "admin":
      return whole
        ? "Also gives consents, creates and deletes projects, and manages keys, connections, settings, members and invitations."
        : "Also gives consents, and manages the keys, connections and settings of these projects. Can't invite members.";
    case "owner":
      return whole
        ? "Does everything: also names owners and deletes the organization."
        : "Does everything in these projects. Can't create projects or invite members.";
  }
}

/** The lowest first. */
export const allRoles: readonly MemberRole[] = ["viewer", "developer", "admin", "owner"];

/** `slugs` are those of the named projects, as far as the reader may know them. */
export function scopeWords(scope: MemberScope["kind"], slugs: readonly string[]): string {
  if (scope === "organization") return "All projects, also those to come";
  return slugs.length === 0 ? "No project" : slugs.join(", ");
}

export function roleName(role: MemberRole): string {
  return role.charAt(0).toUpperCase() + role.slice(1);
}
