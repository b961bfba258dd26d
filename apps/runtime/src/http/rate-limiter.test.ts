// Token buckets with a clock that the test controls.
import { describe, expect, test } from "vitest";
import { createRateLimiter, rateLimitHeaders } from "./rate-limiter.ts";

describe("a token bucket", () => {
  test("allows a burst, then a rate, and says when to come back", () => {
    let now = 1_000_000;
    const limiter = createRateLimiter({ perSecond: 2, burst: 5 }, { now: () => now });
    for (let left = 4; left >= 0; left--) expect(limiter.take("a")).toMatchObject({ allowed: true, remaining: left });
    expect(limiter.take("a")).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 1, resetSeconds: 3 });
    now += 499;
    expect(limiter.take("a").allowed).toBe(false);
    now += 1;
    expect(limiter.take("a").allowed).toBe(true);
    now += 10_000;
    expect(limiter.take("a").remaining).toBe(4);
  });

  test("counts names separately, even if the clock goes back", () => {
    let now = 1_000_000;
    const limiter = createRateLimiter({ perSecond: 1, burst: 1 }, { now: () => now });
    expect(limiter.take("a").allowed).toBe(true);
    expect(limiter.take("b").allowed).toBe(true);
    now -= 60_000;
    expect(limiter.take("a").allowed).toBe(false);
    now += 1_000;
    expect(limiter.take("a").allowed).toBe(true);
  });

  test("remembers busy names when many others come", () => {
    const limiter = createRateLimiter({ perSecond: 1, burst: 1 }, { now: () => 1_000_000 });
    limiter.take("busy");
    for (let i = 0; i < 60_000; i++) {
      limiter.take(`n${i}`);
      if (i % 10_000 === 0) expect(limiter.take("busy").allowed).toBe(false);
    }
  });

  test("names its window and the rest", () => {
    const limiter = createRateLimiter({ perSecond: 100, burst: 200 }, { now: () => 0 });
    expect(rateLimitHeaders(limiter.take("a"))).toEqual({
      "ratelimit-policy": '"default";q=200;w=2',
      ratelimit: '"default";r=199;t=1',
    });
  });
});
