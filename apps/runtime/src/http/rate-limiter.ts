// Counts what a caller may still send: a token bucket per name, in this process. In: a name. Out: the verdict.
import { type BucketLimit, type Clock, secondsUntil, TokenBuckets } from "@plinth/service";

export type RateLimit = BucketLimit;

export interface Allowance {
  readonly allowed: boolean;
  readonly limit: RateLimit;
  /** Whole requests left now. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until the next request is allowed, at least 1; 0 where this one is. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes `cost` tokens (1 unless given); 0 only looks. What costs more than a full bucket holds is allowed by a full one,
   * and owes the rest. `limit` stands in the place of the limiter's own.
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
