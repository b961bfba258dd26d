// The outcome of a step or of a run's walk so far. Types, and the combination of several outcomes.
import type { StepError } from "./run.ts";

export type Outcome =
  | { readonly kind: "done" }
  /** Done, and the run was ended with its last step. */
  | { readonly kind: "ended" }
  /** `dueAtMs` null: until something wakes the run. */
  | { readonly kind: "parked"; readonly dueAtMs: number | null }
  | { readonly kind: "failed"; readonly error: StepError }
  | { readonly kind: "attention"; readonly error: StepError }
  | { readonly kind: "cancelled" };

export const done: Outcome = { kind: "done" };

/** The earlier of two times; null is never. */
export function soonest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
