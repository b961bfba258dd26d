// Stage 5: the organization of the request. In: the header, and the principal. Out: its id, or null. A caller can only
// act in an organization that they belong to. The service never picks one for them: otherwise anybody who adds a person
// to an organization would get that person's next records.
import { Fault, isUuid } from "@plinth/service";
import type { Principal } from "../../project/principal.ts";
import { standsAboveOrganizations } from "../../project/principal.ts";
import type { Head } from "../contracts.ts";

const HEADER = "plinth-organization";

/** @throws Fault `bad_request` (no id), `organization_forbidden`. */
export function findOrganization(principal: Principal, head: Pick<Head, "headers">): string | null {
  const named = head.headers[HEADER];
  const memberships = principal.kind === "user" ? principal.memberships : [];
  if (named === undefined) return memberships.find((each) => each.chosen)?.organization ?? null;
  if (typeof named !== "string" || !isUuid(named)) {
    throw new Fault("bad_request", { detail: "Plinth-Organization must be the id of one organization." });
  }
  const id = named.toLowerCase();
  if (standsAboveOrganizations(principal) || memberships.some((each) => each.organization === id)) return id;
  throw new Fault("organization_forbidden");
}
