// Stage 6: whether the caller may do such a thing at all. In: what matched, and the principal. Out: the
// same, or a Fault.
// It never judges a record: that is for the rule in the statement. What can't succeed costs no statement, though.
import type { Operation } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../../project/active-release.ts";
import type { Principal } from "../../project/principal.ts";
import { requireOperation } from "../../query/require-operation.ts";
import type { Head } from "../contracts.ts";
import type { RouteMatch } from "../route-table.ts";
import type { Matched } from "./match-route.ts";

export type Permitted = Exclude<Matched, { readonly kind: "none" }>;

/** @throws Fault `forbidden`, or the one that says why nothing matched. */
export function permit(release: ActiveRelease, matched: Matched, principal: Principal, { method }: Head): Permitted {
  if (matched.kind === "none") throw matched.fault;
  // Here, so that no module can forget it.
  if (principal.kind === "operator" && principal.readOnly && method !== "GET") {
    throw new Fault("forbidden", { detail: "A viewer may read only." });
  }
  if (matched.kind === "module") return matched;
  const { route } = matched;
  requireOperation(release, route.entity, operationOf(route), principal.roles);
  return matched;
}

export function operationOf({ operation, edge }: RouteMatch): Operation {
  if (operation === "transition") return `transition:${edge ?? ""}`;
  return operation === "list" ? "read" : operation;
}
