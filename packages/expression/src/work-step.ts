// What a step of background work does, with typed expression trees in the places of conditions and templates: as a blueprint's model
// holds it and as a bundle carries it. Types alone.
import type { JsonValue } from "./json-value.ts";
import type { Expression } from "./tree.ts";

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
  /** What undoes it, should the run fail later; run in the opposite order of the steps. */
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
  /** Sends the event that the run is about to the endpoints that asked for it. */
  | { readonly kind: "webhook.emit" }
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
  | {
      readonly kind: "email.send";
      /** The integration that it goes by; null for the project's only one. */
      readonly connection: string | null;
      /** An address, or a list of them; null where `toUser` says who. */
      readonly to: Template | null;
      /** The id of a user of the project. */
      readonly toUser: Template | null;
      readonly replyTo: Template | null;
      /** Null where the template has it, as `text` and `html`. */
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
      /** Of a refusal: `fail` fails the step with the code `rejected`, `continue` completes it with `approved: false`. */
      readonly onReject: "fail" | "continue";
      /** What those who are asked read of it; null for nothing. */
      readonly message: Template | null;
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
