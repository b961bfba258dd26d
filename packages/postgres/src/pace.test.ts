import { expect, test } from "vitest";
import { Noise, Pace } from "./pace.ts";

const runs = (pace: Pace, count: number, costMs: number, now = 0, noise = 1): void => {
  for (let i = 0; i < count; i++) pace.note(costMs, now, noise);
};

function earned(): Pace {
  const pace = new Pace(false);
  runs(pace, 3, 1);
  return pace;
}

test("a statement whose time depends on its rows reaches the fast lane after several short runs in a row", () => {
  const pace = new Pace(false);
  runs(pace, 2, 1);
  pace.note(30, 0);
  runs(pace, 2, 1);
  expect(pace.lane).toBe("slow");
  pace.note(1, 0);
  expect(pace.lane).toBe("fast");
});

test("one long run has no effect; a second one soon after it, or a long average, moves it back", () => {
  const twice = earned();
  twice.note(90, 1_000);
  expect(twice.lane).toBe("fast");
  twice.note(90, 2_000);
  expect(twice.lane).toBe("slow");
  const often = earned();
  for (let i = 0; i < 50; i++) often.note(12, i * 100);
  expect(often.lane).toBe("slow");
  const seldom = earned();
  for (let i = 0; i < 50; i++) seldom.note(i % 10 === 0 ? 60 : 0.3, i * 100);
  expect(seldom.lane).toBe("fast");
});

test("simultaneous long runs on several connections count as one stall of the machine", () => {
  const pace = earned();
  for (let i = 0; i < 6; i++) pace.note(90, 1_000 + i);
  expect(pace.lane).toBe("fast");
});

test("after a failed trial, counting starts again, and the expected cost of later trials doesn't change", () => {
  const pace = new Pace(false);
  runs(pace, 2, 1);
  pace.failTrial(0);
  runs(pace, 2, 1);
  expect(pace.lane).toBe("slow");
  pace.note(1, 0);
  expect(pace.lane).toBe("fast");
  expect(pace.expectedMs).toBeGreaterThan(0);
  expect(pace.expectedMs).toBeLessThan(5);
});

test("a statement that loses the fast lane repeatedly needs more and more short runs, until this is forgotten", () => {
  const pace = new Pace(false);
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

test("the pauses after failed trials double, until a trial succeeds", () => {
  const pace = new Pace(false);
  const pauseAfter = (now: number): number => {
    pace.failTrial(now);
    for (let ms = 0; ; ms += 10) if (pace.mayTry(now + ms)) return ms;
  };
  expect(pace.mayTry(0)).toBe(true);
  expect([1, 2, 3, 4].map((at) => pauseAfter(at * 100_000))).toEqual([100, 200, 400, 800]);
  for (let i = 5; i < 20; i++) pauseAfter(i * 100_000);
  expect(pauseAfter(2_000_000)).toBe(60_000);
  runs(pace, 3, 1, 3_000_000);
  expect(pauseAfter(4_000_000)).toBe(100);
});

test("a statement that is always short only leaves the fast lane because of a lock, and returns later through trials", () => {
  const pace = new Pace(true);
  runs(pace, 100, 30);
  expect(pace.lane).toBe("fast");
  pace.lose(1_000);
  expect(pace.lane).toBe("slow");
  expect(pace.mayTry(5_000)).toBe(false);
  expect(pace.mayTry(6_000)).toBe(true);
  expect(pace.lane).toBe("slow");
  runs(pace, 6, 1, 6_000);
  expect(pace.lane).toBe("fast");
});

test("after a lock, only a few runs of a statement go ahead at a time, until it is short again", () => {
  const pace = new Pace(true);
  pace.lose(1_000);
  expect(pace.expectedMs).toBeGreaterThanOrEqual(5);
  runs(pace, 30, 0.5, 7_000);
  expect(pace.expectedMs).toBeLessThan(1);
});

test("on a busy machine, all limits grow, so that no statement is wrongly slow", () => {
  const noise = new Noise();
  expect(noise.factor).toBe(1);
  for (let i = 0; i < 1_000; i++) noise.note(2);
  expect(noise.factor).toBeCloseTo(4, 1);
  const pace = earned();
  for (let i = 0; i < 50; i++) pace.note(20, i * 100, noise.factor);
  expect(pace.lane).toBe("fast");
  for (let i = 0; i < 1_000; i++) noise.note(10_000);
  expect(noise.factor).toBeLessThanOrEqual(10);
});
