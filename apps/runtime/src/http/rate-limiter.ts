// Counts how many requests a caller may still send: a token bucket for each name, in this process. In: a name. Out: the
// verdict.
import { type BucketLimit, type Clock, secondsUntil, TokenBuckets } from "@plinth/service";

export type RateLimit = BucketLimit;

export interface Allowance {
  readonly allowed: boolean;
  readonly limit: RateLimit;
  /** Whole requests left now. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until the next request is allowed, at least 1; 0 if this one is. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes `cost` tokens (default 1); 0 only looks. A full bucket allows a cost above its capacity, and must then earn
   * back the rest. `limit` replaces the limiter's own limit.
   */
  take(name: string, cost?: number, limit?: RateLimit): Allowance;
}

export function createRateLimiter(usual: RateLimit, clock: Clock): RateLimiter {
  const buckets = new TokenBuckets(clock);
  return {
    take(name, cost = 1, limit = usual) {
      const bucket = buckets.bucket(name, limit);
      const wanted = Math.min(limit.burst, Math.max(1, cost));
      const allowed = bucket.tokens >= wanted;
      if (allowed) bucket.tokens -= cost;
      return {
        allowed,
        limit,
        remaining: Math.max(0, Math.floor(bucket.tokens)),
        resetSeconds: Math.ceil((limit.burst - bucket.tokens) / limit.perSecond),
        retryAfterSeconds: allowed ? 0 : secondsUntil(bucket, wanted, limit),
      };
    },
  };
}

/** RateLimit header fields, draft-ietf-httpapi-ratelimit-headers-11. */
export function rateLimitHeaders(allowance: Allowance): Record<string, string> {
  const { burst, perSecond } = allowance.limit;
  return {
    "ratelimit-policy": `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    ratelimit: `"default";r=${allowance.remaining};t=${allowance.resetSeconds}`,
  };
}
