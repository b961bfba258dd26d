// Who sends a request, before anything is known of a credential. In: the head. Out: a short text that tells two callers apart. It
// is no proof of anything: whoever makes credentials up is as many callers as they like.
import { networkOf } from "../../identity/attempt-limit.ts";

/** Two keys differ there, and two tokens: those of a project's users begin alike for longer than that. */
const TOLD_APART = 64;

export function callerOf(authorization: string | undefined, ip: string): string {
  if (authorization === undefined) return networkOf(ip);
  // A copy: what is sliced off a text keeps all of it in memory, and a header may have 16 kB.
  return Buffer.from(authorization.slice(-TOLD_APART), "latin1").toString("latin1");
}
