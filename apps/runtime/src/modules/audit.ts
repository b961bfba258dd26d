// One row of a project's audit log. In: an open transaction and what happened. Out: the row, in that transaction.
// It never holds a password, a token, or a hash of one.
import type { TenantTransaction } from "@plinth/postgres";
import type { Principal } from "../http/contracts.ts";

export interface Actor {
  readonly kind: "key" | "user" | "operator";
  readonly id: string;
}

export interface AuditEntry {
  readonly requestId: string;
  readonly actor: Actor;
  readonly operation: string;
  readonly entity: "user" | "session" | "organization";
  readonly recordId: string;
  /** The record where it is new; `field: [before, after]` where it changed. */
  readonly changes: Readonly<Record<string, unknown>>;
}

export async function writeAudit(open: TenantTransaction, schema: string, entry: AuditEntry): Promise<void> {
  await open.query(
    `INSERT INTO ${schema}.audit_log (request_id, actor_kind, actor_id, operation, entity, record_id, changes)
     VALUES ($1, $2, $3, $4, $5, $6::uuid, $7::jsonb)`,
    [
      entry.requestId,
      entry.actor.kind,
      entry.actor.id,
      entry.operation,
      entry.entity,
      entry.recordId,
      JSON.stringify(entry.changes),
    ],
  );
}

export function actorOf(principal: Principal): Actor {
  switch (principal.kind) {
    case "key":
      return { kind: "key", id: principal.keyId };
    case "user":
      return { kind: "user", id: principal.userId };
    case "operator":
      return { kind: "operator", id: principal.email };
  }
}
