// Seals and opens the bodies of deliveries. In: a body and what it belongs to. Out: text for a column, and the body
// again. Deliveries of one event that show the same share a body; a test has its own, as do deliveries from before
// bodies were shared.
import type { SecretBox } from "../identity/secret-box.ts";

/** The columns of a delivery from which its body is opened. */
export interface StoredBody {
  /** Its own; null if it shares one. */
  readonly body: string | null;
  readonly body_id: string | null;
  readonly shared: string | null;
}

/** SQL over the row `d`. */
export const STORED_BODY: string =
  "d.body, d.body_id, (SELECT b.body FROM plinth.webhook_bodies b WHERE b.id = d.body_id) AS shared";

export function sealOwnBody(box: SecretBox, project: string, delivery: string, body: string): string {
  return box.seal(Buffer.from(body), ownContext(project, delivery));
}

export function sealSharedBody(box: SecretBox, project: string, id: string, body: string): string {
  return box.seal(Buffer.from(body), sharedContext(project, id));
}

export function openSharedBody(box: SecretBox, project: string, id: string, sealed: string): string {
  return box.open(sealed, sharedContext(project, id)).toString("utf8");
}

/** @throws Error if it was altered, or its body is missing. */
export function openBody(
  box: SecretBox,
  project: string,
  delivery: string,
  { body, body_id: id, shared }: StoredBody,
): string {
  if (body !== null) return box.open(body, ownContext(project, delivery)).toString("utf8");
  if (id === null || shared === null) throw new Error("a delivery has no body");
  return openSharedBody(box, project, id, shared);
}

function ownContext(project: string, delivery: string): string {
  return `webhook-body/${project}/${delivery}`;
}

function sharedContext(project: string, id: string): string {
  return `webhook-shared-body/${project}/${id}`;
}
