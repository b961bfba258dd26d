// The rows of a run's timeline: order, nesting and share of the whole, also while steps are in progress.
import type { RunStep } from "@plinth/control/router";
import { describe, expect, test } from "vitest";
import { type TimelineRow, timelineOf } from "./timeline.ts";

const start = Date.parse("2026-11-22T10:00:00Z");
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

function step(path: string, from: number, to: number | null, change: Partial<RunStep> = {}): RunStep {
  return {
    path,
    status: to === null ? "started" : "completed",
    attempts: 1,
    input: null,
    output: null,
    error: null,
    startedAt: at(from),
    endedAt: to === null ? null : at(to),
    nextAt: null,
    ...change,
  };
}

function rowsOf(steps: readonly RunStep[], ended: number | null, now = 10): readonly TimelineRow[] {
  const run = { createdAt: at(0), startedAt: at(0), endedAt: ended === null ? null : at(ended), steps, attempts: [] };
  return timelineOf(run, start + now * 1000).rows;
}

const outline = (rows: readonly TimelineRow[]): readonly string[] =>
  rows.map(({ depth, kind, name }) => `${"  ".repeat(depth)}${kind === "step" ? "" : `${kind} `}${name}`);

describe("order and nesting", () => {
  test("in order of start; members by number, below a step that has no row yet", () => {
    const members = [step("each/10", 3, 4), step("each/2", 2, 3), step("each/0", 1, 2)];
    const rows = rowsOf([...members, step("last", 5, null), step("first", 0, 1)], null);
    expect(outline(rows)).toEqual(["first", "each", "  member 0", "  member 2", "  member 10", "last"]);
    expect(rows[1]).toMatchObject({ step: null, status: "started", took: 3000 });
  });

  test("the row of a `for_each` is stored at its end, but starts with its first member", () => {
    const [each] = rowsOf([step("each", 4, 4, { status: "completed" }), step("each/0", 1, 4)], 10);
    expect(each).toMatchObject({
      path: "each",
      status: "completed",
      took: 3000,
      from: 0.1,
      length: expect.closeTo(0.3),
    });
  });

  test("error handlers and compensations are below their step and don't lengthen it", () => {
    const rows = rowsOf(
      [
        step("book", 0, 1),
        step("pay", 1, 2, { status: "failed" }),
        step("pay/on_error/tell", 2, 3),
        step("each/1/on_error/note", 4, 5),
        step("each/1", 3, 4, { status: "failed" }),
        step("book/compensate/unbook", 9, 10),
      ],
      10,
    );
    expect(outline(rows)).toEqual([
      "book",
      "  compensate unbook",
      "pay",
      "  on_error tell",
      "each",
      "  member 1",
      "    on_error note",
    ]);
    expect(rows[0]).toMatchObject({ from: 0, length: expect.closeTo(0.1) });
    expect(rows[1]).toMatchObject({ from: 0.9 });
    expect(rows[4]).toMatchObject({ status: "failed" });
  });
});

test("a step in progress lasts until now, one that has ended its own time, and no bar is outside the whole", () => {
  const rows = rowsOf([step("done", 0, 5), step("going", 5, null), step("late", 12, 13)], null, 10);
  expect(rows.map(({ took }) => took)).toEqual([5000, 5000, 1000]);
  for (const { from, length } of rows) {
    expect(from).toBeGreaterThanOrEqual(0);
    expect(from + length).toBeLessThanOrEqual(1.000001);
  }
  expect(rowsOf([step("skipped", 3, null, { status: "skipped" })], 10)[0]).toMatchObject({ took: 0 });
});

test("a run without steps, and a run without duration", () => {
  expect(rowsOf([], null)).toEqual([]);
  expect(rowsOf([step("a", 0, 0)], 0)).toMatchObject([{ from: 0, length: 0, took: 0 }]);
});

test("later attempts are marked at their start", () => {
  const attempts = [1, 2].map((attempt) => ({
    path: "call",
    attempt,
    startedAt: at(attempt * 2),
    endedAt: at(attempt * 2 + 1),
    error: null,
  }));
  const run = { createdAt: at(0), startedAt: at(0), endedAt: at(10), steps: [step("call", 2, 5)], attempts };
  expect(timelineOf(run, start).rows[0]?.retries).toEqual([0.4]);
});
