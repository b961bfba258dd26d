// The control plane's audit log: who did what, and when. In: an open transaction and one action. Out: a row. The row is always in
// the transaction of the action, and never contains a secret.
import type { Connection } from "./tables.ts";

export interface AuditEntry {
  /** Null if the service acts by itself (such as a deployment that finishes). */
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
