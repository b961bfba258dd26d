// Whether a project's schema is what its last release left. In: a connection and a project. Out: what differs, by path.
// It never changes the schema; what a release leaves is recorded in that release's own last transaction.
import type { ProjectId } from "@plinth/bundle";
import type { Drift, SchemaState } from "@plinth/bundle/cell";
import type { Pool, PoolClient } from "pg";
import { type Catalogue, type CatalogueEntry, pathOf, readCatalogue } from "./catalogue.ts";
import { type KeptAside, listSetAside } from "./set-aside.ts";

type Connection = Pick<PoolClient, "query">;

export async function inspectSchema(
  pool: Pool,
  projectId: ProjectId,
): Promise<(Omit<SchemaState, "setAside"> & { readonly setAside: readonly KeptAside[] }) | null> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // One snapshot: a release that ends meanwhile is seen as a whole or not at all.
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const known = await client.query("SELECT FROM plinth.projects WHERE id = $1", [projectId]);
    const state =
      known.rowCount === 0
        ? null
        : { drift: await findDrift(client, projectId), setAside: await listSetAside(client, projectId) };
    await client.query("COMMIT");
    return state;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function findDrift(client: Connection, projectId: ProjectId): Promise<readonly Drift[]> {
  const { rowCount: underWay } = await client.query(
    `SELECT FROM plinth.releases WHERE project_id = $1
       AND (status IN ('received', 'migrating') OR status = 'active' AND finished_at IS NULL)`,
    [projectId],
  );
  if (underWay !== 0) return [];
  const expected = await latestRecord(client, projectId);
  if (expected === null) return [];
  const found = await readCatalogue(client, projectId);
  // Another major version prints expressions in its own way: what differs then says nothing.
  return found.serverVersion === expected.serverVersion ? compareCatalogues(expected, found) : [];
}

async function latestRecord(client: Connection, projectId: ProjectId): Promise<Catalogue | null> {
  const { rows } = await client.query<{ server_version: number; entries: readonly CatalogueEntry[] }>(
    `SELECT server_version, entries FROM plinth.catalogues WHERE project_id = $1 ORDER BY recorded_at DESC LIMIT 1`,
    [projectId],
  );
  return rows[0] === undefined ? null : { serverVersion: rows[0].server_version, entries: rows[0].entries };
}

/** What a release left when it was live to its last step. */
export async function recordOfRelease(client: Connection, releaseId: string): Promise<Catalogue | null> {
  const { rows } = await client.query<{ server_version: number; entries: readonly CatalogueEntry[] }>(
    "SELECT server_version, entries FROM plinth.catalogues WHERE release_id = $1",
    [releaseId],
  );
  return rows[0] === undefined ? null : { serverVersion: rows[0].server_version, entries: rows[0].entries };
}

/** Also where a release has failed: what it had done before stands, and is no drift. */
export async function recordCatalogue(client: Connection, projectId: ProjectId, releaseId: string): Promise<void> {
  const { serverVersion, entries } = await readCatalogue(client, projectId);
  await client.query(
    `INSERT INTO plinth.catalogues (release_id, project_id, server_version, entries) VALUES ($1, $2, $3, $4)
     ON CONFLICT (release_id) DO UPDATE SET server_version = EXCLUDED.server_version, entries = EXCLUDED.entries,
       recorded_at = EXCLUDED.recorded_at`,
    [releaseId, projectId, serverVersion, JSON.stringify(entries)],
  );
}

function compareCatalogues(expected: Catalogue, found: Catalogue): readonly Drift[] {
  const before = new Map(expected.entries.map((entry) => [pathOf(entry), entry.definition]));
  const after = new Map(found.entries.map((entry) => [pathOf(entry), entry.definition]));
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, expected: before.get(path) ?? null, found: after.get(path) ?? null }));
}
