// Addresses that get no more mail of a project. In: an address. Out: whether it is one of them. They are stored sealed,
// and found by a keyed hash: the database alone shows no address.
import { createHmac } from "node:crypto";
import type { Pool } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";
import { wireAddress } from "./address.ts";

export type SuppressionReason = "bounced" | "complained" | "manual";

export interface Suppression {
  readonly address: string;
  readonly reason: SuppressionReason;
  /** RFC 3339. */
  readonly created_at: string;
}

export interface Suppressions {
  /** Identifies an address, but only for a process that has the key. */
  hashOf(projectId: string, address: string): string;
  /** The addresses that still get mail. */
  allowed(projectId: string, addresses: readonly string[]): Promise<readonly string[]>;
  add(projectId: string, address: string, reason: SuppressionReason): Promise<void>;
  /** Whether it was suppressed. */
  remove(projectId: string, address: string): Promise<boolean>;
  /** The newest first. */
  list(projectId: string, limit: number): Promise<readonly Suppression[]>;
}

export interface SuppressionsOptions {
  readonly pool: Pool;
  readonly box: SecretBox;
  readonly kek: Buffer;
}

export function createSuppressions({ pool, box, kek }: SuppressionsOptions): Suppressions {
  const secret = createHmac("sha256", kek).update("plinth suppressed addresses").digest();
  const hashOf = (projectId: string, address: string): string =>
    createHmac("sha256", secret)
      .update(`${projectId}/${(wireAddress(address) ?? address).toLowerCase()}`)
      .digest("base64url");
  return {
    hashOf,
    async allowed(projectId, addresses) {
      const hashes = addresses.map((address) => hashOf(projectId, address));
      const { rows } = await pool.query<{ readonly address_hash: string }>(
        "SELECT address_hash FROM plinth.email_suppressions WHERE project_id = $1 AND address_hash = ANY ($2)",
        [projectId, hashes],
      );
      const found = new Set(rows.map((row) => row.address_hash));
      return addresses.filter((_, at) => !found.has(hashes[at] ?? ""));
    },
    async add(projectId, address, reason) {
      const hash = hashOf(projectId, address);
      await pool.query(
        `INSERT INTO plinth.email_suppressions (project_id, address_hash, sealed, reason) VALUES ($1, $2, $3, $4)
         ON CONFLICT (project_id, address_hash) DO NOTHING`,
        [projectId, hash, box.seal(Buffer.from(address), contextOf(projectId, hash)), reason],
      );
    },
    async remove(projectId, address) {
      const { rowCount } = await pool.query(
        "DELETE FROM plinth.email_suppressions WHERE project_id = $1 AND address_hash = $2",
        [projectId, hashOf(projectId, address)],
      );
      return rowCount === 1;
    },
    async list(projectId, limit) {
      const { rows } = await pool.query<{
        readonly address_hash: string;
        readonly sealed: string;
        readonly reason: SuppressionReason;
        readonly created_at: Date;
      }>(
        `SELECT address_hash, sealed, reason, created_at FROM plinth.email_suppressions
         WHERE project_id = $1 ORDER BY created_at DESC, address_hash LIMIT $2`,
        [projectId, limit],
      );
      return rows.map(({ address_hash: hash, sealed, reason, created_at }) => ({
        address: box.open(sealed, contextOf(projectId, hash)).toString("utf8"),
        reason,
        created_at: created_at.toISOString(),
      }));
    },
  };
}

function contextOf(projectId: string, hash: string): string {
  return `email-suppression/${projectId}/${hash}`;
}
