// Access tokens in the database. In: ids, names, hashes. Out: rows. It never sees a token.
import { isDiskFull } from "@plinth/postgres";
import { type Selectable, sql } from "kysely";
import { writeAudit } from "../database/audit.ts";
import type { AccessTokensTable, Connection, ControlDatabase } from "../database/tables.ts";
import type { Person } from "../people/auth.ts";
import type { AccessToken, AccessTokenKind } from "./api.ts";

export interface NewAccessToken {
  readonly id: string;
  readonly personId: string;
  readonly name: string;
  readonly kind: AccessTokenKind;
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

export interface TokenStore {
  /** Null where the person has as many as one may. */
  insert(token: NewAccessToken, most: number): Promise<AccessToken | null>;
  list(personId: string): Promise<readonly AccessToken[]>;
  /** False if the person has no such token. */
  revoke(personId: string, tokenId: string): Promise<boolean>;
  /** Those that the command line got by signing in, and approvals that it has not used yet. */
  revokeLogins(personId: string): Promise<void>;
  /** The person of a token. It records the use, at most once a minute. */
  use(tokenHash: string): Promise<{ readonly tokenId: string; readonly person: Person } | null>;
}

export function createTokenStore(db: ControlDatabase): TokenStore {
  return {
    insert: (token, most) =>
      db.transaction().execute(async (trx) => {
        // Two at once must not both be the last that is allowed.
        await trx.selectFrom("people").select("id").where("id", "=", token.personId).forNoKeyUpdate().execute();
        const { count } = await trx
          .selectFrom("access_tokens")
          .select((eb) => eb.fn.countAll<string>().as("count"))
          .where("person_id", "=", token.personId)
          .where("expires_at", ">", sql<Date>`now()`)
          .executeTakeFirstOrThrow();
        return Number(count) >= most ? null : insertToken(trx, token);
      }),

    list: async (personId) => {
      const rows = await db
        .selectFrom("access_tokens")
        .selectAll()
        .where("person_id", "=", personId)
        .where("expires_at", ">", sql<Date>`now()`)
        .orderBy("created_at", "desc")
        .orderBy("id")
        .execute();
      return rows.map(summary);
    },

    revoke: (personId, tokenId) =>
      db.transaction().execute(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("access_tokens")
          .where("id", "=", tokenId)
          .where("person_id", "=", personId)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        await writeAudit(trx, { personId, action: "access_token.revoked", subject: tokenId });
        return true;
      }),

    revokeLogins: (personId) =>
      db.transaction().execute(async (trx) => {
        // Before the tokens: an approval that becomes a token meanwhile has done so when this statement ends.
        await trx.deleteFrom("device_grants").where("person_id", "=", personId).execute();
        const gone = await trx
          .deleteFrom("access_tokens")
          .where("person_id", "=", personId)
          .where("kind", "=", "login")
          .returning("id")
          .execute();
        for (const { id } of gone) await writeAudit(trx, { personId, action: "access_token.revoked", subject: id });
      }),

    use: async (tokenHash) => {
      const row = await db
        .selectFrom("access_tokens as token")
        .innerJoin("people as person", "person.id", "token.person_id")
        .select(["token.id as tokenId", "token.kind", "person.id", "person.name", "person.email"])
        .select(sql<boolean>`coalesce(token.last_used_at < now() - interval '1 minute', true)`.as("isStale"))
        .where("token.token_hash", "=", tokenHash)
        .where("token.expires_at", ">", sql<Date>`now()`)
        .where("person.deleted_at", "is", null)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { tokenId, kind, isStale, ...person } = row;
      if (isStale) {
        const used = { last_used_at: sql<Date>`now()` };
        const noting = db.updateTable("access_tokens").set(used).where("id", "=", tokenId).execute();
        // Without space in the database, a later request records the use.
        await noting.catch((error: unknown) => {
          if (!isDiskFull(error)) throw error;
        });
      }
      return { tokenId, person: kind === "program" ? { ...person, isProgram: true } : person };
    },
  };
}

/** Runs in the caller's transaction, because a device's grant becomes a token in it. */
export async function insertToken(connection: Connection, token: NewAccessToken): Promise<AccessToken> {
  const { id, personId, name, kind } = token;
  const row = await connection
    .insertInto("access_tokens")
    .values({
      id,
      person_id: personId,
      name,
      kind,
      token_hash: token.tokenHash,
      expires_at: token.expiresAt,
      last_used_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await writeAudit(connection, { personId, action: "access_token.created", subject: id, detail: { name, kind } });
  return summary(row);
}

function summary(row: Selectable<AccessTokensTable>): AccessToken {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}
