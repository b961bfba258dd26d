// What a model holds of background work: typed declarations of events, workers, workflows, schedules and actions, and the
// checked ones of webhooks and integrations. Types alone.
import type { Expression, Step, Template, Values } from "@plinth/expression";
import type { Field } from "./field.ts";
import type { JsonValue } from "./json-value.ts";

export type { Retry, Step, StepAction, StepFailure, Template, Values } from "@plinth/expression";

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
  /** What mails say. A model that an older version has stored says nothing of it. */
  readonly emails?: readonly EmailTemplate[];
  /** Sign-up and passwords. A model that an older version has stored says nothing of it. */
  readonly accounts?: AccountSettings | null;
  /** Days for which events are kept, and runs after their end; null: as long as the operator keeps them. */
  readonly retentionDays: number | null;
}

/** Where nothing is declared. */
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

/** What leaves the project when it runs: `webhook`, `email`, `http`, `model`; with the entity whose records go. */
export interface Egress {
  readonly to: string;
  readonly entity: string | null;
  /** The host that is called, with its port; absent where the blueprint names none. */
  readonly host?: string;
}

/** A part whose declaration is kept as it is written. */
export interface BackgroundPart {
  readonly name: string;
  /** The declaration in its canonical form: long keys, sorted. */
  readonly declaration: JsonValue;
  readonly egress: readonly Egress[];
}

export interface AccountSettings {
  /** Whether there is an account only once its address is verified. */
  readonly verifyEmail: boolean;
  /** The pages of the app that mails lead to, the token behind a `#`; null: the mail holds the token alone. */
  readonly verifyUrl: string | null;
  readonly resetUrl: string | null;
  readonly invitationUrl: string | null;
}

/** Of a mail. Expressions see the variables alone. */
export interface EmailTemplate {
  readonly name: string;
  readonly variables: readonly Field[];
  /** Of which a mail is that asks for none, or for one that there is not. */
  readonly language: string;
  /** Language tag > what it says. */
  readonly texts: Readonly<Record<string, EmailText>>;
  readonly help: string | null;
}

export interface EmailText {
  /** A text, or a literal one. */
  readonly subject: Template;
  /** Markdown. */
  readonly body: Template;
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
