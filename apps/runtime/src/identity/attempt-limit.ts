// Counts attempts per key (an IP, or an IP with an account) in memory. In: a key. Out: whether one more may be made.
// A bucket refills steadily; the number of keys is bounded, and the key least recently used is forgotten first.

export interface AttemptLimit {
  /** Takes one attempt; answers 0, or the seconds until the next one is free. */
  take(key: string): number;
  /** Gives an attempt back: it was no failure. */
  refund(key: string): void;
  /** Seconds until an attempt is free, without taking one (0: now). */
  wait(key: string): number;
}

/** `attemptsMax` at once, refilled over `windowMs`. @param clock Monotonic milliseconds. */
export function createAttemptLimit(options: {
  readonly attemptsMax: number;
  readonly windowMs: number;
  readonly keysMax?: number;
  readonly clock: () => number;
}): AttemptLimit {
  const { attemptsMax, windowMs, clock, keysMax = 20_000 } = options;
  const perMs = attemptsMax / windowMs;
  const buckets = new Map<string, { tokens: number; at: number }>();

  function bucketOf(key: string): { tokens: number; at: number } {
    const now = clock();
    const known = buckets.get(key);
    const bucket = known ?? { tokens: attemptsMax, at: now };
    bucket.tokens = Math.min(attemptsMax, bucket.tokens + (now - bucket.at) * perMs);
    bucket.at = now;
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > keysMax) {
      const oldest = buckets.keys().next();
      if (!oldest.done) buckets.delete(oldest.value);
    }
    return bucket;
  }

  const waitOf = (bucket: { tokens: number }): number =>
    bucket.tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000));

  return {
    take(key) {
      const bucket = bucketOf(key);
      const wait = waitOf(bucket);
      if (wait === 0) bucket.tokens -= 1;
      return wait;
    },
    refund(key) {
      const bucket = bucketOf(key);
      bucket.tokens = Math.min(attemptsMax, bucket.tokens + 1);
    },
    wait: (key) => waitOf(bucketOf(key)),
  };
}

/** The key that one network end counts under: an IPv4 address, or the /64 that an IPv6 host can roam in. */
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
