// Token buckets by key, in this process. In: a key, its limits and the time. Out: its bucket, refilled up to now. It
// never waits and never grows without limit: the least recently used bucket is forgotten first, and an unused bucket is
// full.
import type { Clock } from "./clock.ts";
import { RecentMap } from "./recent-map.ts";

export interface BucketLimit {
  readonly perSecond: number;
  /** The capacity of the bucket. */
  readonly burst: number;
}

export interface Bucket {
  /** The remaining tokens; the caller who takes some updates it. */
  tokens: number;
}

const KEYS_MAX = 50_000;

export class TokenBuckets {
  readonly #buckets: RecentMap<string, Bucket & { updatedMs: number }>;
  readonly #clock: Clock;

  constructor(clock: Clock, keysMax: number = KEYS_MAX) {
    this.#buckets = new RecentMap(keysMax);
    this.#clock = clock;
  }

  /** The current bucket: full if the key is new or forgotten. */
  bucket(key: string, limit: BucketLimit): Bucket {
    const now = this.#clock.now();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = { tokens: limit.burst, updatedMs: now };
      this.#buckets.set(key, bucket);
    }
    const elapsedMs = Math.max(0, now - bucket.updatedMs);
    bucket.tokens = Math.min(limit.burst, bucket.tokens + (elapsedMs / 1000) * limit.perSecond);
    bucket.updatedMs = now;
    return bucket;
  }
}

/** Whole seconds until the bucket has `wanted` tokens, at least 1; 0 if it has them. */
export function secondsUntil({ tokens }: Bucket, wanted: number, { perSecond }: BucketLimit): number {
  return tokens >= wanted ? 0 : Math.max(1, Math.ceil((wanted - tokens) / perSecond));
}
