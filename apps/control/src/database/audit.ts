// The control plane's audit log: who did what, when. In: a transaction under way and one act. Out: a row in it.
// It never stands outside the act's own transaction, and never holds a secret.
import type { Connection } from "./tables.ts";

export interface AuditEntry {
  /** Null where the service acts by itself (a deployment that finishes). */
  readonly personId: string | null;
  /** `noun.verb` in the past tense. */
  readonly action: string;
  readonly organizationId?: string;
  readonly projectId?: string;
  readonly subject?: string;
  readonly detail?: Record<string, unknown>;
}

export async function writeAudit(connection: Connection, entry: AuditEntry): Promise<void> {
  await connection
    .insertInto("audit")
    .values({
      person_id: entry.personId,
      action: entry.action,
      organization_id: entry.organizationId ?? null,
      project_id: entry.projectId ?? null,
      subject: entry.subject ?? null,
      detail: JSON.stringify(entry.detail ?? {}),
    })
    .execute();
}
