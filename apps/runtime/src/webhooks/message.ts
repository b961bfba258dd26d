// What is sent of an event. In: the event, and what its receiver may see of it. Out: the body, as the OpenAPI document has it. The
// same event and sight give the same bytes, at every attempt.
import type { ProjectEvent } from "../events/event.ts";
import type { Endpoint, Reader } from "./endpoint.ts";
import type { Sight } from "./judge.ts";

/** The name of a test's event. */
export const TEST_EVENT = "webhook.test";
/** An endpoint was disabled. */
export const DISABLED_EVENT = "webhook.endpoint_disabled";

/**
 * Characters of a body. A larger one tells the record by its id alone, as `payload: thin` has it: it is kept once for each
 * endpoint, and one large record would fill the disk by a thousand of them.
 */
const FULL_MAX = 100_000;

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
  const start = JSON.stringify(head).slice(0, -1);
  const thin = `${start},"record":${JSON.stringify({ id: event.recordId })},"old":null,"data":null}`;
  if (payload === "thin" && event.recordId !== null) return thin;
  const full = `${start},"record":${sight.record ?? "null"},"old":${sight.old ?? "null"},"data":${sight.data}}`;
  return full.length > FULL_MAX && event.recordId !== null ? thin : full;
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
