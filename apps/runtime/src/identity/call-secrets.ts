// The secrets that sign calls to a project's own services, so that they know who calls (Standard Webhooks,
// HMAC-SHA256). In: a project. Out: its secrets. They are stored sealed, and leave the process only when an admin reads
// them.
import { randomBytes } from "node:crypto";
import { createUuidV7 } from "@plinth/service";
import type { ClientBase, Pool } from "pg";
import type { SecretBox } from "./secret-box.ts";
import { HMAC_PREFIX } from "./webhook-signature.ts";

export interface CallSecret {
  /** In the form that receivers get: `whsec_` and base64. */
  readonly text: string;
  /** RFC 3339; null for the current one. */
  readonly until: string | null;
}

export interface CallSecrets {
  /** The newest first. There is a second one while receivers change over. The first one is created at its first use. */
  of(projectId: string): Promise<readonly CallSecret[]>;
  /** Creates a new secret. The previous one also signs for a day; one before that ends now. */
  rotate(client: ClientBase, projectId: string): Promise<void>;
}

const SECRET_BYTES = 32;
const OVERLAP = "1 day";

interface Stored {
  readonly id: string;
  readonly sealed: string;
  readonly until: Date | null;
}

export function createCallSecrets({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): CallSecrets {
  const newId = createUuidV7({ now: Date.now });
  const read = async (projectId: string): Promise<readonly CallSecret[]> => {
    const { rows } = await pool.query<Stored>(
      `SELECT id, sealed, until FROM plinth.call_secrets
       WHERE project_id = $1 AND (until IS NULL OR until > clock_timestamp()) ORDER BY until NULLS FIRST`,
      [projectId],
    );
    return rows.map(({ id, sealed, until }) => ({
      text: HMAC_PREFIX + box.open(sealed, contextOf(projectId, id)).toString("base64"),
      until: until?.toISOString() ?? null,
    }));
  };
  /** If two processes create the first one, only one of them is stored. */
  const add = async (client: Pool | ClientBase, projectId: string): Promise<void> => {
    const id = newId();
    const sealed = box.seal(randomBytes(SECRET_BYTES), contextOf(projectId, id));
    await client.query(
      `INSERT INTO plinth.call_secrets (project_id, id, sealed) VALUES ($1, $2, $3)
       ON CONFLICT (project_id) WHERE until IS NULL DO NOTHING`,
      [projectId, id, sealed],
    );
  };
  return {
    async of(projectId) {
      const known = await read(projectId);
      if (known.length > 0) return known;
      await add(pool, projectId);
      return read(projectId);
    },
    async rotate(client, projectId) {
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`plinth.call_secrets/${projectId}`]);
      await client.query("DELETE FROM plinth.call_secrets WHERE project_id = $1 AND until IS NOT NULL", [projectId]);
      await client.query(
        `UPDATE plinth.call_secrets SET until = clock_timestamp() + interval '${OVERLAP}' WHERE project_id = $1`,
        [projectId],
      );
      await add(client, projectId);
    },
  };
}

function contextOf(projectId: string, id: string): string {
  return `call-secret/${projectId}/${id}`;
}
