// The keys that sign a project's user tokens (Ed25519). In: a project. Out: its keys, public and private.
// A private key is stored sealed and opened in memory only; it never leaves this process.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { boundedQuery, LOOK_UP_MS_MAX } from "./bounded-query.ts";
import type { SecretBox } from "./secret-box.ts";

export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: Readonly<Record<string, string>>;
  readonly publicKey: KeyObject;
  /** Opened on the first use: a replica that only verifies never holds it. */
  readonly privateKey: () => KeyObject;
}

export interface SigningKeys {
  /** The newest first, which signs; the others still verify. Empty for a project that is not known. */
  of(projectId: string): Promise<readonly SigningKey[]>;
  /** Makes a project's first key, once. */
  ensure(client: PoolClient, projectId: string): Promise<void>;
}

const KEYS_OF_PROJECT = `SELECT kid, public_jwk, private_key_sealed FROM plinth.signing_keys
  WHERE project_id = $1 AND retired_at IS NULL ORDER BY created_at DESC, kid`;
const ENTRIES_MAX = 5_000;
const TTL_MS = 300_000;

/** @param clock Monotonic milliseconds. */
export function createSigningKeys(options: {
  readonly pool: Pool;
  readonly box: SecretBox;
  readonly clock: () => number;
}): SigningKeys {
  const { pool, box, clock } = options;
  const cache = new Map<string, { readonly expiresAt: number; readonly keys: Promise<readonly SigningKey[]> }>();

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
      if (known !== undefined && known.expiresAt > clock()) return known.keys;
      const keys = load(projectId);
      cache.delete(projectId);
      cache.set(projectId, { expiresAt: clock() + TTL_MS * (1 - Math.random() / 5), keys });
      if (cache.size > ENTRIES_MAX) cache.delete(cache.keys().next().value as string);
      // Neither a failure nor "no key yet" is remembered.
      const forget = (): void => {
        if (cache.get(projectId)?.keys === keys) cache.delete(projectId);
      };
      keys.then((found) => found.length === 0 && forget(), forget);
      return keys;
    },
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
