// Background work in a bundle: events, workflows, workers, schedules, actions. Data, with typed expression trees as
// conditions and templates. The compiler writes it, the runtime's interpreter runs it.
import type { Expression, Step, Template } from "@plinth/expression";

export type {
  JsonValue,
  Moment,
  Retry,
  Step as BundleStep,
  StepAction,
  StepFailure,
  Template,
  Values,
} from "@plinth/expression";

import type { BundleField } from "./bundle-field.ts";
import type { BundleInbound } from "./inbound.ts";
import type { BundleOutbound } from "./outbound.ts";
import type { Predicate } from "./predicate.ts";
import type { SqlTemplate } from "./template.ts";

/** Each list is sorted by name. */
export interface BundleBackground {
  readonly events: readonly BundleEvent[];
  readonly workflows: readonly BundleWorkflow[];
  readonly schedules: readonly BundleSchedule[];
  readonly actions: readonly BundleAction[];
  /** Sign-up and passwords; absent: nothing is declared. */
  readonly accounts?: BundleAccounts;
  /** E-mail templates; absent: none is declared. */
  readonly emails?: readonly BundleEmail[];
  /** The connections for mail, sorted; absent: none is declared. */
  readonly emailConnections?: readonly BundleConnection[];
  /** Sources of inbound webhooks; absent: there are none. */
  readonly inbound?: readonly BundleInbound[];
  /** Outbound webhooks; absent: nothing is declared. */
  readonly outbound?: BundleOutbound;
  /** After how many days events and finished runs are deleted; absent: the operator decides. */
  readonly retentionDays?: number;
}

/** An event that something in the project emits. */
export interface BundleEvent {
  /** `<noun>.<verb>`, such as `shipment.created`. */
  readonly name: string;
  /** The entity whose record it carries; null for a declared event. */
  readonly entity: string | null;
  /** JSON Schema (2020-12) of the `data` that a declared event carries; null for an entity's own. */
  readonly dataSchema: object | null;
  /** Plinth itself emits it, and nothing else; absent: it doesn't. */
  readonly isOwn?: true;
}

export interface BundleAccounts {
  /** Whether users must verify their address before they get an account. */
  readonly verifyEmail: boolean;
  /** The pages that mails link to; null: the mail contains only the token. */
  readonly verifyUrl: string | null;
  readonly resetUrl: string | null;
  readonly invitationUrl: string | null;
}

export interface BundleEmail {
  readonly name: string;
  readonly help: string | null;
  /** JSON Schema (2020-12) of its variables. */
  readonly valuesSchema: object;
  /** Valid example values, for a preview of the template. */
  readonly example: Readonly<Record<string, unknown>>;
  /** The default language, for a mail that names none, or an unknown one. */
  readonly language: string;
  /** Language tag > text. */
  readonly texts: Readonly<Record<string, BundleEmailText>>;
}

/** Expressions can only use the template's variables. */
export interface BundleEmailText {
  readonly subject: Template;
  readonly text: Template;
  readonly html: readonly EmailHtmlPart[];
}

/** HTML, or a placeholder in it: as text, as a whole address, or as part of one. */
export type EmailHtmlPart = string | { readonly expression: Expression; readonly as: "text" | "url" | "url_part" };

export interface BundleConnection {
  readonly name: string;
  readonly provider: string;
}

/** A workflow, or a worker: a worker has a name that steps and schedules use, and a limit on simultaneous runs. */
export interface BundleWorkflow {
  readonly name: string;
  readonly kind: "workflow" | "worker";
  /** The names of the events that start it; empty if it is only called. */
  readonly on: readonly string[];
  /** Over `event`, `record` and `old`; null for always. */
  readonly when: Expression | null;
  /** The entity of `record`; null where it has none. */
  readonly entity: string | null;
  /** How `record` is found if the event carries none: field > value. Null if it is the event's own record. */
  readonly lookup: Readonly<Record<string, Template>> | null;
  /** `record`: runs for the same record run one after the other. */
  readonly ordered: "record" | null;
  /** With `block`, a failed run stops the later runs for its record; absent: they go on. */
  readonly afterFailure?: "block";
  /** With `step`, each step reads `record` when it begins; absent: it is the record of the event. */
  readonly recordAt?: "step";
  readonly steps: readonly Step[];
  /** The maximum number of simultaneous runs; null for the project's own limit. */
  readonly concurrencyMax: number | null;
  /** The maximum time of a run in ms, including waits; null for no limit. */
  readonly timeoutMs: number | null;
}

export interface BundleSchedule {
  readonly name: string;
  /** Five fields, as in crontab(5). */
  readonly cron: string;
  /** A name of the IANA database. */
  readonly timezone: string;
  /** The worker or workflow that it starts. */
  readonly run: string;
  /** If the previous run is still running: `skip` this time, `queue` it, or `allow` both. */
  readonly overlap: "skip" | "queue" | "allow";
  /** For missed times: start none, the last, or all of them. */
  readonly catchUp: "none" | "last" | "all";
}

/** A member of an action's input: a column of a row that is never stored. A list of references is an array of ids. */
export interface BundleInput extends BundleField {
  /** What its value must satisfy, over the unqualified columns of the row; an unknown result passes. */
  readonly checks: readonly SqlTemplate[];
  /** The message for a violation of the check at the same position. */
  readonly refusals?: readonly { readonly code: string; readonly message: string }[];
}

export interface BundleAction {
  /** Lower-case words joined by hyphens: `POST /v1/actions/<name>`. */
  readonly name: string;
  /** JSON Schema (2020-12) of the body; unknown members are refused. */
  readonly inputSchema: object;
  /** The members of the body, as the columns of one row. */
  readonly input: readonly BundleInput[];
  /** The result, over `input` and `steps`; null for none. */
  readonly output: Template | null;
  /**
   * Role > a condition for its holders, over the row of the input: `{new}`, and `{input.<member>}` for the same. A
   * missing role is denied.
   */
  readonly access: Readonly<Record<string, Predicate>>;
  readonly steps: readonly Step[];
  /** `sync`: one transaction, answered with its output. `async`: 202, and a run to follow. */
  readonly mode: "sync" | "async";
}
