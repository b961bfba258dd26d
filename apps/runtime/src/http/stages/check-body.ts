// Stage 7: checks whether the body has the shape that its route takes. In: bytes. Out: texts and problems, the same for
// every caller. It never blocks the event loop: a thread checks large bodies.
import type { ActiveRelease } from "../../project/active-release.ts";
import { type CheckedBody, checkBody } from "../../records/check-body.ts";
import { checkerOf, shapeOf } from "../../records/checkers.ts";
import type { BodyThreads } from "../body/body-threads.ts";
import type { Incoming } from "../contracts.ts";
import { requireJsonType } from "../json-type.ts";
import type { RouteMatch } from "../route-table.ts";

/** Smaller bodies are checked faster here than they could be sent to the thread. */
export const LARGE_BYTES = 65_536;

/** Null if the route takes no body, or none was sent. @throws Fault 400, 413, 415, 422 (not an object), 503. */
export function checkRequestBody(
  threads: BodyThreads,
  release: ActiveRelease,
  route: RouteMatch,
  incoming: Incoming,
): CheckedBody | null | Promise<CheckedBody> {
  const { operation, entity } = route;
  const { body } = incoming;
  if (
    operation === "list" ||
    operation === "aggregate" ||
    operation === "read" ||
    operation === "delete" ||
    body === null
  )
    return null;
  requireJsonType(incoming);
  const kind = bodyKindOf(route);
  return body.length > LARGE_BYTES
    ? threads.check(release.projectId, shapeOf(release, entity, kind), body)
    : checkBody(checkerOf(release, entity, kind), body);
}

/** The body of a transition or a restore is checked like an update's. */
export function bodyKindOf({ operation }: RouteMatch): "create" | "update" {
  return operation === "create" ? "create" : "update";
}
