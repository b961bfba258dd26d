// The limiter of attempts, with a clock that the test controls.
import { describe, expect, it } from "vitest";
import { createAttemptLimit, networkOf } from "./attempt-limit.ts";

describe("an attempt limit", () => {
  it("allows its number at once, refills steadily, and says how long to wait", () => {
    let now = 0;
    const limit = createAttemptLimit({ attemptsMax: 3, windowMs: 30_000, clock: () => now });
    expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([0, 0, 0]);
    expect(limit.take("a")).toBe(10);
    expect(limit.take("b")).toBe(0);
    now = 9_999;
    expect(limit.take("a")).toBe(1);
    now = 10_000;
    expect([limit.take("a"), limit.take("a")]).toEqual([0, 10]);
    limit.refund("a");
    expect(limit.take("a")).toBe(0);
    now = 10_000_000;
    expect([1, 2, 3, 4].map(() => limit.take("a") === 0)).toEqual([true, true, true, false]);
  });

  it("forgets the least recently used key when there are too many", () => {
    const limit = createAttemptLimit({ attemptsMax: 1, windowMs: 1e9, keysMax: 2, clock: () => 0 });
    limit.take("a");
    limit.take("b");
    limit.take("c");
    expect(limit.wait("c")).toBeGreaterThan(0);
    expect(limit.wait("a")).toBe(0);
  });
});

describe("a network", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:db8::9", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
  ])("of %s is %s", (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });
});
