// Runs an import. In: a plan and a project. Out: for each step the numbers of rows that were read, stored and refused,
// and whether both sides have the same values. The next batch is read while the cell stores one. It continues where an earlier
// run stopped.
import type { StepState } from "@plinth/control/router";
import type { Batch } from "./batches.ts";
import { closeImport, type ImportBatchOptions, openImport, sendBatch, type Target } from "./cell.ts";
import { type PlannedStep, type SourceStep, titleOf } from "./import-plan.ts";
import type { Progress } from "./progress.ts";
import type { RefusalFile } from "./refusal-file.ts";

export interface StepResult {
  /** The table or the file. */
  readonly table: string;
  readonly entity: string;
  readonly kind: PlannedStep["kind"];
  /** The number of rows in the source. */
  readonly found: number;
  readonly accepted: number;
  readonly refused: number;
  /** The checksums of all rows of the source without the refused ones, and of the stored rows. */
  readonly sourceChecksum: string;
  readonly checksum: string;
  readonly isWhole: boolean;
}

export interface RunOptions extends ImportBatchOptions {
  readonly target: Target;
  readonly steps: readonly PlannedStep[];
  readonly refusals: RefusalFile;
  readonly progress: Progress;
}

export async function runImport(options: RunOptions): Promise<readonly StepResult[]> {
  const { target, steps } = options;
  const opened = await openImport(target);
  const made = steps.map((planned) => ({ planned, step: planned.withSalt(opened.salt) }));
  const states = new Map(opened.steps.map((state) => [state.name, state]));
  for (const { planned, step } of made) {
    const state = await runStep(options, planned, step, states.get(step.step.name) ?? null, opened);
    if (state !== null) states.set(step.step.name, state);
  }
  const results: StepResult[] = [];
  for (const { planned, step } of made) {
    results.push(compare(planned, await step.count(), states.get(step.step.name)));
  }
  await closeImport(target);
  return results;
}

async function runStep(
  { target, organization, refusals, progress }: RunOptions,
  planned: PlannedStep,
  { step, batches }: SourceStep,
  before: StepState | null,
  bounds: { readonly rowsMax: number; readonly charsMax: number },
): Promise<StepState | null> {
  let state = before;
  const of = planned.rows;
  if (before !== null) progress.add(titleOf(planned), before.read, of);
  for await (const batch of ahead(batches(before?.lastKey ?? null, bounds))) {
    const after: string | null = state?.lastKey ?? null;
    const sent = await sendBatch(target, {
      source: target.source,
      step,
      after,
      ...batch,
      organization,
      dry: false,
      pending: [],
    });
    state = sent.state;
    await refusals.add({ table: planned.from, entity: step.entity }, sent.outcome?.refusals ?? []);
    progress.add(titleOf(planned), batch.count + batch.tooLarge.length, of);
  }
  return state;
}

/** Reads the next batch while the last one is stored. */
async function* ahead(batches: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  let next = batches.next();
  // Its failure is handled where it is awaited.
  next.catch(() => {});
  for (;;) {
    const { value, done } = await next;
    if (done === true) return;
    next = batches.next();
    next.catch(() => {});
    yield value;
  }
}

function compare({ from, entity, kind }: PlannedStep, found: number, state: StepState | undefined): StepResult {
  const { accepted = 0, refused = 0, checksum = "0", sentChecksum = "0", refusedChecksum = "0" } = state ?? {};
  const sourceChecksum = String(BigInt(sentChecksum) - BigInt(refusedChecksum));
  const isWhole = found === accepted + refused && sourceChecksum === checksum;
  return { table: from, entity, kind, found, accepted, refused, sourceChecksum, checksum, isWhole };
}
