// What ends a plan that records stand in the way of.
import type { Proposed } from "@plinth/compiler";
import type { StepMeasure } from "@plinth/control/router";
import { expect, test } from "vitest";
import { printBlocked } from "./print-refusals.ts";

type Step = Proposed["plan"]["steps"][number];

const steps = ["one", "two", "three"].map((id) => ({ id }) as Step);

function told(counts: readonly (number | null | "uncounted")[]): string {
  const lines: string[] = [];
  const out = (line: string): void => void lines.push(line);
  const measures = counts.map((count, index) => {
    const violators = count === null ? null : { count: count === "uncounted" ? null : count, samples: [] };
    return { stepId: steps[index]?.id, violators } as unknown as StepMeasure;
  });
  printBlocked({ out, err: out, paint: (_, text) => text, columns: null }, steps, measures);
  return lines.join("\n").trim();
}

test("a plan says at its end which steps records stand in the way of, and what to do", () => {
  expect(told([0, 3, null])).toBe(
    "This can't be deployed yet: records stand in the way of step 2.\n  Change those records, or what the file asks of them.",
  );
  expect(told([1, 0, 2])).toContain("in the way of steps 1, 3.");
});

test("nothing where no record does; what could not be counted is no record", () => {
  expect(told([0, null, 0])).toBe("");
  expect(told([0, "uncounted", 0])).toBe("");
});
