// Hashes session tokens before they are stored. In: better-auth's database adapter. Out: the same adapter, but the database only
// gets the SHA-256 of a session's token. It never accepts a hash in place of a token.
import { createHash } from "node:crypto";
import type { DBAdapter, DBTransactionAdapter, Where } from "better-auth";

const MODEL = "session";
const PREFIX = "sha256:";

export function withHashedSessionTokens(adapter: DBAdapter): DBAdapter {
  return {
    ...adapter,
    ...hashed(adapter),
    transaction: (callback) => adapter.transaction((trx) => callback({ ...trx, ...hashed(trx) })),
  };
}

/** The stored form of a token. A token has 32 random characters, so SHA-256 is enough. */
export function storedSessionToken(token: string): string {
  return PREFIX + createHash("sha256").update(token).digest("hex");
}

function hashed(adapter: DBTransactionAdapter): Omit<DBTransactionAdapter, "id" | "options" | "createSchema"> {
  return {
    create: async <T extends Record<string, unknown>, R = T>(query: Parameters<DBAdapter["create"]>[0]): Promise<R> => {
      const row = await adapter.create<T, R>({ ...query, data: stored(query.model, query.data) as Omit<T, "id"> });
      return shown(query.model, row, (query.data as { token?: unknown }).token) as R;
    },
    findOne: async <T>(query: Parameters<DBAdapter["findOne"]>[0]): Promise<T | null> =>
      shown(query.model, await adapter.findOne<T>(onHash(query)), tokenIn(query.where)),
    findMany: async <T>(query: Parameters<DBAdapter["findMany"]>[0]): Promise<T[]> => {
      const rows = await adapter.findMany<T>(onHash(query));
      return rows.map((row) => shown(query.model, row, tokenIn(query.where)) as T);
    },
    count: (query) => adapter.count(onHash(query)),
    update: async <T>(query: Parameters<DBAdapter["update"]>[0]): Promise<T | null> => {
      const row = await adapter.update<T>({ ...onHash(query), update: stored(query.model, query.update) });
      return shown(query.model, row, query.update.token ?? tokenIn(query.where));
    },
    updateMany: (query) => adapter.updateMany({ ...onHash(query), update: stored(query.model, query.update) }),
    delete: (query) => adapter.delete(onHash(query)),
    deleteMany: (query) => adapter.deleteMany(onHash(query)),
    consumeOne: async <T>(query: Parameters<DBAdapter["consumeOne"]>[0]): Promise<T | null> =>
      shown(query.model, await adapter.consumeOne<T>(onHash(query)), tokenIn(query.where)),
    incrementOne: async <T>(query: Parameters<DBAdapter["incrementOne"]>[0]): Promise<T | null> =>
      shown(query.model, await adapter.incrementOne<T>(onHash(query)), tokenIn(query.where)),
  };
}

function stored(model: string, data: Record<string, unknown>): Record<string, unknown> {
  return model === MODEL && typeof data.token === "string" ? { ...data, token: storedSessionToken(data.token) } : data;
}

function onHash<Query extends { model: string; where?: Where[] | undefined }>(query: Query): Query {
  if (query.model !== MODEL || query.where === undefined) return query;
  return { ...query, where: query.where.map((clause) => (clause.field === "token" ? hashedClause(clause) : clause)) };
}

function hashedClause(clause: Where): Where {
  if (typeof clause.value === "string") return { ...clause, value: storedSessionToken(clause.value) };
  if (Array.isArray(clause.value))
    return { ...clause, value: clause.value.map((value) => storedSessionToken(String(value))) };
  return clause;
}

function tokenIn(where: Where[] | undefined): unknown {
  const clause = where?.find((candidate) => candidate.field === "token" && typeof candidate.value === "string");
  return clause?.value;
}

/** better-auth sets the cookie from the returned row, so the row must contain the caller's token again, or otherwise the hash. */
function shown<Row>(model: string, row: Row, token: unknown): Row {
  if (model !== MODEL || row === null || typeof row !== "object" || typeof token !== "string") return row;
  return "token" in row ? { ...row, token } : row;
}
