// What is sent of an event. In: the event, and what its receiver may see of it. Out: the body, as the OpenAPI document has it. The
// same event and sight give the same bytes, at every attempt.
import type { ProjectEvent } from "../events/event.ts";
import type { Endpoint, Reader } from "./endpoint.ts";
import type { Sight } from "./judge.ts";

/** The name of a test's event. */
export const TEST_EVENT = "webhook.test";

export function bodyOf(
  project: string,
  event: ProjectEvent,
  { payload }: Pick<Endpoint, "payload">,
  reader: Reader,
  sight: Sight,
): string {
  const { principal } = reader;
  const isOwn = principal.kind === "user" && principal.userId === event.actorId;
  // Who else acted is not what rules over records tell.
  const actor =
    isOwn || (principal.roles.includes("admin") && principal.kind === "key")
      ? { kind: event.actorKind, id: event.actorId }
      : { kind: null, id: null };
  const head = { id: event.id, name: event.name, project, at: event.at, actor, request_id: event.requestId };
  const isThin = payload === "thin" && event.recordId !== null;
  const record = isThin ? JSON.stringify({ id: event.recordId }) : (sight.record ?? "null");
  const old = isThin ? "null" : (sight.old ?? "null");
  return `${JSON.stringify(head).slice(0, -1)},"record":${record},"old":${old},"data":${isThin ? "null" : sight.data}}`;
}

export function testBody(project: string, { id, at }: { readonly id: string; readonly at: string }): string {
  const actor = { kind: null, id: null };
  return JSON.stringify({
    id,
    name: TEST_EVENT,
    project,
    at,
    actor,
    request_id: null,
    record: null,
    old: null,
    data: null,
  });
}

/** What seals a delivery's body. */
export function bodyContext(project: string, delivery: string): string {
  return `webhook-body/${project}/${delivery}`;
}
