// Checks the next rows of each step without writing. In: a plan and a project. Out: for each step the number of
// checked rows, and the rows that would be refused. In an import that was interrupted, they follow the last stored batch.
import { randomBytes } from "node:crypto";
import type { RowRefusal } from "@plinth/control/router";
import { findImport, type ImportBatchOptions, sendBatch, type Target } from "./cell.ts";
import type { PlannedStep } from "./import-plan.ts";

export interface Sample {
  /** The rows that an interrupted import has already read. */
  readonly before: number;
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
  const known = await findImport(target);
  // Records of an earlier import are found by their ids, which its salt determines.
  const salt = known?.salt ?? randomBytes(16).toString("hex");
  const pending = [...new Set(steps.map(({ entity }) => entity))];
  for (const planned of steps.filter(({ kind }) => kind === "records")) {
    const { step, batches } = planned.withSalt(salt);
    const bounds = { rowsMax: SAMPLE_ROWS, charsMax: SAMPLE_CHARS };
    const state = known?.finished === false ? known.steps.find(({ name }) => name === step.name) : undefined;
    const read = state?.read ?? 0;
    for await (const batch of batches(state?.lastKey ?? null, bounds, SAMPLE_ROWS)) {
      const { outcome } = await sendBatch(target, {
        source: target.source,
        step,
        after: null,
        ...batch,
        organization,
        dry: true,
        pending,
      });
      const before = samples.get(planned) ?? { before: read, judged: 0, refused: 0, refusals: [] };
      samples.set(planned, {
        before: read,
        judged: before.judged + batch.count + batch.tooLarge.length,
        refused: before.refused + (outcome?.refused ?? 0),
        refusals: [...before.refusals, ...(outcome?.refusals ?? [])].slice(0, SHOWN),
      });
    }
  }
  return samples;
}
