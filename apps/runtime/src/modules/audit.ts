// Writes a row of a project's audit log for events that aren't changes of records: about sessions, runs, accounts. In:
// an open transaction and the event. Out: the row, in that transaction. Changes of records write their rows in their
// own statement (`write-change.ts`, `query/trace.ts`). A row never contains a password, a token, or a hash of one.
// Fields that are `pii`, `internal` or secret only show that they had a value.
import type { TenantTransaction } from "@plinth/postgres";
import type { ActiveRelease } from "../project/active-release.ts";
import { MASK } from "../project/mask.ts";
import { type Principal, principalId } from "../project/principal.ts";
import { findEntity } from "../query/entity-view.ts";

export interface Actor {
  readonly kind: Principal["kind"];
  readonly id: string;
}

export interface AuditEntry {
  readonly requestId: string;
  readonly actor: Actor;
  readonly operation: string;
  readonly entity: "session" | "run" | "user";
  readonly recordId: string;
  /** The record if it is new; `field: [before, after]` if it changed. */
  readonly changes: Readonly<Record<string, unknown>>;
}

export async function writeAudit(open: TenantTransaction, release: ActiveRelease, entry: AuditEntry): Promise<void> {
  await open.query(
    `INSERT INTO ${release.schema}.audit_log (request_id, actor_kind, actor_id, operation, entity, record_id, changes)
     VALUES ($1, $2, $3, $4, $5, $6::uuid, $7::jsonb)`,
    [
      entry.requestId,
      entry.actor.kind,
      entry.actor.id,
      entry.operation,
      entry.entity,
      entry.recordId,
      JSON.stringify(maskedChanges(release, entry)),
    ],
  );
}

/** Changes in their form for the audit log. */
export function maskedChanges(
  release: ActiveRelease,
  { entity, operation, changes }: Pick<AuditEntry, "operation" | "changes"> & { readonly entity: string },
): AuditEntry["changes"] {
  const fields = findEntity(release, entity)?.fields;
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => {
      const field = fields?.get(name);
      if (field === undefined || !(field.masked || field.secret || field.hidden)) return [name, value];
      const pair = operation !== "create" && Array.isArray(value);
      return [name, pair ? value.map(mask) : mask(value)];
    }),
  );
}

function mask(value: unknown): string | null {
  return value === null ? null : MASK;
}

export function actorOf(principal: Principal): Actor {
  return { kind: principal.kind, id: principalId(principal) };
}
