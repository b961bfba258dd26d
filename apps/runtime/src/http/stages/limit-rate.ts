// Stage 4: whether the caller may send more now. In: the principal. Out: the allowance, for the reply's headers.
// It never counts by IP here: behind one address there are many callers, and one caller has many addresses.
import { Fault } from "@plinth/service";
import type { Caller } from "../contracts.ts";
import type { Allowance, RateLimiter } from "../rate-limiter.ts";

export function limitRate(limiter: RateLimiter, { projectId, principal }: Caller): Allowance {
  switch (principal.kind) {
    case "key":
      return limiter.take(principal.keyId);
    case "user":
      return limiter.take(`${projectId} ${principal.userId}`);
    case "operator":
      return limiter.take(`${projectId} ${principal.email}`);
  }
}

/** @throws Fault `rate_limited`. */
export function requireAllowance(allowance: Allowance): void {
  if (allowance.allowed) return;
  throw new Fault("rate_limited", { headers: { "retry-after": String(allowance.retryAfterSeconds) } });
}
