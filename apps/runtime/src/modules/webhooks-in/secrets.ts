// The secrets that inbound sources are verified with: several may be live, while a provider changes over. In: a project and a source.
// Out: their texts, for the verifier alone. They are stored sealed, and never told again.
import { createUuidV7 } from "@plinth/service";
import type { ClientBase, Pool } from "pg";
import type { SecretBox } from "../../identity/secret-box.ts";

export interface KnownSecret {
  readonly id: string;
  readonly source: string;
  /** RFC 3339. */
  readonly created_at: string;
}

export interface SourceSecrets {
  textsOf(projectId: string, source: string): Promise<readonly string[]>;
  /** Without their texts, the oldest first. */
  of(projectId: string): Promise<readonly KnownSecret[]>;
  /** Null where there are as many as there may be. */
  add(client: ClientBase, projectId: string, source: string, text: string): Promise<string | null>;
  /** False where there was none. */
  remove(client: ClientBase, projectId: string, id: string): Promise<boolean>;
}

/** Of one source at once. */
export const SECRETS_MAX = 5;

export function createSourceSecrets({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): SourceSecrets {
  const newId = createUuidV7({ now: Date.now });
  return {
    async textsOf(projectId, source) {
      const { rows } = await pool.query<{ id: string; sealed: string }>({
        name: "inbound-secrets",
        text: "SELECT id, sealed FROM plinth.inbound_secrets WHERE project_id = $1 AND source = $2",
        values: [projectId, source],
      });
      return rows.map(({ id, sealed }) => box.open(sealed, contextOf(projectId, id)).toString());
    },
    async of(projectId) {
      const { rows } = await pool.query<{ id: string; source: string; created_at: Date }>(
        "SELECT id, source, created_at FROM plinth.inbound_secrets WHERE project_id = $1 ORDER BY source, id",
        [projectId],
      );
      return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
    },
    async add(client, projectId, source, text) {
      const id = newId();
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
        `plinth.inbound_secrets/${projectId}`,
      ]);
      const { rowCount } = await client.query(
        `INSERT INTO plinth.inbound_secrets (project_id, source, id, sealed) SELECT $1, $2, $3, $4
         WHERE (SELECT count(*) FROM plinth.inbound_secrets WHERE project_id = $1 AND source = $2) < ${SECRETS_MAX}`,
        [projectId, source, id, box.seal(Buffer.from(text), contextOf(projectId, id))],
      );
      return rowCount === 1 ? id : null;
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
