// The texts about a run: what it waits for, who can approve, how long it took; and the example of the empty page.
import { checkBlueprint } from "@plinth/blueprint";
import type { RunStep, RunWait } from "@plinth/control/router";
import { expect, test } from "vitest";
import { durationText } from "./duration.ts";
import { exampleBlueprint } from "./example.ts";
import { approvalAnswer, failureText, openApproval, waitText, waitWords } from "./run-words.ts";

const step: RunStep = {
  path: "ask",
  status: "waiting",
  attempts: 0,
  input: null,
  output: null,
  error: null,
  startedAt: "2026-11-22T10:00:00Z",
  endedAt: null,
  nextAt: "2026-11-22T11:00:00Z",
};
const wait: RunWait = {
  path: "ask",
  kind: "approval",
  event: null,
  until: null,
  roles: ["admin", "clerk", "boss"],
  answer: null,
  createdAt: "2026-11-22T10:00:00Z",
};

test("what a step waits for", () => {
  expect(waitText(step, [wait])).toBe("waits for approval by admin, clerk or boss");
  expect(waitText(step, [{ ...wait, kind: "event", event: "parcel.sent" }])).toBe("waits for the event parcel.sent");
  expect(waitWords(step, [{ ...wait, kind: "run", event: "r1" }])).toEqual({ kind: "run", runId: "r1" });
  expect(waitWords(step, [])).toEqual({ kind: "pause", text: "waits until its time", until: step.nextAt });
  expect(waitText({ ...step, status: "retrying" }, [])).toBe("will be retried");
  expect(waitText({ ...step, status: "completed" }, [wait])).toBe(null);
});

test("why a run failed, as text for a list", () => {
  expect(failureText({ code: "timeout", step: "charge", attempts: 3 })).toBe("timeout at charge, 3 attempts");
  expect(failureText({ code: "timeout", step: "charge", attempts: 1 })).toBe("timeout at charge");
  expect(failureText({ code: "too_many_runs", step: null, attempts: null })).toBe("too_many_runs");
});

test("an approval is open until it is answered, and only while the run has not ended", () => {
  const answered = { ...wait, answer: { approved: false, by: "ada@example.com", note: "too dear" } };
  expect(openApproval({ status: "waiting", waits: [wait] })).toBe(wait);
  expect(openApproval({ status: "waiting", waits: [answered] })).toBe(null);
  expect(openApproval({ status: "cancelled", waits: [wait] })).toBe(null);
  expect(approvalAnswer(answered)).toEqual({ approved: false, by: "ada@example.com", note: "too dear" });
  expect(approvalAnswer(wait)).toBe(null);
});

test.each([
  [0, "< 1 ms"],
  [12.4, "12 ms"],
  [999, "999 ms"],
  [1_000, "1.0 s"],
  [59_999, "59.9 s"],
  [60_000, "1 min"],
  [61_500, "1 min 1 s"],
  [3_600_000 * 26, "1 d 2 h"],
])("%d ms is %s", (ms, words) => expect(durationText(ms)).toBe(words));

test("the example is a valid blueprint", () => {
  const entities = "entities:\n  note: { fields: { title: string }, permissions: { admin: { all: true } } }\n";
  const { diagnostics } = checkBlueprint(`project: example\n${exampleBlueprint("note")}\n${entities}`);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
});
