// Whether a role has an operation at all. In: an entity, an operation and roles. Out: nothing, or a Fault. It never judges a
// record: that is for the rule in the statement.
import type { Operation } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { entityView, hasOperation } from "./entity-view.ts";

/** @throws Fault `forbidden`. */
export function requireOperation(
  release: ActiveRelease,
  name: string,
  operation: Operation,
  roles: readonly string[],
): void {
  const { entity } = entityView(release, name);
  if (hasOperation(entity, operation, roles)) return;
  const edge = operation.startsWith("transition:") ? operation.slice("transition:".length) : null;
  const deed = edge === null ? operation : `take the transition ${edge} of`;
  throw new Fault("forbidden", { detail: `Your role does not allow you to ${deed} ${entity.plural}.` });
}
