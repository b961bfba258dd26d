// Stage 4: the rate limit. In: the principal. Out: the allowance, for the reply's headers. It counts by address only if
// nothing else distinguishes callers, as for visitors who share a publishable key.
import { Fault } from "@plinth/service";
import { networkOf } from "../../identity/attempt-limit.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import type { Caller } from "../../project/principal.ts";
import type { Allowance, RateLimit, RateLimiter } from "../rate-limiter.ts";

export interface RateLimits {
  readonly limiter: RateLimiter;
  /** The limit for all callers of one project together. */
  readonly projectLimit: RateLimit;
}

/** All visitors of a page share its publishable key. Together they may send this many times as much as one of them. */
const VISITORS = 10;

export function limitRate(
  { limiter, projectLimit }: RateLimits,
  limit: RateLimit,
  { projectId, principal }: Caller,
  ip: string,
  /** In tokens: one for each record that the request writes. */
  cost = 1,
): Allowance {
  const allowance = limitCaller(limiter, limit, projectId, principal, ip, cost);
  if (!allowance.allowed) return allowance;
  // Checked after the caller's own limit, so that the refused requests of one caller take nothing from the others.
  const project = limiter.take(projectId, cost, projectLimit);
  return project.allowed ? allowance : project;
}

function limitCaller(
  limiter: RateLimiter,
  limit: RateLimit,
  projectId: string,
  principal: Caller["principal"],
  ip: string,
  cost: number,
): Allowance {
  switch (principal.kind) {
    case "key": {
      if (principal.keyKind === "secret") return limiter.take(principal.keyId, cost, limit);
      const visitor = limiter.take(`${principal.keyId} ${networkOf(ip)}`, cost, limit);
      if (!visitor.allowed) return visitor;
      const together = limiter.take(principal.keyId, cost, {
        perSecond: limit.perSecond * VISITORS,
        burst: limit.burst * VISITORS,
      });
      return together.allowed ? visitor : together;
    }
    case "user":
      return limiter.take(`${projectId} ${principal.userId}`, cost, limit);
    case "operator":
      return limiter.take(`${projectId} ${principal.email}`, cost, limit);
  }
}

/** The limit for one caller in the project's blueprint. */
export function limitOf({ bundle }: ActiveRelease): RateLimit {
  const { requestsPerSecond, burst } = bundle.limits;
  return { perSecond: requestsPerSecond, burst };
}

/** @throws Fault `rate_limited`. */
export function requireAllowance(allowance: Allowance): void {
  if (allowance.allowed) return;
  const { limit, retryAfterSeconds } = allowance;
  throw new Fault("rate_limited", {
    detail: `At most ${limit.perSecond} requests a second are allowed here, and ${limit.burst} at once.`,
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}
