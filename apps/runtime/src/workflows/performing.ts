// What an action of a step is given, and what it answers. Types, and the commonest answer.
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
  /** What is known of it already; null at its first try. */
  readonly row: StepRow | null;
  readonly context: EvaluationContext;
  readonly claimed: Claimed;
  /** The record that the run is about; null where it is about none. */
  readonly subject: Subject | null;
  /** Who waits for it; null where it is a step of a run. */
  readonly caller: Acting<CallerPrincipal> | null;
  readonly open: TenantTransaction;
  /** Entities that other steps of the same transaction change: their records are locked when they are found. */
  readonly changes: ReadonlySet<string>;
}

export type ActionResult =
  | { readonly kind: "completed"; readonly output: JsonValue }
  /** `untilMs` null: until something wakes the run. */
  | { readonly kind: "waiting"; readonly untilMs: number | null };

export interface ActionsOptions {
  /** Of the workflows that the run began with; worked out where a step needs it. */
  readonly masks: () => WorkMasks;
  readonly release: ActiveRelease;
  readonly secretBox: SecretBox;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly now: () => number;
  readonly budget: WorkBudget;
}

export const completed = (output: JsonValue): ActionResult => ({ kind: "completed", output });
