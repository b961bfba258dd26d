// Counts what a caller may still send: a token bucket per name, in this process. In: a name and a time. Out: the verdict.
// It never waits and never grows without bound: a bucket unused for long is a full one, and is forgotten.
import type { Clock } from "@plinth/service";

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

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
  /** Takes `cost` tokens (1 unless given); 0 only looks. `limit` stands in the place of the limiter's own. */
  take(name: string, cost?: number, limit?: RateLimit): Allowance;
}

interface Bucket {
  tokens: number;
  updatedMs: number;
}

const BUCKETS_MAX = 50_000;

export function createRateLimiter(usual: RateLimit, clock: Clock): RateLimiter {
  // Two generations are an LRU without bookkeeping: what was not touched during a whole one is dropped.
  let young = new Map<string, Bucket>();
  let old = new Map<string, Bucket>();

  const bucketOf = (name: string, now: number, limit: RateLimit): Bucket => {
    let bucket = young.get(name);
    if (bucket !== undefined) return bucket;
    bucket = old.get(name) ?? { tokens: limit.burst, updatedMs: now };
    if (young.size >= BUCKETS_MAX) {
      old = young;
      young = new Map();
    }
    young.set(name, bucket);
    return bucket;
  };

  return {
    take(name, cost = 1, limit = usual) {
      const now = clock.now();
      const bucket = bucketOf(name, now, limit);
      const elapsedMs = Math.max(0, now - bucket.updatedMs);
      bucket.tokens = Math.min(limit.burst, bucket.tokens + (elapsedMs / 1000) * limit.perSecond);
      bucket.updatedMs = now;
      const allowed = bucket.tokens >= Math.max(1, cost);
      if (allowed) bucket.tokens -= cost;
      return {
        allowed,
        limit,
        remaining: Math.floor(bucket.tokens),
        resetSeconds: Math.ceil((limit.burst - bucket.tokens) / limit.perSecond),
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / limit.perSecond)),
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
