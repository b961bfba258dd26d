// The data for executing a run: its claim, its definition, and the parts that execute its steps. Types only.
import type { BundleStep, JsonValue, Values } from "@plinth/bundle";
import type { EvaluationContext } from "@plinth/expression";
import type { Subject } from "../events/event.ts";
import type { OwnEvent } from "../events/own-events.ts";
import type { CallerContext } from "./acting.ts";
import type { Actions } from "./actions.ts";
import type { Caller } from "./call-out.ts";
import type { Claimed } from "./run.ts";
import type { RunResult, RunWrites } from "./run-store.ts";
import type { IsSecret } from "./template.ts";

/** How the run's record is found if its event carries none. */
export interface Lookup {
  readonly entity: string;
  readonly where: Values;
}

export interface Interpreting {
  readonly claimed: Claimed;
  readonly steps: readonly BundleStep[];
  readonly lookup: Lookup | null;
  /** The caller in expressions; null if there is none. */
  readonly calledBy: CallerContext | null;
  /** The deadline, in ms since the epoch; null for none. */
  readonly deadlineMs: number | null;
  readonly output: (context: EvaluationContext) => JsonValue;
  /** The record as it is now; null if it is gone. Null itself: all steps see the record as it was in the event. */
  readonly readRecord: ((subject: Subject) => Promise<JsonValue>) | null;
  /** Called when the run has ended without success. */
  readonly onFailure: (result: RunResult) => void;
  /** Whether the release has Plinth's own event of this name. */
  readonly tells: (name: OwnEvent) => boolean;
  readonly store: RunWrites;
  readonly actions: Actions;
  readonly caller: Caller;
  readonly isSecret: IsSecret;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly isStopping: () => boolean;
}
