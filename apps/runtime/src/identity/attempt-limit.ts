// Counts attempts per key (an IP, or an IP with an account) in memory. In: a key. Out: whether another attempt is
// allowed. A bucket refills steadily. The number of keys is limited, and the least recently used key is forgotten
// first.
import { secondsUntil, TokenBuckets } from "@plinth/service";

export interface AttemptLimit {
  /** Takes one attempt. Returns 0, or the seconds until the next one is free. */
  take(key: string): number;
  /** Gives an attempt back, because it was no failure. */
  refund(key: string): void;
  /** Seconds until an attempt is free, without taking one (0: now). */
  wait(key: string): number;
}

const KEYS_MAX = 20_000;

/** Allows `attemptsMax` at once, refilled over `windowMs`. @param clock Monotonic milliseconds. */
export function createAttemptLimit(options: {
  readonly attemptsMax: number;
  readonly windowMs: number;
  readonly keysMax?: number;
  readonly clock: () => number;
}): AttemptLimit {
  const { attemptsMax, windowMs, clock, keysMax = KEYS_MAX } = options;
  const limit = { burst: attemptsMax, perSecond: (attemptsMax / windowMs) * 1000 };
  const buckets = new TokenBuckets({ now: clock }, keysMax);
  return {
    take(key) {
      const bucket = buckets.bucket(key, limit);
      const wait = secondsUntil(bucket, 1, limit);
      if (wait === 0) bucket.tokens -= 1;
      return wait;
    },
    refund(key) {
      const bucket = buckets.bucket(key, limit);
      bucket.tokens = Math.min(attemptsMax, bucket.tokens + 1);
    },
    wait: (key) => secondsUntil(buckets.bucket(key, limit), 1, limit),
  };
}

/** The key for one end of the network: an IPv4 address, or the /64 in which an IPv6 host can change its address. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!ip.includes(":")) return ip;
  const [head = "", tail] = ip.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const after = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  while (groups.length + after.length < 8 && groups.length < 4) groups.push("0");
  return [...groups, ...after].slice(0, 4).join(":");
}
