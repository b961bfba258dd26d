// What a model holds of background work: typed declarations of events, workers, workflows, schedules and actions, and the
// checked ones of webhooks and integrations, which nothing serves yet. Types alone.
import type { Expression } from "@plinth/expression";
import type { JsonValue } from "./json-value.ts";
import type { Field } from "./model-field.ts";

/** Each list is sorted by name. */
export interface Background {
  readonly events: readonly DeclaredEvent[];
  readonly workers: readonly Workflow[];
  readonly workflows: readonly Workflow[];
  readonly schedules: readonly Schedule[];
  readonly actions: readonly Action[];
  readonly inboundWebhooks: readonly BackgroundPart[];
  readonly outboundWebhooks: BackgroundPart | null;
  readonly integrations: readonly BackgroundPart[];
}

/** What leaves the project when it runs: `webhook`, `email`, `http`, `model`; with the entity whose records go. */
export interface Egress {
  readonly to: string;
  readonly entity: string | null;
  /** The host that is called, with its port; absent where the blueprint names none. */
  readonly host?: string;
}

/** A part that nothing serves yet. */
export interface BackgroundPart {
  readonly name: string;
  /** The declaration in its canonical form: long keys, sorted. */
  readonly declaration: JsonValue;
  readonly egress: readonly Egress[];
}

export interface DeclaredEvent {
  readonly name: string;
  /** What it carries. */
  readonly payload: readonly Field[];
  readonly help: string | null;
}

/** A workflow, or a worker: a worker has a name that steps and schedules call it by. */
export interface Workflow {
  readonly name: string;
  /** The events that start it, sorted; empty where it is only called. */
  readonly on: readonly string[];
  /** Starts that are no event, sorted: `schedule`, `manual`. */
  readonly starts: readonly string[];
  /** Over `event`, `record` and `old`; null for always. */
  readonly when: Expression | null;
  /** The entity of `record`; null where it has none. */
  readonly entity: string | null;
  /** How `record` is found where the event carries none: field > value. Null where the event's own record is it. */
  readonly lookup: Values | null;
  /** `record`: the runs of one record follow one another. */
  readonly ordered: "record" | null;
  readonly steps: readonly Step[];
  /** Runs at once (workers); null for the project's own bound. */
  readonly concurrencyMax: number | null;
  /** What a run may take in all, in ms (workers); null for no bound. */
  readonly timeoutMs: number | null;
  readonly egress: readonly Egress[];
}

export interface Step {
  /** Unique in its workflow: `steps.<id>` is its output. */
  readonly id: string;
  readonly action: StepAction;
  /** Skipped where it is not true. */
  readonly if: Expression | null;
  /** Runs once for each member, called `each`; its output is then the list of theirs. */
  readonly forEach: { readonly items: Template; readonly parallelMax: number } | null;
  /** Waits so long before it begins. */
  readonly delayMs: number | null;
  readonly retry: Retry;
  readonly timeoutMs: number;
  readonly onError: StepFailure;
  /** What undoes it, should the run fail later. */
  readonly compensate: readonly Step[];
  /** `caller`: a record step of an action acts with the rights of whoever called it. */
  readonly as: "service" | "caller";
}

export type StepFailure =
  | { readonly kind: "fail" }
  | { readonly kind: "continue" }
  | { readonly kind: "steps"; readonly steps: readonly Step[] };

export interface Retry {
  /** Tries in all. */
  readonly attempts: number;
  readonly backoff: "constant" | "linear" | "exponential";
  readonly delayMs: number;
  readonly delayMsMax: number;
}

export type Values = Readonly<Record<string, Template>>;

export type StepAction =
  | { readonly kind: "record.create"; readonly entity: string; readonly values: Values }
  | { readonly kind: "record.update"; readonly entity: string; readonly id: Template; readonly values: Values }
  | { readonly kind: "record.delete"; readonly entity: string; readonly id: Template }
  /** `limit` null: the one record, or null; else a list. */
  | { readonly kind: "record.find"; readonly entity: string; readonly where: Values; readonly limit: number | null }
  | {
      readonly kind: "record.transition";
      readonly entity: string;
      readonly id: Template;
      readonly edge: string;
      readonly values: Values;
    }
  | { readonly kind: "event.emit"; readonly event: string; readonly data: Template }
  | { readonly kind: "audit.write"; readonly note: Template }
  | {
      readonly kind: "http.request";
      readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
      readonly url: Template;
      readonly headers: Values;
      readonly body: Template | null;
      /** Signed as a call of a worker to its project's own service is. */
      readonly signed: boolean;
      /** Whether a call whose answer was lost may be made again: `idempotent` with the same key, `unsafe` never. */
      readonly repeat: "idempotent" | "unsafe";
    }
  | { readonly kind: "worker.run"; readonly worker: string; readonly input: Template }
  | { readonly kind: "wait"; readonly forMs: number }
  | {
      readonly kind: "wait_for";
      readonly event: string;
      /** Over the event that came (`event`, `record`, `old`) and what the run knows. */
      readonly if: Expression | null;
      readonly timeoutMs: number | null;
    }
  | {
      readonly kind: "approve";
      readonly roles: readonly string[];
      /** Whether who caused the run may approve it. */
      readonly bySelf: boolean;
      readonly timeoutMs: number | null;
    };

/** JSON with expressions in it. What an expression gives is never evaluated again. */
export type Template =
  | { readonly kind: "literal"; readonly value: JsonValue }
  /** `${{ }}` alone: keeps its type. */
  | { readonly kind: "value"; readonly expression: Expression }
  /** Joined to one text; null becomes nothing. */
  | { readonly kind: "text"; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly members: Values };

export interface Schedule {
  readonly name: string;
  /** Five fields, as in crontab(5). */
  readonly cron: string;
  /** A name of the IANA database. */
  readonly timezone: string;
  /** The worker or workflow that it starts. */
  readonly run: string;
  readonly overlap: "skip" | "queue" | "allow";
  readonly catchUp: "none" | "last" | "all";
}

export interface Action {
  readonly name: string;
  /** What a caller sends. */
  readonly input: readonly Field[];
  /** What it answers with, over `input` and `steps`; null for nothing. */
  readonly output: Template | null;
  /** Role > rule over `input`, the user and the request. */
  readonly access: Readonly<Record<string, Expression>>;
  readonly steps: readonly Step[];
  readonly mode: "sync" | "async";
  readonly egress: readonly Egress[];
}
