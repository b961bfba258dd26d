// The page polls while a deployment can still progress, and offers to resume only if that is possible.
import type { Deployment } from "@plinth/control/router";
import { expect, test } from "vitest";
import { canResume, isUnderWay, isUnfinished } from "./progress.ts";

function deployment(
  status: Deployment["status"],
  error: string | null,
  ...steps: Deployment["steps"][number]["status"][]
) {
  return {
    status,
    error,
    steps: steps.map((each, index) => ({
      id: String(index),
      summary: "",
      status: each,
      startedAt: null,
      finishedAt: null,
      error: null,
      rows: null,
    })),
  };
}

test.each([
  [deployment("queued", null, "pending"), true],
  [deployment("migrating", null, "done", "running"), true],
  [deployment("active", null, "done", "running"), true],
  [deployment("active", null, "done", "pending"), true],
  [deployment("active", null, "done", "done"), false],
  [deployment("active", "a step failed", "done", "failed", "pending"), false],
  [deployment("failed", "a step failed", "failed", "pending"), false],
  [deployment("superseded", null, "done"), false],
])("%j is running: %s", (state, isRunning) => {
  expect(isUnderWay(state)).toBe(isRunning);
});

test("a deployment that failed before it was live can be resumed, and so can the last steps of a live one", () => {
  const failed = deployment("failed", "a step failed", "failed");
  const unfinished = deployment("active", "a step failed", "done", "failed");
  expect(canResume({ status: "approved" }, failed, false)).toBe(true);
  expect(canResume({ status: "rejected" }, failed, false)).toBe(false);
  expect(canResume({ status: "stale" }, failed, false)).toBe(false);
  expect(isUnfinished(unfinished)).toBe(true);
  expect(canResume({ status: "deployed" }, unfinished, true)).toBe(true);
  expect(canResume({ status: "deployed" }, unfinished, false)).toBe(false);
  expect(canResume({ status: "deployed" }, deployment("active", null, "done"), true)).toBe(false);
  expect(canResume({ status: "approved" }, deployment("migrating", null, "running"), false)).toBe(false);
});
