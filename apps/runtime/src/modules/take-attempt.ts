// Takes one of a limited number of attempts. In: a limit and the key to count. Out: nothing, or a Fault. It takes the
// attempt before any work begins: a limit that counts afterwards would let all simultaneous requests through.
import { Fault } from "@plinth/service";
import { type AttemptLimit, networkOf } from "../identity/attempt-limit.ts";
import type { StoredLimit } from "../identity/stored-limit.ts";

/** @throws Fault rate_limited. */
export function takeAttempt(limit: AttemptLimit, key: string, detail: string = TOO_MANY): void {
  refuseUntil(limit.take(key), detail);
}

const TOO_MANY = "Too many attempts. Try again later.";

function refuseUntil(seconds: number, detail: string): void {
  if (seconds > 0) throw new Fault("rate_limited", { detail, headers: { "retry-after": String(seconds) } });
}

/** For a limit that all processes share. @throws Fault rate_limited. */
export async function takeStored(limit: StoredLimit, projectId: string, subject: string): Promise<void> {
  refuseUntil(await limit.take(projectId, subject), TOO_MANY);
}

/**
 * Checks and takes an attempt in one step before the work, and gives it back unless the work failed in the way that the
 * limit counts. The answer of a busy or broken server reveals nothing, so it isn't counted.
 */
export async function charged<T>(
  limit: AttemptLimit,
  key: string,
  counts: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  takeAttempt(limit, key);
  let spent = false;
  try {
    return await work();
  } catch (error) {
    spent = counts(error);
    throw error;
  } finally {
    if (!spent) limit.refund(key);
  }
}

export function networkKey(projectId: string, ip: string): string {
  return `${projectId}/${networkOf(ip)}`;
}
