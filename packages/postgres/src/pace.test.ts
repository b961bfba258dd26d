import { expect, test } from "vitest";
import { Pace } from "./pace.ts";

const runs = (pace: Pace, count: number, costMs: number, now = 0): void => {
  for (let i = 0; i < count; i++) pace.note(costMs, now);
};

test("a statement whose time depends on its rows earns the fast lane by short runs in a row", () => {
  const pace = new Pace("slow");
  runs(pace, 2, 1);
  pace.note(30, 0);
  runs(pace, 2, 1);
  expect(pace.lane).toBe("slow");
  pace.note(1, 0);
  expect(pace.lane).toBe("fast");
});

test("one long run loses the fast lane, and so does an average that is too long", () => {
  const once = new Pace("fast");
  runs(once, 100, 0.1);
  once.note(90, 0);
  expect(once.lane).toBe("slow");
  const often = new Pace("fast");
  runs(often, 50, 12);
  expect(often.lane).toBe("slow");
  const seldom = new Pace("fast");
  for (let i = 0; i < 50; i++) runs(seldom, 1, i % 10 === 0 ? 12 : 0.3);
  expect(seldom.lane).toBe("fast");
});

test("who loses it again and again has to earn it longer and longer, until it is forgiven", () => {
  const pace = new Pace("slow");
  const needed = (now: number): number => {
    for (let count = 0; ; count++) {
      if (pace.lane === "fast") return count;
      pace.note(1, now);
    }
  };
  const counts = Array.from({ length: 12 }, (_, i) => {
    const count = needed(1_000 + i);
    pace.lose(1_000 + i);
    return count;
  });
  expect(counts.slice(0, 5)).toEqual([3, 6, 12, 24, 48]);
  expect(Math.max(...counts)).toBe(512);
  expect(needed(1_000_000)).toBe(3);
});
