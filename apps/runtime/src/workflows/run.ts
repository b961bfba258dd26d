// A run of a workflow, as it stands in the project's tables. Types alone.
import type { JsonValue } from "@plinth/bundle";
import type { RunKind, StepStatus } from "@plinth/service";
import type { ProjectEvent } from "../events/event.ts";

export interface Run {
  readonly id: string;
  readonly workflow: string;
  readonly kind: RunKind;
  /** The release that the run began with. */
  readonly definition: string;
  readonly input: JsonValue;
  readonly depth: number;
  readonly causedBy: string | null;
  readonly requestId: string | null;
  readonly actorKind: string | null;
  readonly actorId: string | null;
  readonly organization: string | null;
  /** Of an action: who called it, as `acting.ts` keeps it; null where nobody did. */
  readonly caller: JsonValue;
  /** RFC 3339: `now` of its conditions, the same however often they are asked. */
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
  /** The HTTP status that another service answered with; absent where none answered. */
  readonly status?: number;
}

/** A run that this process may carry on, until its lease ends. */
export interface Claimed {
  readonly run: Run;
  readonly event: ProjectEvent | null;
  readonly steps: ReadonlyMap<string, StepRow>;
  readonly fence: string;
  readonly isCancelled: boolean;
}
