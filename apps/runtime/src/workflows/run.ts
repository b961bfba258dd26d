// A run of a workflow, as stored in the project's tables. Types only.
import type { JsonValue } from "@plinth/bundle";
import type { RunKind, StepStatus } from "@plinth/service";
import type { ProjectEvent } from "../events/event.ts";

export interface Run {
  readonly id: string;
  readonly workflow: string;
  readonly kind: RunKind;
  /** The release with which the run began. */
  readonly definition: string;
  readonly input: JsonValue;
  readonly depth: number;
  readonly causedBy: string | null;
  readonly requestId: string | null;
  readonly actorKind: string | null;
  readonly actorId: string | null;
  readonly organization: string | null;
  /** For an action: its caller, in the form of `acting.ts`; null if there is none. */
  readonly caller: JsonValue;
  /** RFC 3339: `now` in its conditions, the same for every evaluation. */
  readonly createdAt: string;
}

export interface StepRow {
  readonly path: string;
  readonly status: StepStatus;
  readonly key: string;
  readonly attempts: number;
  readonly output: JsonValue;
  readonly error: StepError | null;
  readonly nextAt: string | null;
}

export interface StepError {
  readonly code: string;
  readonly message: string;
  /** The HTTP status of another service's answer; absent if there was none. */
  readonly status?: number;
  /** The beginning of its answer, or the reply of a mail server; absent if there was none. */
  readonly body?: string;
}

/** A run that this process can execute while it lives. */
export interface Claimed {
  readonly run: Run;
  readonly event: ProjectEvent | null;
  readonly steps: ReadonlyMap<string, StepRow>;
  readonly fence: string;
  readonly isCancelled: boolean;
}
