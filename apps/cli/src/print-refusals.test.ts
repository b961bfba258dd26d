// The end of a plan with violating records.
import type { Proposed } from "@plinth/compiler";
import type { StepMeasure } from "@plinth/control/router";
import { expect, test } from "vitest";
import { printBlocked } from "./print-refusals.ts";

type Step = Proposed["plan"]["steps"][number];

const steps = ["one", "two", "three"].map((id) => ({ id }) as Step);

function printed(counts: readonly (number | null | "uncounted")[]): string {
  const lines: string[] = [];
  const out = (line: string): void => void lines.push(line);
  const measures = counts.map((count, index) => {
    const violators = count === null ? null : { count: count === "uncounted" ? null : count, samples: [] };
    return { stepId: steps[index]?.id, violators } as unknown as StepMeasure;
  });
  printBlocked({ out, err: out, paint: (_, text) => text, columns: null }, steps, measures);
  return lines.join("\n").trim();
}

test("a plan shows at its end the steps with violating records, and what to do", () => {
  expect(printed([0, 3, null])).toBe(
    "This can't be deployed yet: records violate step 2.\n  Change those records, or the rules in the file.",
  );
  expect(printed([1, 0, 2])).toContain("records violate steps 1, 3.");
});

test("prints nothing without violating records, or if they could not be counted", () => {
  expect(printed([0, null, 0])).toBe("");
  expect(printed([0, "uncounted", 0])).toBe("");
});
