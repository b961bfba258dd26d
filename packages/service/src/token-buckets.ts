// Token buckets by key, in this process. In: a key, what it may use and the time. Out: its bucket, refilled up to now.
// It never waits and never grows without bound: the bucket least recently used is forgotten first, and a bucket that rests is full.
import type { Clock } from "./clock.ts";
import { RecentMap } from "./recent-map.ts";

export interface BucketLimit {
  readonly perSecond: number;
  /** What a full bucket holds. */
  readonly burst: number;
}

export interface Bucket {
  /** What is left; whoever takes some writes it. */
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

  /** As it is now: full where the key is new or forgotten. */
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

/** Whole seconds until the bucket has `wanted` tokens, at least 1; 0 where it has them. */
export function secondsUntil({ tokens }: Bucket, wanted: number, { perSecond }: BucketLimit): number {
  return tokens >= wanted ? 0 : Math.max(1, Math.ceil((wanted - tokens) / perSecond));
}
