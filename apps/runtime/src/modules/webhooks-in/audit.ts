// Writes a line about inbound webhooks to a project's audit log. In: the transaction, with the project's own role. The
// line never contains a secret or a provider's data.
import type { TenantTransaction } from "@plinth/postgres";
import type { ModuleContext } from "../../http/contracts.ts";
import { actorOf } from "../audit.ts";

export interface InboundNote {
  readonly operation: "create" | "delete" | "replay";
  readonly entity: "webhook_secret" | "webhook_request";
  readonly recordId: string | null;
}

export async function noteInAudit(
  open: TenantTransaction,
  { release, incoming, principal }: ModuleContext,
  { operation, entity, recordId }: InboundNote,
): Promise<void> {
  const actor = actorOf(principal);
  await open.query(
    `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
     VALUES ($1, $2, $3, $4, $5, $6, '{}'::jsonb)`,
    [incoming.id, actor.kind, actor.id, operation, entity, recordId],
  );
}
