// A project's connections to other services. In: a project and a name. Out: the connection, opened only for this
// process. Its secrets are stored sealed and never shown to anybody.
import { type ConnectionValues, connectorManifests, type ReadConnection } from "@plinth/connectors/manifests";
import type { Pool } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";

export interface ConnectionRow {
  readonly name: string;
  readonly provider: string;
  readonly settings: ConnectionValues;
  /** Names of its secrets; never their values. */
  readonly secrets: readonly string[];
  /** RFC 3339. */
  readonly updated_at: string;
}

export interface OpenConnection extends ReadConnection {
  readonly name: string;
  readonly provider: string;
}

export interface Connections {
  list(projectId: string): Promise<readonly ConnectionRow[]>;
  /** Null if there is none. */
  open(projectId: string, name: string): Promise<OpenConnection | null>;
  /** Replaces the connection of this name. */
  set(projectId: string, connection: OpenConnection): Promise<void>;
  /** Whether there was one. */
  remove(projectId: string, name: string): Promise<boolean>;
}

/** The name of the connection if no integration names another one. */
export const USUAL_EMAIL_CONNECTION = "email";

interface Stored {
  readonly name: string;
  readonly provider: string;
  readonly settings: ConnectionValues;
  readonly sealed: string;
  readonly updated_at: Date;
}

export function createConnections({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): Connections {
  return {
    async list(projectId) {
      const { rows } = await pool.query<Stored>(
        "SELECT name, provider, settings, updated_at FROM plinth.connections WHERE project_id = $1 ORDER BY name",
        [projectId],
      );
      return rows.map(({ name, provider, settings, updated_at }) => ({
        name,
        provider,
        settings,
        secrets: (connectorManifests.get(provider)?.fields ?? []).filter(({ secret }) => secret).map((one) => one.name),
        updated_at: updated_at.toISOString(),
      }));
    },
    async open(projectId, name) {
      const { rows } = await pool.query<Stored>(
        "SELECT provider, settings, sealed FROM plinth.connections WHERE project_id = $1 AND name = $2",
        [projectId, name],
      );
      const [row] = rows;
      if (row === undefined) return null;
      const secrets = JSON.parse(box.open(row.sealed, contextOf(projectId, name)).toString("utf8")) as ConnectionValues;
      return { name, provider: row.provider, settings: row.settings, secrets };
    },
    async set(projectId, { name, provider, settings, secrets }) {
      const sealed = box.seal(Buffer.from(JSON.stringify(secrets)), contextOf(projectId, name));
      await pool.query(
        `INSERT INTO plinth.connections (project_id, name, provider, settings, sealed) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (project_id, name) DO UPDATE SET provider = excluded.provider, settings = excluded.settings,
           sealed = excluded.sealed, updated_at = now()`,
        [projectId, name, provider, JSON.stringify(settings), sealed],
      );
    },
    async remove(projectId, name) {
      const { rowCount } = await pool.query("DELETE FROM plinth.connections WHERE project_id = $1 AND name = $2", [
        projectId,
        name,
      ]);
      return rowCount === 1;
    },
  };
}

function contextOf(projectId: string, name: string): string {
  return `connection/${projectId}/${name}`;
}
