// Finds out what is known about a call whose process ended before its answer came, and limits the size of answers in a
// run. In: the step and its row. Out: its output, that it can be repeated, or that only a person can tell.
import type { JsonValue } from "@plinth/bundle";
import type { Room } from "../project/room.ts";
import type { Caller, OutsideAction } from "./call-out.ts";
import type { StepError, StepRow } from "./run.ts";
import { StepFailed } from "./step-failed.ts";

export type KnownCall =
  | { readonly kind: "completed"; readonly output: JsonValue }
  | { readonly kind: "not_made" }
  | { readonly kind: "unknown"; readonly error: StepError };

export async function knownCall(
  caller: Caller,
  action: OutsideAction,
  { error }: Pick<StepRow, "error">,
): Promise<KnownCall> {
  try {
    const output = await caller.known(action);
    return output === null ? { kind: "not_made" } : { kind: "completed", output };
  } catch (failed) {
    if (!(failed instanceof StepFailed)) throw failed;
    return { kind: "unknown", error: error ?? { code: failed.code, message: failed.message } };
  }
}

/** The service has already acted, as if only its answer were too large. @throws StepFailed. */
export function keepAnswer(room: Room, output: JsonValue): void {
  try {
    room.take(output);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    throw new StepFailed("too_large", message, { isFinal: true, isUnknown: true });
  }
}
