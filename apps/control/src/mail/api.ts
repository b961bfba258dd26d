// What a client sees of a project's mail: what it was sent by, and what was sent. Types alone.
import type { Mutation, Query } from "../procedure.ts";

export interface MailConnection {
  readonly name: string;
  readonly provider: string;
  readonly settings: Readonly<Record<string, string | number>>;
  /** Names of what is kept encrypted; never the values. */
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
  /** Null where the mail was sent: its readers alone have it. */
  readonly text: string | null;
  readonly html: string | null;
}

export interface MailTemplate {
  readonly name: string;
  readonly help: string | null;
  /** Its own; `languages` has it, too. */
  readonly language: string;
  readonly languages: readonly string[];
  /** Values to look at it with. */
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
  /** Null where the live version sends no mail. */
  connections: Query<Project, readonly MailConnection[] | null>;
  /** Tested first, and kept only where it works. */
  setConnection: Mutation<
    Project & { name: string; provider: string; settings: Record<string, string | number> },
    MailConnection
  >;
  removeConnection: Mutation<Project & { name: string }, { readonly name: string }>;
  /** Nothing is sent; what fails is told as the error. */
  testConnection: Mutation<Project & { name: string }, { readonly name: string }>;
  /** Of the live version; null where it sends no mail. */
  templates: Query<Project, readonly MailTemplate[] | null>;
  /** Without values, with the template's examples. */
  preview: Query<
    Project & { template: string; language?: string | undefined; values?: Record<string, unknown> | undefined },
    MailPreview
  >;
  /** Addresses that get no more mail; null where the live version sends none. */
  suppressions: Query<Project, readonly MailSuppression[] | null>;
  suppress: Mutation<Project & { address: string }, { readonly address: string }>;
  unsuppress: Mutation<Project & { address: string }, { readonly address: string }>;
  /** The newest; null where the live version sends no mail. */
  list: Query<Project, readonly MailSummary[] | null>;
  read: Query<Project & { emailId: string }, MailContent>;
};
