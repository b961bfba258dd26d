// The target project of an import, through the control API. In: batches. Out: their results. It sends a batch again if the answer
// was lost: the cell knows its position, so no row is stored twice.
import { setTimeout as pause } from "node:timers/promises";
import type { BatchOutcome, ImportBatch, ImportState, StepState } from "@plinth/control/router";
import { type ControlClient, isControlError } from "../../control-client.ts";

export interface Target {
  readonly control: ControlClient;
  readonly projectId: string;
  readonly source: string;
  readonly label: string;
  /** Called for each wait. */
  readonly onWait: (reason: string) => void;
}

export interface ImportBatchOptions {
  /** The organization of records without a column for it. */
  readonly organization: string | null;
}

/** The result of a batch. Null if its answer was lost after the batch was stored. */
export type Sent = { readonly outcome: BatchOutcome | null; readonly state: StepState };

const WAITS_MS = [500, 1_000, 2_000, 5_000, 5_000, 10_000, 10_000, 10_000, 10_000];

export async function openImport(target: Target): Promise<ImportState> {
  const { control, projectId, source, label } = target;
  return patiently(target, () => control.transfers.openImport.mutate({ projectId, source, label }));
}

/** An earlier import of the source, whether it is finished or not. Null if there is none. */
export async function findImport(target: Target): Promise<ImportState | null> {
  const { control, projectId, source } = target;
  try {
    return await patiently(target, () => control.transfers.findImport.query({ projectId, source }));
  } catch (error) {
    // Older control APIs and cells can't tell.
    if (isControlError(error) && error.data?.code === "NOT_FOUND") return null;
    throw error;
  }
}

export async function closeImport(target: Target): Promise<void> {
  const { control, projectId, source } = target;
  await patiently(target, () => control.transfers.closeImport.mutate({ projectId, source }));
}

/** Tries again while the cell is unavailable. */
export async function patiently<T>({ onWait }: Pick<Target, "onWait">, ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const wait = WAITS_MS[tries];
      if (wait === undefined || !isPassing(error)) throw error;
      onWait("the project's cell doesn't answer");
      await pause(wait);
    }
  }
}

/** @throws TRPCClientError if the cell refuses the whole batch, or stays unavailable. */
export async function sendBatch(target: Target, { tooLarge = [], ...rows }: ImportBatch): Promise<Sent> {
  // Older control APIs only accept batches without `tooLarge`.
  const batch: ImportBatch = tooLarge.length === 0 ? rows : { ...rows, tooLarge };
  for (let tries = 0; ; tries++) {
    try {
      const outcome = await target.control.transfers.takeBatch.mutate({ projectId: target.projectId, batch });
      return { outcome, state: outcome.state };
    } catch (error) {
      const isConflict = isControlError(error) && error.data?.code === "CONFLICT";
      if (!isConflict && !isPassing(error)) throw error;
      const wait = WAITS_MS[tries];
      if (wait === undefined) throw error;
      if (!isConflict) {
        target.onWait("the project's cell doesn't answer");
        await pause(wait);
      }
      if (batch.dry) continue;
      const position = await positionOf(target, batch.step.name);
      if (position === "unknown") {
        if (isConflict) await pause(wait);
        continue;
      }
      if (position !== null && position.lastKey === batch.last) return { outcome: null, state: position };
      if (isConflict && (position?.lastKey ?? null) !== batch.after) throw error;
    }
  }
}

/** The stored position of a step. Null before its first batch; `unknown` if the cell is still unavailable. */
async function positionOf(target: Target, step: string): Promise<StepState | null | "unknown"> {
  try {
    return (await openImport(target)).steps.find(({ name }) => name === step) ?? null;
  } catch {
    return "unknown";
  }
}

/** Temporary failures: a restart, a short loss of the network. */
function isPassing(error: unknown): boolean {
  if (!isControlError(error)) return false;
  return (
    error.data === undefined ||
    error.data === null ||
    error.data.code === "SERVICE_UNAVAILABLE" ||
    error.data.code === "TIMEOUT"
  );
}
