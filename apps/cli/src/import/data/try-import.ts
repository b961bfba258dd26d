// Checks the first rows of each step without writing. In: a plan and a project. Out: for each step the number of
// checked rows, and the rows that would be refused.
import { randomBytes } from "node:crypto";
import type { RowRefusal } from "@plinth/control/router";
import { type ImportBatchOptions, sendBatch, type Target } from "./cell.ts";
import type { PlannedStep } from "./import-plan.ts";

export interface Sample {
  readonly judged: number;
  readonly refused: number;
  readonly refusals: readonly RowRefusal[];
}

const SAMPLE_ROWS = 1_000;
/** The size of a batch: larger rows are refused here and in the import. */
const SAMPLE_CHARS = 1_500_000;
const SHOWN = 5;

/** References to later records are not checked, and neither are steps that need them. */
export async function tryImport(
  target: Target,
  steps: readonly PlannedStep[],
  { organization }: ImportBatchOptions,
): Promise<ReadonlyMap<PlannedStep, Sample>> {
  const samples = new Map<PlannedStep, Sample>();
  const salt = randomBytes(16).toString("hex");
  const pending = [...new Set(steps.map(({ entity }) => entity))];
  for (const planned of steps.filter(({ kind }) => kind === "records")) {
    const { step, batches } = planned.withSalt(salt);
    const bounds = { rowsMax: SAMPLE_ROWS, charsMax: SAMPLE_CHARS };
    for await (const batch of batches(null, bounds, SAMPLE_ROWS)) {
      const { outcome } = await sendBatch(target, {
        source: target.source,
        step,
        after: null,
        ...batch,
        organization,
        dry: true,
        pending,
      });
      const before = samples.get(planned) ?? { judged: 0, refused: 0, refusals: [] };
      samples.set(planned, {
        judged: before.judged + batch.count + batch.tooLarge.length,
        refused: before.refused + (outcome?.refused ?? 0),
        refusals: [...before.refusals, ...(outcome?.refusals ?? [])].slice(0, SHOWN),
      });
    }
  }
  return samples;
}
