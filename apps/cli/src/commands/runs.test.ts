// The messages of the commands about runs and schedules: an unknown id, and the next steps.
import { expect, test } from "vitest";
import { nextSteps, requireRunId } from "./runs.ts";
import { noSchedule } from "./schedules.ts";

const id = "0192f000-0000-7000-8000-000000000001";

test("a run that needs attention shows each possible action", () => {
  const text = nextSteps({ id, status: "needs_attention" }, "shop").join("\n");
  for (const command of ["done", "fail", "retry"]) {
    expect(text).toContain(`plinth runs ${command} ${id} --project shop`);
  }
  expect(nextSteps({ id, status: "failed" }, "shop")).toEqual([]);
});

test("an invalid id of a run is refused with an explanation", () => {
  expect(() => requireRunId("nonsense", "shop")).toThrow(
    "`nonsense` is not the id of a run: `plinth runs list --project shop` shows the ids",
  );
  expect(() => requireRunId(id, "shop")).not.toThrow();
});

test("for an unknown schedule, the message names the existing ones", () => {
  expect(noSchedule("nightl", ["nightly", "yearly"]).message).toBe(
    "the live version has no schedule `nightl`: it has nightly, yearly",
  );
});
