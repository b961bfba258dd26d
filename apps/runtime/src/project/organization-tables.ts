// Which of the organizations' tables the live release has. In: a release. Out: how much of organizations can be served.
// A release that was deployed before there were invitations is served without them: it never meets a table that isn't there.
import { Fault } from "@plinth/service";
import type { ActiveRelease, ServedBundle } from "./active-release.ts";
import { hasModule } from "./has-module.ts";

/** `memberships`: without invitations and without what says which organization a user has chosen. */
export type OrganizationTables = "none" | "memberships" | "all";

export const INVITATIONS_TABLE = "organizations__invitations";

// Asked by each request of a user: a search through the tables is paid once for a release.
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
      "The project was deployed before invitations and chosen organizations existed. Deploy it once again, so that it gets their tables; where nothing else is to change, a changed comment in the blueprint is enough.",
  });
}
