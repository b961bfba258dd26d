// Stage 6: checks whether the caller can make such a request at all. In: the matched route, and the principal. Out: the
// same, or a Fault. The rule in the statement judges records; this stage only saves statements that can't succeed.
import type { Operation } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../../project/active-release.ts";
import type { Principal } from "../../project/principal.ts";
import { entityView, hasOperation } from "../../query/entity-view.ts";
import { requireOperation } from "../../query/require-operation.ts";
import type { Head } from "../contracts.ts";
import type { RouteMatch } from "../route-table.ts";
import type { Performed } from "./match-route.ts";

export type Permitted = Exclude<Performed, { readonly kind: "none" }>;

/** @throws Fault `forbidden`, or the fault that explains why nothing matched. */
export function permit(release: ActiveRelease, matched: Performed, principal: Principal, { method }: Head): Permitted {
  if (matched.kind === "none") throw matched.fault;
  // Checked here, so that no module can forget it.
  if (principal.kind === "operator" && principal.readOnly && method !== "GET") {
    throw new Fault("forbidden", { detail: "A viewer can only read." });
  }
  if (matched.kind === "module") return matched;
  const { route } = matched;
  // Only the look-up of the record decides whether an upsert creates or updates.
  const operation =
    route.operation === "upsert" && mayUpdate(release, route, principal) ? "update" : operationOf(route);
  requireOperation(release, route.entity, operation, principal.roles);
  return matched;
}

function mayUpdate(release: ActiveRelease, { entity }: RouteMatch, { roles }: Principal): boolean {
  return hasOperation(entityView(release, entity).entity, "update", roles);
}

export function operationOf({ operation, edge }: RouteMatch): Operation {
  if (operation === "transition") return `transition:${edge ?? ""}`;
  switch (operation) {
    case "list":
    case "aggregate":
      return "read";
    case "upsert":
      return "create";
    case "update_many":
      return "update";
    case "delete_many":
      return "delete";
    default:
      return operation;
  }
}
