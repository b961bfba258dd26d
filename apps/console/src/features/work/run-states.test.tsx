// States of a run that are hard to reach in a browser: the view of a viewer, a step that waits for another run, a step that is retried.
import type { Run, RunStep, RunWait } from "@plinth/control/router";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ApprovalCard } from "./approval-card.tsx";
import { RunTimeline } from "./run-timeline.tsx";
import { StepDetail } from "./step-detail.tsx";
import { timelineOf } from "./timeline.ts";

function text(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&#x27;", "'")
    .replaceAll(/\s+/g, " ");
}

const at = "2026-11-22T10:00:00.000Z";
const call: RunStep = {
  path: "call",
  status: "failed",
  attempts: 3,
  input: { amount: 5 },
  output: null,
  error: { code: "timeout", message: "It took too long." },
  startedAt: at,
  endedAt: "2026-11-22T10:00:04.000Z",
  nextAt: null,
};
const run: Run = {
  id: "0192f000-0000-7000-8000-000000000001",
  workflow: "charge",
  kind: "workflow",
  status: "failed",
  eventId: null,
  eventName: null,
  causedBy: null,
  depth: 0,
  requestId: null,
  actorKind: null,
  actorId: null,
  error: null,
  createdAt: at,
  startedAt: at,
  endedAt: "2026-11-22T10:00:10.000Z",
  cancelled: false,
  record: null,
  steps: [call],
  attempts: [
    { path: "call", attempt: 1, startedAt: at, endedAt: "2026-11-22T10:00:01.000Z", error: call.error },
    { path: "call", attempt: 2, startedAt: "2026-11-22T10:00:02.000Z", endedAt: null, error: null },
    { path: "other", attempt: 2, startedAt: at, endedAt: null, error: null },
  ],
  waits: [],
};
const approval: RunWait = {
  path: "ask",
  kind: "approval",
  event: null,
  until: null,
  roles: ["admin", "cook"],
  answer: null,
  createdAt: at,
};

function detail(step: RunStep, change: Partial<Run> = {}, mayAct = true): string {
  const shown = { ...run, ...change };
  return renderToStaticMarkup(
    <StepDetail projectId="prj_1" run={shown} step={step} onRetry={mayAct ? () => {} : null} />,
  );
}

test("a failed step shows its error, its attempts and its input, and can be retried from there", () => {
  const shown = text(detail(call));
  for (const part of ["took 4.0 s, 3 attempts", "timeout It took too long.", "1. ", "2. ", "&quot;amount&quot;: 5"]) {
    expect(shown).toContain(part);
  }
  expect(shown).toContain("Retry from this step");
  expect(shown).not.toContain("Output");
});

test.each([
  ["to a viewer", detail(call, {}, false)],
  ["while the run is in progress", detail(call, { status: "running" })],
  ["of a completed run", detail(call, { status: "completed" })],
  ["from a compensation", detail({ ...call, path: "book/compensate/unbook" })],
])("no retry from a step %s", (_, markup) => expect(text(markup)).not.toContain("Retry from this step"));

test("a step that waits for another run links to it", () => {
  const waiting: RunStep = { ...call, status: "waiting", error: null, endedAt: null };
  const wait: RunWait = { ...approval, path: "call", kind: "run", event: "0192f000-0000-7000-8000-00000000000a" };
  const markup = detail(waiting, { status: "waiting", waits: [wait] });
  expect(markup).toContain(`href="/projects/prj_1/work/runs/${wait.event}"`);
  expect(text(markup)).toContain("It waits for the run 0192f000…00000a");
});

test("a viewer sees whose approval the run waits for, and can't approve", () => {
  const card = (mayAct: boolean): string =>
    text(
      renderToStaticMarkup(
        <ApprovalCard wait={approval} message="Pay 12 EUR back?" mayAct={mayAct} pending={null} onAnswer={() => {}} />,
      ),
    );
  expect(card(false)).toContain("needs the approval of admin or cook");
  expect(card(false)).not.toContain("Refuse");
  expect(card(true)).toContain("Refuse");
  expect(card(false)).toContain("Pay 12 EUR back?");
});

test("the console offers an answer only if an admin can approve", () => {
  const card = (roles: readonly string[]): string =>
    text(
      renderToStaticMarkup(
        <ApprovalCard
          wait={{ ...approval, roles: [...roles] }}
          message={null}
          mayAct
          pending={null}
          onAnswer={() => {}}
        />,
      ),
    );
  expect(card(["cook"])).not.toContain("Refuse");
  expect(card(["cook"])).toContain("The console acts as admin, and can't approve this");
  expect(card(["cook", "admin"])).toContain("Refuse");
});

test("the timeline describes its bars in words", () => {
  const markup = renderToStaticMarkup(
    <RunTimeline
      timeline={timelineOf(run, Date.parse(at))}
      chosen="call"
      onChoose={() => {}}
      waiting={new Map([["call", "waits for a run"]])}
    />,
  );
  expect(markup).toContain('aria-pressed="true"');
  expect(markup).toContain('aria-label="Failed"');
  // The bar covers 4 of 10 s; the second attempt began after 2 s.
  expect(markup).toContain("left:0%;width:40%");
  expect(markup).toContain("left:20%");
  expect(text(markup)).toMatch(/call 3 attempts .*waits for a run .*4\.0 s/);
});
