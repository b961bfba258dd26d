// The input and the result of a step's action. Types, and the most common result.
import type { BundleStep, JsonValue } from "@plinth/bundle";
import type { EvaluationContext } from "@plinth/expression";
import type { TenantTransaction } from "@plinth/postgres";
import type { Subject } from "../events/event.ts";
import type { WorkBudget } from "../events/work-budget.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { CallerPrincipal } from "../project/principal.ts";
import type { WorkMasks } from "../project/work-masks.ts";
import type { Acting } from "./acting.ts";
import type { Claimed, StepRow } from "./run.ts";

export interface Performing {
  readonly step: BundleStep;
  readonly path: string;
  readonly key: string;
  /** Its row; null at its first attempt. */
  readonly row: StepRow | null;
  readonly context: EvaluationContext;
  readonly claimed: Claimed;
  /** The record of the run; null if it has none. */
  readonly subject: Subject | null;
  /** The waiting caller; null for a step of a run. */
  readonly caller: Acting<CallerPrincipal> | null;
  readonly open: TenantTransaction;
  /** Entities that other steps of the same transaction change. Their records are locked when they are found. */
  readonly changes: ReadonlySet<string>;
}

export type ActionResult =
  | { readonly kind: "completed"; readonly output: JsonValue }
  /** `untilMs` null: until something wakes the run. */
  | { readonly kind: "waiting"; readonly untilMs: number | null };

export interface ActionsOptions {
  /** The masks of the definition with which the run began; computed when a step needs them. */
  readonly masks: () => WorkMasks;
  readonly release: ActiveRelease;
  readonly secretBox: SecretBox;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly now: () => number;
  readonly budget: WorkBudget;
}

export const completed = (output: JsonValue): ActionResult => ({ kind: "completed", output });
