// Finds out which of the organizations' tables the live release has. In: a release. Out: which functions of
// organizations can be served. A release from before invitations existed is served without them, so that no statement
// names a missing table.
import { Fault } from "@plinth/service";
import type { ActiveRelease, ServedBundle } from "./active-release.ts";
import { hasModule } from "./has-module.ts";

/** `memberships`: without invitations, and without the organization that a user has chosen. */
export type OrganizationTables = "none" | "memberships" | "all";

export const INVITATIONS_TABLE = "organizations__invitations";

// Every request of a user needs it, so the tables are only searched once per release.
const known = new WeakMap<ServedBundle, OrganizationTables>();

export function organizationTables(release: ActiveRelease): OrganizationTables {
  let found = known.get(release.bundle);
  if (found === undefined) {
    found = find(release);
    known.set(release.bundle, found);
  }
  return found;
}

function find(release: ActiveRelease): OrganizationTables {
  if (!hasModule(release, "organizations")) return "none";
  return release.bundle.tables.some((table) => table.name === INVITATIONS_TABLE) ? "all" : "memberships";
}

/** @throws Fault deployment_required. */
export function requireInvitations(release: ActiveRelease): void {
  if (organizationTables(release) === "all") return;
  throw new Fault("deployment_required", {
    detail:
      "The project was deployed before invitations and chosen organizations existed. Deploy it again to create their tables. If nothing else changes, a changed comment in the blueprint is enough.",
  });
}
