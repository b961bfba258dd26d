// Relative times in the past and the future. A time in the future is rounded, not cut.
import { expect, test } from "vitest";
import { relativeTime } from "./relative-time.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [-20_000, "just now"],
  [-90_000, "1 minute ago"],
  [-5 * minute, "5 minutes ago"],
  [-47 * hour, "1 day ago"],
  [20_000, "just now"],
  [59.9 * minute, "in 1 hour"],
  [3 * hour - 1000, "in 3 hours"],
  [day - 1000, "in 1 day"],
  [2 * day - 1000, "in 2 days"],
  [40 * day, "in 1 month"],
])("%d ms from now is %j", (distance, expected) => {
  const now = Date.UTC(2026, 10, 22, 12);
  expect(relativeTime(now + distance, now)).toBe(expected);
});
