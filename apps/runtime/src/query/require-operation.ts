// Checks whether a role has an operation at all. In: an entity, an operation and roles. Out: nothing, or a Fault. The
// rule in the statement judges records; this only checks roles.
import type { Operation } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { entityView, hasOperation } from "./entity-view.ts";

/** The roles of every signed-in user. */
const SIGNED_IN: readonly string[] = ["user", "owner"];

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
  const action = edge === null ? operation : `take the transition ${edge} of`;
  const isAnonymous = roles.length === 1 && roles[0] === "public";
  if (isAnonymous && hasOperation(entity, operation, SIGNED_IN)) {
    const detail = `No user is signed in. To ${action} ${entity.plural}, send a user's access token as Plinth-User-Token.`;
    throw new Fault("forbidden", { detail });
  }
  throw new Fault("forbidden", { detail: `Your role does not allow you to ${action} ${entity.plural}.` });
}
