// The types that the readers of steps share.
import type { ValueShape } from "@plinth/expression";
import type { Egress, Retry, Step, StepAction } from "../model/background.ts";
import type { WorkPlace } from "./work-scope.ts";

export interface StepScope {
  readonly place: Omit<WorkPlace, "steps">;
  /** Outputs of the earlier steps; the reader of steps adds to it. */
  readonly outputs: Map<string, ValueShape>;
  /** Every id of the workflow. */
  readonly ids: Set<string>;
  /** Approvals that must be given before any later step runs; the reader of steps adds to it. */
  readonly given: Set<string>;
  /** How often a step is tried by default; null for the usual number. */
  readonly retry: Retry | null;
  /** Whether a caller waits for it, with rights of their own. */
  readonly inAction: boolean;
  /** Whether all steps are one transaction. */
  readonly inTransaction: boolean;
  readonly depth: number;
}

export interface ReadSteps {
  readonly steps: readonly Step[];
  readonly egress: readonly Egress[];
}

export interface ActionScope {
  readonly place: WorkPlace;
  /** Whether a caller waits for it, with rights of their own. */
  readonly inAction: boolean;
}

export interface ReadAction {
  readonly action: StepAction;
  /** The shape of `steps.<id>`. */
  readonly output: ValueShape;
}
