// How many events are handed on at once, after successes and failures.
import type { ProjectId } from "@plinth/bundle";
import { expect, it } from "vitest";
import { createDispatchPace } from "./dispatch-pace.ts";

const project = "prj_one" as ProjectId;

it("hands on fewer events and waits longer after each failure, and recovers after successes", () => {
  let nowMs = 0;
  const pace = createDispatchPace(() => nowMs);
  const waits: number[] = [];
  const batches: number[] = [];
  for (let failure = 0; failure < 7; failure++) {
    batches.push(pace.batchOf(project));
    pace.failed(project);
    const failedMs = nowMs;
    while (pace.batchOf(project) === 0) nowMs += 100;
    waits.push(nowMs - failedMs);
  }
  expect(batches).toEqual([500, 100, 20, 4, 1, 1, 1]);
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  expect(pace.batchOf("prj_other" as ProjectId)).toBe(500);
  for (let success = 0; success < 9; success++) pace.succeeded(project);
  expect(pace.batchOf(project)).toBe(500);
});
