// Sessions of end users: started, rotated, ended. In: an open tenant transaction. Out: rows and a new refresh token.
// The database only has the SHA-256 of a refresh token. Ending a family ends all of its sessions.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { TenantTransaction } from "@plinth/postgres";

export const SESSION_DAYS = 30;
/** A client that lost the answer of a refresh can repeat it within this time. After that, it counts as theft. */
export const REUSE_GRACE_SECONDS = 10;

export interface NewSession {
  readonly sessionId: string;
  readonly refreshToken: string;
}

export interface SessionOrigin {
  readonly ip: string;
  readonly userAgent: string | null;
}

export type Rotation =
  | { readonly kind: "rotated"; readonly userId: string; readonly family: string; readonly session: NewSession }
  /** The token was already used, and the grace period is over: its family has been ended. */
  | { readonly kind: "reused"; readonly userId: string; readonly family: string }
  | { readonly kind: "unknown" };

export function hashOfRefreshToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export async function beginSession(
  open: TenantTransaction,
  schema: string,
  userId: string,
  origin: SessionOrigin,
): Promise<NewSession> {
  await open.query(`DELETE FROM ${schema}.sessions WHERE user_id = $1::uuid AND expires_at < now()`, [userId]);
  return insertSession(open, schema, { userId, family: null, parent: null, origin });
}

export async function rotateSession(
  open: TenantTransaction,
  schema: string,
  refreshToken: string,
  origin: SessionOrigin,
): Promise<Rotation> {
  const hash = hashOfRefreshToken(refreshToken);
  const named = await open.query(`SELECT family::text, user_id::text FROM ${schema}.sessions WHERE refresh_hash = $1`, [
    hash,
  ]);
  const [family, owner] = named.rows[0] ?? [];
  if (family == null || owner == null) return { kind: "unknown" };
  await lockAccount(open, schema, owner, "shared");
  await lockFamily(open, schema, family);
  const { rows } = await open.query(
    `SELECT id::text, user_id::text, CASE WHEN used_at IS NULL THEN 'fresh'
       WHEN used_at > clock_timestamp() - interval '${REUSE_GRACE_SECONDS} seconds' THEN 'grace' ELSE 'reused' END
     FROM ${schema}.sessions WHERE refresh_hash = $1 AND revoked_at IS NULL AND expires_at > now()`,
    [hash],
  );
  const [parent, userId, use] = rows[0] ?? [];
  if (parent == null || userId == null) return { kind: "unknown" };
  if (use === "reused") {
    await endFamily(open, schema, family);
    return { kind: "reused", userId, family };
  }
  if (use === "fresh") {
    await open.query(`UPDATE ${schema}.sessions SET used_at = clock_timestamp() WHERE id = $1::uuid`, [parent]);
  }
  const session = await insertSession(open, schema, { userId, family, parent, origin });
  return { kind: "rotated", userId, family, session };
}

/** Ends the session of a session id or a refresh token. Null if there is no such session (any more). */
export async function endSession(
  open: TenantTransaction,
  schema: string,
  by: { readonly sessionId: string } | { readonly refreshToken: string },
): Promise<{ readonly userId: string; readonly family: string } | null> {
  const [condition, value] =
    "sessionId" in by ? ["id = $1::uuid", by.sessionId] : ["refresh_hash = $1", hashOfRefreshToken(by.refreshToken)];
  const { rows } = await open.query(`SELECT family::text, user_id::text FROM ${schema}.sessions WHERE ${condition}`, [
    value,
  ]);
  const [family, userId] = rows[0] ?? [];
  if (family == null || userId == null) return null;
  await lockFamily(open, schema, family);
  return (await endFamily(open, schema, family)) ? { userId, family } : null;
}

async function endFamily(open: TenantTransaction, schema: string, family: string): Promise<boolean> {
  const { rowCount } = await open.query(
    `UPDATE ${schema}.sessions SET revoked_at = now() WHERE family = $1::uuid AND revoked_at IS NULL`,
    [family],
  );
  return rowCount > 0;
}

/** Ends those of one family, or all of a user's. @returns the number of families. */
export async function endSessionsOf(
  open: TenantTransaction,
  schema: string,
  userId: string,
  family: string | null,
): Promise<number> {
  await lockAccount(open, schema, userId, "exclusive");
  const { rows } = await open.query(
    `WITH ended AS (
       UPDATE ${schema}.sessions SET revoked_at = now()
       WHERE user_id = $1::uuid AND ($2::uuid IS NULL OR family = $2::uuid) AND revoked_at IS NULL RETURNING family
     ) SELECT count(DISTINCT family)::text FROM ended`,
    [userId, family],
  );
  return Number(rows[0]?.[0]);
}

/**
 * Starting or rotating a session takes a shared lock; ending all sessions of an account takes an exclusive one.
 * Otherwise a session that is just being created would survive the end.
 */
export async function lockAccount(
  open: TenantTransaction,
  schema: string,
  userId: string,
  mode: "shared" | "exclusive",
): Promise<void> {
  const lock = mode === "shared" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock";
  await open.query(`SELECT ${lock}(hashtextextended($1, 0))`, [`plinth.account/${schema}/${userId}`]);
}

/** Without it, a rotation could add a session that a concurrent revocation doesn't see. */
async function lockFamily(open: TenantTransaction, schema: string, family: string): Promise<void> {
  await open.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`plinth.session/${schema}/${family}`]);
}

async function insertSession(
  open: TenantTransaction,
  schema: string,
  of: {
    readonly userId: string;
    readonly family: string | null;
    readonly parent: string | null;
    readonly origin: SessionOrigin;
  },
): Promise<NewSession> {
  const sessionId = randomUUID();
  const refreshToken = `plr_${randomBytes(32).toString("base64url")}`;
  await open.query(
    `INSERT INTO ${schema}.sessions (id, user_id, family, refresh_hash, parent, expires_at, user_agent, ip)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5::uuid, now() + interval '${SESSION_DAYS} days', $6, $7)`,
    [
      sessionId,
      of.userId,
      of.family ?? sessionId,
      hashOfRefreshToken(refreshToken),
      of.parent,
      of.origin.userAgent?.slice(0, 500) ?? null,
      of.origin.ip,
    ],
  );
  return { sessionId, refreshToken };
}
