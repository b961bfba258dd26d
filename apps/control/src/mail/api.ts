// A project's mail as clients see it: connections and sent mails. Types only.
import type { Mutation, Query } from "../procedure.ts";

export interface MailConnection {
  readonly name: string;
  readonly provider: string;
  readonly settings: Readonly<Record<string, string | number>>;
  /** Names of the values that are stored encrypted; never the values. */
  readonly secrets: readonly string[];
  readonly updatedAt: string;
}

export interface MailSummary {
  readonly id: string;
  readonly status: string;
  readonly template: string | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly to: readonly string[];
  readonly subject: string;
}

export interface MailContent extends MailSummary {
  /** Null after the mail was sent: then only its readers have it. */
  readonly text: string | null;
  readonly html: string | null;
}

export interface MailTemplate {
  readonly name: string;
  readonly help: string | null;
  /** Its own language; `languages` contains it too. */
  readonly language: string;
  readonly languages: readonly string[];
  /** Values for a preview. */
  readonly example: Readonly<Record<string, unknown>>;
}

export interface MailPreview {
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
}

export interface MailSuppression {
  readonly address: string;
  readonly reason: "bounced" | "complained" | "manual";
  readonly createdAt: string;
}

type Project = { projectId: string };

export type MailProcedures = {
  /** Null if the live version sends no mail. */
  connections: Query<Project, readonly MailConnection[] | null>;
  /** Tests the connection first, and stores it only if it works. */
  setConnection: Mutation<
    Project & { name: string; provider: string; settings: Record<string, string | number> },
    MailConnection
  >;
  removeConnection: Mutation<Project & { name: string }, { readonly name: string }>;
  /** Sends nothing. A failure is returned as the error. */
  testConnection: Mutation<Project & { name: string }, { readonly name: string }>;
  /** The templates of the live version. Null if it sends no mail. */
  templates: Query<Project, readonly MailTemplate[] | null>;
  /** Without values, it uses the template's examples. */
  preview: Query<
    Project & { template: string; language?: string | undefined; values?: Record<string, unknown> | undefined },
    MailPreview
  >;
  /** Addresses that get no more mail. Null if the live version sends none. */
  suppressions: Query<Project, readonly MailSuppression[] | null>;
  suppress: Mutation<Project & { address: string }, { readonly address: string }>;
  unsuppress: Mutation<Project & { address: string }, { readonly address: string }>;
  /** Newest first. Null if the live version sends no mail. */
  list: Query<Project, readonly MailSummary[] | null>;
  read: Query<Project & { emailId: string }, MailContent>;
};
