// What a bundle says of work in the background: events, workflows, workers, schedules, actions. Data, with typed expression
// trees in the places of conditions and templates. The compiler writes it, the runtime's interpreter walks it.
import type { Expression, Step, Template } from "@plinth/expression";

export type {
  JsonValue,
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
  /** What mails say; absent: nothing is declared. */
  readonly emails?: readonly BundleEmail[];
  /** The connections that mails may go by, sorted; absent: none is declared. */
  readonly emailConnections?: readonly BundleConnection[];
  /** Sources of inbound webhooks; absent: there are none. */
  readonly inbound?: readonly BundleInbound[];
  /** Webhooks that leave the project; absent: nothing is declared of them. */
  readonly outbound?: BundleOutbound;
  /** Days for which events are kept, and runs after their end; absent: as long as the operator keeps them. */
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
}

export interface BundleAccounts {
  /** Whether there is an account only once its address is verified. */
  readonly verifyEmail: boolean;
  /** The pages that mails lead to; null: the mail holds the token alone. */
  readonly verifyUrl: string | null;
  readonly resetUrl: string | null;
  readonly invitationUrl: string | null;
}

export interface BundleEmail {
  readonly name: string;
  readonly help: string | null;
  /** JSON Schema (2020-12) of its variables. */
  readonly valuesSchema: object;
  /** Values that the schema takes, to look at the template with. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Of which a mail is that asks for none, or for one that there is not. */
  readonly language: string;
  /** Language tag > what it says. */
  readonly texts: Readonly<Record<string, BundleEmailText>>;
}

/** Expressions see the template's variables alone. */
export interface BundleEmailText {
  readonly subject: Template;
  readonly text: Template;
  readonly html: readonly EmailHtmlPart[];
}

/** HTML, or a gap in it: as text, as a whole address, or within one. */
export type EmailHtmlPart = string | { readonly expression: Expression; readonly as: "text" | "url" | "url_part" };

export interface BundleConnection {
  readonly name: string;
  readonly provider: string;
}

/** A workflow, or a worker: a worker has a name that steps and schedules call it by, and bounds on how many run at once. */
export interface BundleWorkflow {
  readonly name: string;
  readonly kind: "workflow" | "worker";
  /** The names of the events that start it; empty where it is only called. */
  readonly on: readonly string[];
  /** Over `event`, `record` and `old`; null for always. */
  readonly when: Expression | null;
  /** The entity of `record`; null where it has none. */
  readonly entity: string | null;
  /** How `record` is found where the event carries none: field > value. Null where the event's own record is it. */
  readonly lookup: Readonly<Record<string, Template>> | null;
  /** `record`: the runs of one record follow one another. */
  readonly ordered: "record" | null;
  readonly steps: readonly Step[];
  /** Runs of it at once; null for the project's own bound. */
  readonly concurrencyMax: number | null;
  /** What a run may take in all, in ms, waits included; null for no bound. */
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
  /** Where the last run still runs: `skip` this tick, `queue` it behind, or `allow` both. */
  readonly overlap: "skip" | "queue" | "allow";
  /** Of the ticks that were missed: none, the last, or all of them. */
  readonly catchUp: "none" | "last" | "all";
}

/** A member of an action's input: a column of a row that is never stored. A list of references is an array of ids. */
export interface BundleInput extends BundleField {
  /** What its value must satisfy, over the unqualified columns of the row; an unknown passes. */
  readonly checks: readonly SqlTemplate[];
  /** What a value is told that breaks the check at the same place. */
  readonly refusals?: readonly { readonly code: string; readonly message: string }[];
}

export interface BundleAction {
  /** Lower-case words joined by hyphens: `POST /v1/actions/<name>`. */
  readonly name: string;
  /** JSON Schema (2020-12) of the body; unknown members are refused. */
  readonly inputSchema: object;
  /** The members of the body, as the columns of one row. */
  readonly input: readonly BundleInput[];
  /** What it answers with, over `input` and `steps`; null for nothing. */
  readonly output: Template | null;
  /**
   * Role > who of its holders may, over the row of the input: `{new}`, and `{input.<member>}` for the same. A role that is
   * absent is denied.
   */
  readonly access: Readonly<Record<string, Predicate>>;
  readonly steps: readonly Step[];
  /** `sync`: one transaction, answered with its output. `async`: 202, and a run to follow. */
  readonly mode: "sync" | "async";
}
