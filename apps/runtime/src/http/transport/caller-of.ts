// Identifies the sender of a request before any credential is checked. In: the head. Out: a short text that
// distinguishes callers. It proves nothing: anybody can invent credentials and appear as many callers.
import { networkOf } from "../../identity/attempt-limit.ts";

/**
 * Two keys differ in these characters, and so do two tokens. The tokens of one project's users have a longer common
 * beginning.
 */
const TOLD_APART = 64;

export function callerOf(authorization: string | undefined, ip: string): string {
  if (authorization === undefined) return networkOf(ip);
  // A copy: a slice would keep the whole header, up to 16 kB, in memory.
  return Buffer.from(authorization.slice(-TOLD_APART), "latin1").toString("latin1");
}
