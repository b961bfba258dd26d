// Key metadata in the database. In: ids and names. Out: rows. It never sees a key or its hash, which only the cell has.
import type { ApiKeyKind } from "@plinth/bundle";
import type { Selectable } from "kysely";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase, KeyMetadataTable } from "../database/tables.ts";
import type { KeySummary } from "./api.ts";

interface NewKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly kind: ApiKeyKind;
  readonly role: string | null;
  readonly last4: string;
  readonly expiresAt: Date | null;
  readonly createdBy: string;
}

export interface KeyStore {
  insert(key: NewKey): Promise<KeySummary>;
  /** Removes a key that the cell never got. */
  withdraw(key: NewKey): Promise<void>;
  list(projectId: string): Promise<readonly KeySummary[]>;
  get(keyId: string): Promise<KeySummary | null>;
  markRevoked(keyId: string, projectId: string, by: string): Promise<KeySummary>;
}

export function createKeyStore(db: ControlDatabase): KeyStore {
  return {
    insert: (key) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .insertInto("key_metadata")
          .values({
            id: key.id,
            project_id: key.projectId,
            name: key.name,
            kind: key.kind,
            role: key.role,
            last4: key.last4,
            expires_at: key.expiresAt,
            created_by: key.createdBy,
            revoked_at: null,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        const detail = { name: key.name, kind: key.kind, role: key.role };
        const act = { personId: key.createdBy, projectId: key.projectId, subject: key.id };
        await writeAudit(trx, { ...act, action: "key.created", detail });
        return summary(row);
      }),

    withdraw: (key) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom("key_metadata").where("id", "=", key.id).execute();
        const act = { personId: key.createdBy, projectId: key.projectId, subject: key.id };
        await writeAudit(trx, { ...act, action: "key.withdrawn" });
      }),

    list: async (projectId) => {
      const rows = await db
        .selectFrom("key_metadata")
        .selectAll()
        .where("project_id", "=", projectId)
        .orderBy("created_at", "desc")
        .orderBy("id")
        .execute();
      return rows.map(summary);
    },

    get: async (keyId) => {
      const row = await db.selectFrom("key_metadata").selectAll().where("id", "=", keyId).executeTakeFirst();
      return row === undefined ? null : summary(row);
    },

    markRevoked: (keyId, projectId, by) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .updateTable("key_metadata")
          .set((eb) => ({ revoked_at: eb.fn.coalesce("revoked_at", eb.val(new Date())) }))
          .where("id", "=", keyId)
          .returningAll()
          .executeTakeFirstOrThrow();
        await writeAudit(trx, { personId: by, projectId, action: "key.revoked", subject: keyId });
        return summary(row);
      }),
  };
}

function summary(row: Selectable<KeyMetadataTable>): KeySummary {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    role: row.role,
    last4: row.last4,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
