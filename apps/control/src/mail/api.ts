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
  /** The newest; null where the live version sends no mail. */
  list: Query<Project, readonly MailSummary[] | null>;
  read: Query<Project & { emailId: string }, MailContent>;
};
