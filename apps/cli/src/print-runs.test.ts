// Runs and events in a terminal: aligned, coloured only for people, and each failure with its reason.
import type { EventSummary, Run, RunStep, RunSummary, ScheduleState } from "@plinth/control/router";
import { expect, test } from "vitest";
import { eventLine, printRun, printRuns, printSchedules, printUsage } from "./print-runs.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

const now = Date.parse("2026-11-22T10:01:00Z");

function terminalOf(isTTY: boolean): { readonly terminal: Terminal; readonly lines: () => readonly string[] } {
  let text = "";
  const stream = { isTTY, columns: 120, write: (part: string) => (text += part) };
  return { terminal: createTerminal(stream, stream, undefined), lines: () => text.trimEnd().split("\n") };
}

const summary: RunSummary = {
  id: "0192f000-0000-7000-8000-000000000001",
  workflow: "bake",
  kind: "workflow",
  status: "waiting",
  eventId: "0192f000-0000-7000-8000-000000000002",
  eventName: "order.created",
  causedBy: null,
  depth: 0,
  requestId: "req_1",
  actorKind: "key",
  actorId: "key_1",
  error: null,
  createdAt: "2026-11-22T10:00:00.5+00:00",
  startedAt: "2026-11-22T10:00:00.5+00:00",
  endedAt: null,
};
const failed: RunSummary = {
  ...summary,
  workflow: "charge_card",
  status: "failed",
  error: { code: "timeout", step: "charge", attempts: 3 },
  endedAt: "2026-11-22T10:00:00.75+00:00",
};

function step(path: string, status: RunStep["status"], change: Partial<RunStep> = {}): RunStep {
  const times = { startedAt: summary.startedAt, endedAt: summary.startedAt, nextAt: null };
  return { path, status, attempts: 1, input: null, output: null, error: null, ...times, ...change };
}

test("a list has aligned columns", () => {
  const { terminal, lines } = terminalOf(false);
  printRuns(terminal, [summary, failed], now);
  expect(lines()).toEqual([
    "ID                                    WORKFLOW     STATUS   STARTED               TOOK    ERROR",
    "0192f000-0000-7000-8000-000000000001  bake         waiting  2026-11-22T10:00:00Z  59.5 s",
    "0192f000-0000-7000-8000-000000000001  charge_card  failed   2026-11-22T10:00:00Z  250 ms  timeout at charge",
  ]);
});

test("the use of the operator's limits, marked if it is near a limit", () => {
  const { terminal, lines } = terminalOf(false);
  const little = { used: 3, allowed: 200_000, near: false };
  const usage = {
    openRuns: { used: 170, allowed: 200, near: true },
    openWaits: little,
    activeRuns: { used: 8, allowed: 150, near: false },
    calls: null,
    keptEvents: little,
    keptRuns: little,
  };
  printUsage(terminal, usage);
  expect(lines()).toEqual([
    "LIMIT             USED  ALLOWED",
    "unfinished runs   170   200      85 %, near the limit",
    "open waits        3     200000   0 %",
    "runs in progress  8     150      5 %",
    "kept events       3     200000   0 %",
    "kept runs         3     200000   0 %",
  ]);
});

test("one run with its steps: their waits, and the reasons of failures", () => {
  const { terminal, lines } = terminalOf(false);
  const approval = { path: "taste", kind: "approval", event: null, until: null, roles: ["admin", "cook"] } as const;
  const run: Run = {
    ...summary,
    error: null,
    cancelled: false,
    record: { entity: "order", id: "0192f000-0000-7000-8000-0000000000aa" },
    steps: [
      step("mix", "completed"),
      step("mix/0", "failed", { attempts: 3, error: { code: "conflict", message: "No flour." } }),
      step("taste", "waiting", { endedAt: null }),
      step("glaze", "skipped"),
    ],
    attempts: [],
    waits: [{ ...approval, createdAt: summary.createdAt }],
  };
  printRun(terminal, run, now);
  expect(lines().slice(0, 3)).toEqual(["bake  waiting", `  id       ${run.id}`, "  started  2026-11-22T10:00:00Z"]);
  expect(lines()).toContain("  record   order 0192f000-0000-7000-8000-0000000000aa");
  expect(lines().slice(-5)).toEqual([
    "STEP   STATUS     TOOK",
    "mix    completed  0 ms",
    "mix/0  failed     0 ms    3 attempts; conflict: No flour.",
    "taste  waiting    59.5 s  waits for approval by admin, cook",
    "glaze  skipped",
  ]);
});

test("colours are only on a terminal, and don't change the alignment", () => {
  const { terminal, lines } = terminalOf(true);
  printRuns(terminal, [summary, failed], now);
  expect(lines()[2]).toContain("\u001b[31mfailed \u001b[0m  2026");
});

test("an event is a line", () => {
  const { id, actorKind, actorId, requestId } = summary;
  const event: EventSummary = {
    id,
    name: "order.created",
    at: "2026-11-22T10:00:00.123456+00:00",
    entity: "order",
    recordId: id,
    actorKind,
    actorId,
    requestId,
    causedBy: null,
  };
  expect(eventLine(terminalOf(false).terminal, event, 16)).toBe(
    `2026-11-22T10:00:00Z  order.created     ${id}  key key_1`,
  );
});

test("a schedule is a line: its times in words and as written, the next time, the last run, and who paused it", () => {
  const schedule: ScheduleState = {
    name: "nightly",
    cron: "0 2 * * *",
    timezone: "Europe/Berlin",
    run: "tidy",
    overlap: "skip",
    catchUp: "last",
    next: ["2026-11-23T01:00:00.000Z"],
    lastAt: "2026-11-22T01:00:00+00:00",
    lastRun: { id: summary.id, status: "needs_attention" },
    pausedAt: null,
    pausedBy: null,
    missed: 0,
  };
  const paused = {
    ...schedule,
    name: "weekly",
    lastAt: null,
    lastRun: null,
    pausedAt: summary.createdAt,
    pausedBy: "a@b.c",
  };
  const { terminal, lines } = terminalOf(false);
  printSchedules(terminal, [schedule, paused], () => "at 02:00 every day");
  expect(lines()).toEqual([
    "SCHEDULE  RUNS  WHEN                                          NEXT                  LAST",
    "nightly   tidy  at 02:00 every day (0 2 * * * Europe/Berlin)  2026-11-23T01:00:00Z  2026-11-22T01:00:00Z  needs attention",
    "weekly    tidy  at 02:00 every day (0 2 * * * Europe/Berlin)  paused                never                 since 2026-11-22T10:00:00Z by a@b.c",
  ]);
});
