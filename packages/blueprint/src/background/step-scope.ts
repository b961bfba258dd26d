// What the readers of steps hand each other. Types alone.
import type { ValueShape } from "@plinth/expression";
import type { Egress, Retry, Step, StepAction } from "../model/background.ts";
import type { WorkPlace } from "./work-scope.ts";

export interface StepScope {
  readonly place: Omit<WorkPlace, "steps">;
  /** Outputs of the steps before; the reader of steps adds to it. */
  readonly outputs: Map<string, ValueShape>;
  /** Every id of the workflow. */
  readonly ids: Set<string>;
  /** Approvals behind which no step runs unless they were given; the reader of steps adds to it. */
  readonly given: Set<string>;
  /** How often a step tries that says nothing of it; null for the usual. */
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
  /** What `steps.<id>` is. */
  readonly output: ValueShape;
}
