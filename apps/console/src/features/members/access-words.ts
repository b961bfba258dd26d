// A role and a scope in words, the same before they are given, before they are accepted, and afterwards.
// In: a role, a scope, the names of projects. Out: text for a person.
import type { MemberRole, MemberScope } from "@plinth/control/router";

/** What the role lets one do with what the scope opens. */
export function roleWords(role: MemberRole, scope: MemberScope["kind"]): string {
  if (role === "viewer") return "Reads blueprints, changes, records and the list of keys. Changes nothing.";
  return scope === "organization"
    ? "Changes everything: deploys, makes keys, edits records, creates projects, invites and removes members."
    : "Changes everything in these projects: deploys, makes keys, edits records. Can't create projects or invite members.";
}

/** `slugs` are those of the named projects, as far as the reader may know them. */
export function scopeWords(scope: MemberScope["kind"], slugs: readonly string[]): string {
  if (scope === "organization") return "All projects, also those to come";
  return slugs.length === 0 ? "No project" : slugs.join(", ");
}

export function roleName(role: MemberRole): string {
  return role === "owner" ? "Owner" : "Viewer";
}
