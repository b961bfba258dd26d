// A step of background work, with typed expression trees for its conditions and templates, as a blueprint's model and a
// bundle contain it. Only types.
import type { JsonValue } from "./json-value.ts";
import type { Expression } from "./tree.ts";

export interface Step {
  /** Unique in its workflow; `steps.<id>` is its output. */
  readonly id: string;
  readonly action: StepAction;
  /** The step is skipped if this is not true; a member of `forEach`, if the condition reads `each`. */
  readonly if: Expression | null;
  /** Runs once for each member, called `each`. Its output is then the list of their outputs. */
  readonly forEach: { readonly items: Template; readonly parallelMax: number } | null;
  /** The step waits this long before it starts. */
  readonly delayMs: number | null;
  /** The step waits until this time before it starts; absent if it doesn't. */
  readonly delayUntil?: Moment;
  readonly retry: Retry;
  readonly timeoutMs: number;
  readonly onError: StepFailure;
  /** The steps that undo it if the run fails later. They run in the opposite order of the steps. */
  readonly compensate: readonly Step[];
  /** `caller`: a record step of an action has the rights of the action's caller. */
  readonly as: "service" | "caller";
}

/** A time that a record or another value has, and a shift in ms: negative for before. */
export interface Moment {
  /** A datetime, or a date, which means its beginning in UTC. */
  readonly time: Expression;
  readonly shiftMs: number;
}

export type StepFailure =
  | { readonly kind: "fail" }
  | { readonly kind: "continue" }
  | { readonly kind: "steps"; readonly steps: readonly Step[] };

export interface Retry {
  /** The total number of attempts. */
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
  /** With `limit` null, the output is one record or null, otherwise a list. */
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
  /** Sends the run's event to the endpoints that subscribe to it. */
  | { readonly kind: "webhook.emit" }
  | {
      readonly kind: "http.request";
      readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
      readonly url: Template;
      readonly headers: Values;
      readonly body: Template | null;
      /** Signed like a worker's call to the project's own service. */
      readonly signed: boolean;
      /** Whether a call whose answer was lost can be repeated: `idempotent` with the same key, `unsafe` never. */
      readonly repeat: "idempotent" | "unsafe";
    }
  | {
      readonly kind: "email.send";
      /** The integration that sends it; null for the project's only one. */
      readonly connection: string | null;
      /** An address, or a list of them; null if `toUser` names the receiver. */
      readonly to: Template | null;
      /** The id of a user of the project. */
      readonly toUser: Template | null;
      readonly replyTo: Template | null;
      /** Null if the template has it, like `text` and `html`. */
      readonly subject: Template | null;
      readonly text: Template | null;
      readonly html: Template | null;
      /** A template of the section `emails`, with the values of its variables. */
      readonly template: string | null;
      readonly values: Template | null;
      /** A language tag; null for the template's own. */
      readonly language: Template | null;
    }
  | { readonly kind: "worker.run"; readonly worker: string; readonly input: Template }
  /** With `until`, `forMs` is 0. */
  | { readonly kind: "wait"; readonly forMs: number; readonly until?: Moment }
  | {
      readonly kind: "wait_for";
      readonly event: string;
      /** Over the received event (`event`, `record`, `old`) and the values of the run. */
      readonly if: Expression | null;
      readonly timeoutMs: number | null;
    }
  | {
      readonly kind: "approve";
      readonly roles: readonly string[];
      /** Whether the person who caused the run can approve it. */
      readonly bySelf: boolean;
      /**
       * After a refusal, `fail` fails the step with the code `rejected`, and `continue` completes it with `approved:
       * false`.
       */
      readonly onReject: "fail" | "continue";
      /** The text that approvers see; null for none. */
      readonly message: Template | null;
      readonly timeoutMs: number | null;
    };

/** JSON that contains expressions. The result of an expression is never evaluated again. */
export type Template =
  | { readonly kind: "literal"; readonly value: JsonValue }
  /** A single `${{ }}`, which keeps its type. */
  | { readonly kind: "value"; readonly expression: Expression }
  /** Joined to one text; null becomes an empty text. */
  | { readonly kind: "text"; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly members: Values };
