// Stage 5: whether any role of the caller has the operation at all. In: the route and the principal. Out: nothing, or a Fault.
// It never judges a record: that is for the rule in the statement. What can't succeed costs no statement, though.
import type { Operation } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import { entityView, hasOperation } from "../../query/entity-view.ts";
import type { ActiveRelease, Principal } from "../contracts.ts";
import type { RouteMatch } from "../route-table.ts";

/** @throws Fault `forbidden`. */
export function permit(release: ActiveRelease, route: RouteMatch, principal: Principal): void {
  const operation: Operation = route.operation === "list" ? "read" : route.operation;
  if (principal.kind === "operator" && principal.readOnly && operation !== "read") {
    throw new Fault("forbidden", { detail: "A viewer may read only." });
  }
  const { entity } = entityView(release, route.entity);
  if (hasOperation(entity, operation, principal.roles)) return;
  throw new Fault("forbidden", { detail: `Your role does not allow you to ${operation} ${entity.plural}.` });
}
