// Background work in a model: typed declarations of events, workers, workflows, schedules and actions, and the checked
// ones of webhooks and integrations. Only types.
import type { Expression, Step, Template, Values } from "@plinth/expression";
import type { Field } from "./field.ts";
import type { JsonValue } from "./json-value.ts";

export type { Moment, Retry, Step, StepAction, StepFailure, Template, Values } from "@plinth/expression";

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
  /** E-mail templates. Models that older versions stored don't have it. */
  readonly emails?: readonly EmailTemplate[];
  /** Sign-up and passwords. Models that older versions stored don't have it. */
  readonly accounts?: AccountSettings | null;
  /** After how many days events and finished runs are deleted; null: the operator decides. */
  readonly retentionDays: number | null;
}

/** The value if nothing is declared. */
export const emptyBackground: Background = {
  events: [],
  workers: [],
  workflows: [],
  schedules: [],
  actions: [],
  inboundWebhooks: [],
  outboundWebhooks: null,
  integrations: [],
  retentionDays: null,
};

/**
 * The data that leaves the project when it runs: `webhook`, `email`, `http`, `model`; with the entity of the records.
 */
export interface Egress {
  readonly to: string;
  readonly entity: string | null;
  /** The host that is called, with its port; absent if the blueprint names none. */
  readonly host?: string;
}

/** A part whose declaration is stored as it is written. */
export interface BackgroundPart {
  readonly name: string;
  /** The declaration in its canonical form: long keys, sorted. */
  readonly declaration: JsonValue;
  readonly egress: readonly Egress[];
}

export interface AccountSettings {
  /** Whether users must verify their address before they get an account. */
  readonly verifyEmail: boolean;
  /** The pages of the app that mails link to, with the token after a `#`; null: the mail contains only the token. */
  readonly verifyUrl: string | null;
  readonly resetUrl: string | null;
  readonly invitationUrl: string | null;
}

/** The texts of a mail. Expressions can only use the variables. */
export interface EmailTemplate {
  readonly name: string;
  readonly variables: readonly Field[];
  /** The default language, for a mail that names none, or an unknown one. */
  readonly language: string;
  /** Language tag > text. */
  readonly texts: Readonly<Record<string, EmailText>>;
  readonly help: string | null;
}

export interface EmailText {
  /** A text, or a literal. */
  readonly subject: Template;
  /** Markdown. */
  readonly body: Template;
}

export interface DeclaredEvent {
  readonly name: string;
  /** Its data. */
  readonly payload: readonly Field[];
  readonly help: string | null;
}

/** A workflow, or a worker: a worker has a name that steps and schedules use. */
export interface Workflow {
  readonly name: string;
  /** The events that start it, sorted; empty if it is only called. */
  readonly on: readonly string[];
  /** Triggers that are not events, sorted: `schedule`, `manual`. */
  readonly starts: readonly string[];
  /** Over `event`, `record` and `old`; null for always. */
  readonly when: Expression | null;
  /** The entity of `record`; null where it has none. */
  readonly entity: string | null;
  /** How `record` is found if the event carries none: field > value. Null if it is the event's own record. */
  readonly lookup: Values | null;
  /** `record`: runs for the same record run one after the other. */
  readonly ordered: "record" | null;
  /** With `block`, a failed run stops the later runs for its record; absent: they go on. */
  readonly afterFailure?: "block";
  readonly steps: readonly Step[];
  /** The maximum number of simultaneous runs (workers); null for the project's own limit. */
  readonly concurrencyMax: number | null;
  /** The maximum time of a run in ms (workers); null for no limit. */
  readonly timeoutMs: number | null;
  readonly egress: readonly Egress[];
}

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
  /** The input from the caller. */
  readonly input: readonly Field[];
  /** The result, over `input` and `steps`; null if there is none. */
  readonly output: Template | null;
  /** Role > rule over `input`, the user and the request. */
  readonly access: Readonly<Record<string, Expression>>;
  readonly steps: readonly Step[];
  readonly mode: "sync" | "async";
  readonly egress: readonly Egress[];
}
