// API keys of the cell. In: a key's SHA-256, or an order to store or revoke a key. Out: the rights of the key. It never
// sees a key in plain text, and no revoked key outlives the epoch.
import type { ProjectId } from "@plinth/bundle";
import { boundedQuery, inTransaction, LOOK_UP_MS_MAX } from "@plinth/postgres";
import { bytesOfText, RecentMap } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { bumpEpoch, type Epoch } from "./epoch.ts";
import { createEpochCache, type EpochCache } from "./epoch-cache.ts";
import { createKeyBatch } from "./key-batch.ts";

export interface KeyRecord {
  readonly keyId: string;
  readonly projectId: ProjectId;
  readonly kind: "publishable" | "secret";
  readonly role: string | null;
  readonly expiresAt: Date | null;
}

export interface NewKey {
  readonly keyId: string;
  readonly projectId: string;
  readonly hash: string;
  readonly kind: "publishable" | "secret";
  readonly role: string | null;
  readonly name: string;
  readonly expiresAt: string | null;
}

const KEYS_BY_ID = `SELECT hash, id, project_id, kind, role, expires_at FROM plinth.api_keys
  WHERE id = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;

/** Keys that are valid now, by their ids. Always asks the database. */
export async function findKeys(pool: Pool, ids: readonly string[]): Promise<ReadonlyMap<string, KeyRecord>> {
  const { rows } = await pool.query<KeyRow>(
    boundedQuery({ name: "keys-by-id", text: KEYS_BY_ID, values: [ids] }, LOOK_UP_MS_MAX),
  );
  return new Map(rows.map((row) => [row.id, recordOf(row)]));
}

export interface KeyStore extends Pick<EpochCache<KeyRecord>, "peek" | "load" | "forget"> {
  /**
   * Looks up many keys at once, at a limited rate, for addresses that have sent too many wrong ones. Nothing is cached.
   */
  readonly findSeldom: (hash: string, network: string) => Promise<KeyRecord | null>;
  /** Stores a key. Storing the same id again changes nothing. False if the id or the hash belongs to another key. */
  put(key: NewKey): Promise<boolean>;
  /** False if the key does not exist. A revoked key stays revoked. */
  revoke(projectId: string, keyId: string): Promise<boolean>;
}

/** For all projects. */
const CACHE_BYTES_MAX = 8_000_000;
/** A record with its ids and its expiry, without the hash and the role: an estimate. */
const RECORD_BYTES = 350;

const KEYS_BY_HASH = `SELECT hash, id, project_id, kind, role, expires_at FROM plinth.api_keys
  WHERE hash = ANY($1) AND revoked_at IS NULL`;

export function createKeyStore(options: {
  readonly pool: Pool;
  readonly epoch: Epoch;
  readonly clock: () => number;
}): KeyStore {
  const { pool, epoch, clock } = options;
  const find = async (hashes: readonly string[]): Promise<ReadonlyMap<string, KeyRecord>> => {
    const { rows } = await pool.query<KeyRow>(
      boundedQuery({ name: "keys-by-hash", text: KEYS_BY_HASH, values: [hashes] }, LOOK_UP_MS_MAX),
    );
    return new Map(rows.map((row) => [row.hash, recordOf(row)]));
  };
  const batch = createKeyBatch(find);
  const cache = createEpochCache<KeyRecord>({
    epoch,
    clock,
    bytesMax: CACHE_BYTES_MAX,
    weigh: ({ role }, hash) => bytesOfText(hash) + bytesOfText(role ?? "") + RECORD_BYTES,
    ttlMs: 60_000,
    load: async (hash) => {
      const value = (await find([hash])).get(hash);
      return value === undefined ? null : { projectId: value.projectId, value };
    },
  });

  const unknown = createUnknownKeys(clock);
  const noting = async (hash: string, found: Promise<KeyRecord | null>): Promise<KeyRecord | null> => {
    const key = await found;
    if (key === null) unknown.note(hash);
    return key;
  };

  return {
    peek: cache.peek,
    load: async (hash) => (unknown.has(hash) ? null : noting(hash, cache.load(hash))),
    forget: cache.forget,
    findSeldom: async (hash, network) => (unknown.has(hash) ? null : noting(hash, batch.find(hash, network))),
    put: async (key) => {
      const isStored = await inTransaction(pool, (client) => insertKey(client, key));
      unknown.forget(key.hash);
      return isStored;
    },
    revoke: (projectId, keyId) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          `UPDATE plinth.api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE project_id = $1 AND id = $2`,
          [projectId, keyId],
        );
        if (rowCount === 0) return false;
        await bumpEpoch(client, projectId);
        return true;
      }),
  };
}

/** Unknown hashes that are remembered, for all callers: about 3 MB. */
const UNKNOWN_MAX = 20_000;
/** A key that another process stores meanwhile is refused for this time at most, if somebody had tried it before. */
const UNKNOWN_MS = 5_000;

/** Keys that the database has just not had. A caller who repeats one asks memory only. */
function createUnknownKeys(clock: () => number): {
  readonly has: (hash: string) => boolean;
  readonly note: (hash: string) => void;
  readonly forget: (hash: string) => void;
} {
  const untilMs = new RecentMap<string, number>(UNKNOWN_MAX);
  return {
    has: (hash) => (untilMs.get(hash) ?? 0) > clock(),
    note: (hash) => untilMs.set(hash, clock() + UNKNOWN_MS),
    forget: (hash) => untilMs.delete(hash),
  };
}

interface KeyRow {
  readonly hash: string;
  readonly id: string;
  readonly project_id: ProjectId;
  readonly kind: "publishable" | "secret";
  readonly role: string | null;
  readonly expires_at: Date | null;
}

function recordOf({ id, project_id: projectId, kind, role, expires_at: expiresAt }: KeyRow): KeyRecord {
  return { keyId: id, projectId, kind, role, expiresAt };
}

async function insertKey(client: PoolClient, key: NewKey): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO plinth.api_keys (id, project_id, hash, kind, role, name, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    [key.keyId, key.projectId, key.hash, key.kind, key.role, key.name, key.expiresAt],
  );
  if (rowCount === 1) return true;
  const same = await client.query("SELECT 1 FROM plinth.api_keys WHERE id = $1 AND project_id = $2 AND hash = $3", [
    key.keyId,
    key.projectId,
    key.hash,
  ]);
  return same.rowCount === 1;
}
