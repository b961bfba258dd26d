// The results of an import of records, as a person reads them.
import { expect, test } from "vitest";
import type { PlannedStep } from "./import/data/import-plan.ts";
import type { StepResult } from "./import/data/run-import.ts";
import { printImportPlan, printResults } from "./print-data-import.ts";
import { createTerminal } from "./terminal.ts";

function printed(print: (terminal: ReturnType<typeof createTerminal>) => void): string {
  let text = "";
  const stream = {
    write: (part: string) => {
      text += part;
    },
  };
  print(createTerminal(stream, stream, undefined));
  return text;
}

const result: StepResult = {
  ...{ table: "public.jar", entity: "jar", kind: "records", found: 4, accepted: 4, refused: 0 },
  ...{ sourceChecksum: "1", checksum: "1", isWhole: true },
};

test("counts and checksums only agree if no row was refused", () => {
  const resultsOf = (more: Partial<StepResult>): string =>
    printed((terminal) => printResults(terminal, [{ ...result, ...more }], 1_000));
  expect(resultsOf({})).toContain("4 of 4 rows; counts and checksums agree");
  for (const more of [
    { accepted: 3, refused: 1 },
    { accepted: 0, refused: 4 },
  ]) {
    expect(resultsOf(more)).not.toMatch(/agree/);
    expect(resultsOf(more)).toContain("the import is not complete");
  }
});

test("the plan of an interrupted import says where it continues", () => {
  const step = { from: "public.jar", entity: "jar", kind: "records", columns: [], rows: 9 } as unknown as PlannedStep;
  const plan = { steps: [step], problems: [], left: [] };
  const samples = new Map([[step, { before: 5, judged: 4, refused: 0, refusals: [] }]]);
  const text = printed((terminal) => printImportPlan(terminal, plan, samples));
  expect(text).toContain("5 rows are already read");
  expect(text).not.toContain("refused");
});
