// The secrets that verify inbound sources. Several can be live while a provider changes over. In: a project and a
// source. Out: their texts, only for the verifier. They are stored sealed, and never shown again.
import { createUuidV7 } from "@plinth/service";
import type { ClientBase, Pool } from "pg";
import type { SecretBox } from "../../identity/secret-box.ts";

export interface KnownSecret {
  readonly id: string;
  readonly source: string;
  /** RFC 3339. */
  readonly created_at: string;
  /** RFC 3339: when it stops being valid; null: never. */
  readonly expires_at: string | null;
}

export interface NewSecret {
  readonly source: string;
  readonly text: string;
  /** How long the current ones stay valid together with it; null: they stay. */
  readonly overlapHours: number | null;
}

export interface SourceSecrets {
  textsOf(projectId: string, source: string): Promise<readonly string[]>;
  /** Without their texts, the oldest first. */
  of(client: ClientBase, projectId: string): Promise<readonly KnownSecret[]>;
  /** Null if the source already has the maximum number. */
  add(client: ClientBase, projectId: string, secret: NewSecret): Promise<string | null>;
  /** False if there was none. */
  remove(client: ClientBase, projectId: string, id: string): Promise<boolean>;
}

/** For one source at once. */
export const SECRETS_MAX = 5;
const LIVE = "(expires_at IS NULL OR expires_at > clock_timestamp())";

export function createSourceSecrets({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): SourceSecrets {
  const newId = createUuidV7({ now: Date.now });
  return {
    async textsOf(projectId, source) {
      const { rows } = await pool.query<{ id: string; sealed: string }>({
        name: "inbound-secrets",
        text: `SELECT id, sealed FROM plinth.inbound_secrets WHERE project_id = $1 AND source = $2 AND ${LIVE}`,
        values: [projectId, source],
      });
      return rows.map(({ id, sealed }) => box.open(sealed, contextOf(projectId, id)).toString());
    },
    async of(client, projectId) {
      const { rows } = await client.query<{ id: string; source: string; created_at: Date; expires_at: Date | null }>(
        `SELECT id, source, created_at, expires_at FROM plinth.inbound_secrets WHERE project_id = $1 AND ${LIVE} ORDER BY source, id`,
        [projectId],
      );
      return rows.map((row) => ({
        ...row,
        created_at: row.created_at.toISOString(),
        expires_at: row.expires_at?.toISOString() ?? null,
      }));
    },
    async add(client, projectId, { source, text, overlapHours }) {
      const id = newId();
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
        `plinth.inbound_secrets/${projectId}`,
      ]);
      await client.query(`DELETE FROM plinth.inbound_secrets WHERE project_id = $1 AND source = $2 AND NOT (${LIVE})`, [
        projectId,
        source,
      ]);
      const { rowCount } = await client.query(
        `INSERT INTO plinth.inbound_secrets (project_id, source, id, sealed) SELECT $1, $2, $3, $4
         WHERE (SELECT count(*) FROM plinth.inbound_secrets WHERE project_id = $1 AND source = $2) < ${SECRETS_MAX}`,
        [projectId, source, id, box.seal(Buffer.from(text), contextOf(projectId, id))],
      );
      if (rowCount !== 1) return null;
      if (overlapHours !== null) {
        await client.query(
          `UPDATE plinth.inbound_secrets SET expires_at = least(expires_at, clock_timestamp() + make_interval(hours => $4))
           WHERE project_id = $1 AND source = $2 AND id <> $3`,
          [projectId, source, id, overlapHours],
        );
      }
      return id;
    },
    async remove(client, projectId, id) {
      const { rowCount } = await client.query("DELETE FROM plinth.inbound_secrets WHERE project_id = $1 AND id = $2", [
        projectId,
        id,
      ]);
      return rowCount === 1;
    },
  };
}

function contextOf(projectId: string, id: string): string {
  return `inbound-secret/${projectId}/${id}`;
}
