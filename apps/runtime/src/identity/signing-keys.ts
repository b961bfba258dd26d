// The keys that sign a project's user tokens (Ed25519). In: a project. Out: its keys, public and private. A private key
// is stored sealed, opened in memory only, and never leaves this process.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { boundedQuery, LOOK_UP_MS_MAX } from "@plinth/postgres";
import { ByteCache } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import type { SecretBox } from "./secret-box.ts";

export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: Readonly<Record<string, string>>;
  readonly publicKey: KeyObject;
  /** Opened at the first use: a replica that only verifies never opens it. */
  readonly privateKey: () => KeyObject;
}

export interface SigningKeys {
  /** The newest first, which signs. The others still verify. Empty for an unknown project. */
  of(projectId: string): Promise<readonly SigningKey[]>;
  /** Creates a project's first key, once. */
  ensure(client: PoolClient, projectId: string): Promise<void>;
  /** Deletes a project's entries from the cache. */
  forget(projectId: string): void;
}

const KEYS_OF_PROJECT = `SELECT kid, public_jwk, private_key_sealed FROM plinth.signing_keys
  WHERE project_id = $1 AND retired_at IS NULL ORDER BY created_at DESC, kid`;
/** For all projects. */
const CACHE_BYTES_MAX = 16_000_000;
/** A key with its opened private half, and the size of a project's entry without its keys: estimates. */
const KEY_BYTES = 2_700;
const PROJECT_BYTES = 300;
const TTL_MS = 300_000;

/** @param clock Monotonic milliseconds. */
export function createSigningKeys(options: {
  readonly pool: Pool;
  readonly box: SecretBox;
  readonly clock: () => number;
}): SigningKeys {
  const { pool, box, clock } = options;
  const cache = new ByteCache<string, { readonly expiresAt: number; readonly keys: readonly SigningKey[] }>({
    bytesMax: CACHE_BYTES_MAX,
    weigh: ({ keys }) => keys.length * KEY_BYTES + PROJECT_BYTES,
  });
  const flights = new Map<string, Promise<readonly SigningKey[]>>();

  async function load(projectId: string): Promise<readonly SigningKey[]> {
    const { rows } = await pool.query<{ kid: string; public_jwk: string; private_key_sealed: string }>(
      boundedQuery({ text: KEYS_OF_PROJECT, values: [projectId] }, LOOK_UP_MS_MAX),
    );
    return rows.map((row) => {
      const publicJwk = JSON.parse(row.public_jwk) as Record<string, string>;
      let opened: KeyObject | undefined;
      return {
        kid: row.kid,
        publicJwk,
        publicKey: createPublicKey({ key: publicJwk, format: "jwk" }),
        privateKey: () => {
          opened ??= createPrivateKey({
            key: box.open(row.private_key_sealed, contextOf(projectId, row.kid)),
            format: "der",
            type: "pkcs8",
          });
          return opened;
        },
      };
    });
  }

  return {
    of(projectId) {
      const known = cache.get(projectId);
      if (known !== undefined && known.expiresAt > clock()) return Promise.resolve(known.keys);
      const running = flights.get(projectId);
      if (running !== undefined) return running;
      const flight = load(projectId)
        .then((keys) => {
          // Neither a failure nor "no key yet" is cached.
          if (keys.length === 0) cache.delete(projectId);
          else cache.set(projectId, { expiresAt: clock() + TTL_MS * (1 - Math.random() / 5), keys });
          return keys;
        })
        .finally(() => flights.delete(projectId));
      flights.set(projectId, flight);
      return flight;
    },
    forget: (projectId) => cache.delete(projectId),
    async ensure(client, projectId) {
      const known = await client.query("SELECT 1 FROM plinth.signing_keys WHERE project_id = $1", [projectId]);
      if (known.rowCount !== 0) return;
      const { publicKey, privateKey } = generateKeyPairSync("ed25519");
      const kid = randomBytes(9).toString("base64url");
      const publicJwk = { ...publicKey.export({ format: "jwk" }), kid, alg: "EdDSA", use: "sig" };
      const sealed = box.seal(privateKey.export({ format: "der", type: "pkcs8" }), contextOf(projectId, kid));
      await client.query(
        `INSERT INTO plinth.signing_keys (project_id, kid, public_jwk, private_key_sealed) VALUES ($1, $2, $3, $4)`,
        [projectId, kid, JSON.stringify(publicJwk), sealed],
      );
    },
  };
}

function contextOf(projectId: string, kid: string): string {
  return `signing-key/${projectId}/${kid}`;
}
