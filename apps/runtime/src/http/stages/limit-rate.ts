// Stage 4: whether the caller may send this much, and now. In: the principal. Out: the allowance, for the reply's headers.
// It never counts by IP here: behind one address there are many callers, and one caller has many addresses.
import { Fault } from "@plinth/service";
import type { ActiveRelease, Caller, Incoming } from "../contracts.ts";
import type { Allowance, RateLimit, RateLimiter } from "../rate-limiter.ts";

export function limitRate(limiter: RateLimiter, limit: RateLimit, { projectId, principal }: Caller): Allowance {
  switch (principal.kind) {
    case "key":
      return limiter.take(principal.keyId, 1, limit);
    case "user":
      return limiter.take(`${projectId} ${principal.userId}`, 1, limit);
    case "operator":
      return limiter.take(`${projectId} ${principal.email}`, 1, limit);
  }
}

/** What the project's blueprint allows one caller. */
export function limitOf({ bundle }: ActiveRelease): RateLimit {
  const { requestsPerSecond, burst } = bundle.limits;
  return { perSecond: requestsPerSecond, burst };
}

/** @throws Fault `rate_limited`. */
export function requireAllowance(allowance: Allowance): void {
  if (allowance.allowed) return;
  throw new Fault("rate_limited", { headers: { "retry-after": String(allowance.retryAfterSeconds) } });
}

/** @throws Fault `payload_too_large`. */
export function limitBody({ bundle }: ActiveRelease, { body }: Incoming): void {
  if (body !== null && body.length > bundle.limits.bodyBytesMax) throw new Fault("payload_too_large");
}
