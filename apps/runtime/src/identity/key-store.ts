// API keys of the cell. In: a key's SHA-256, or an order to store or revoke one. Out: what the key may act as.
// It never sees a key in plain, and never lets a revoked one outlive the epoch.
import type { ProjectId } from "@plinth/bundle";
import type { Pool, PoolClient } from "pg";
import { boundedQuery, LOOK_UP_MS_MAX } from "./bounded-query.ts";
import { bumpEpoch, type Epoch } from "./epoch.ts";
import { createEpochCache, type EpochCache } from "./epoch-cache.ts";
import { inTransaction } from "./transaction.ts";

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

export interface KeyStore extends Pick<EpochCache<KeyRecord>, "peek" | "load"> {
  /** Stores a key; the same id again changes nothing. False where that id or hash is another key's. */
  put(key: NewKey): Promise<boolean>;
  /** False where there is no such key. A key once revoked stays so. */
  revoke(projectId: string, keyId: string): Promise<boolean>;
}

const KEY_BY_HASH = `SELECT id, project_id, kind, role, expires_at FROM plinth.api_keys
  WHERE hash = $1 AND revoked_at IS NULL`;

export function createKeyStore(options: {
  readonly pool: Pool;
  readonly epoch: Epoch;
  readonly clock: () => number;
}): KeyStore {
  const { pool, epoch, clock } = options;
  const cache = createEpochCache<KeyRecord>({
    epoch,
    clock,
    entriesMax: 10_000,
    ttlMs: 60_000,
    load: async (hash) => {
      const { rows } = await pool.query<KeyRow>(
        boundedQuery({ name: "key-by-hash", text: KEY_BY_HASH, values: [hash] }, LOOK_UP_MS_MAX),
      );
      const row = rows[0];
      if (row === undefined) return null;
      const value: KeyRecord = {
        keyId: row.id,
        projectId: row.project_id,
        kind: row.kind,
        role: row.role,
        expiresAt: row.expires_at,
      };
      return { projectId: row.project_id, value };
    },
  });

  return {
    peek: cache.peek,
    load: cache.load,
    put: (key) => inTransaction(pool, (client) => insertKey(client, key)),
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

interface KeyRow {
  readonly id: string;
  readonly project_id: ProjectId;
  readonly kind: "publishable" | "secret";
  readonly role: string | null;
  readonly expires_at: Date | null;
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
