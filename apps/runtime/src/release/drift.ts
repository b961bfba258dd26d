// Compares a project's schema with the state after its last release. In: a connection and a project. Out: the
// differences, by path. It never changes the schema. Each release records its final state in its own last transaction.
import type { ProjectId } from "@plinth/bundle";
import type { Drift, SchemaState } from "@plinth/bundle/cell";
import { withSession } from "@plinth/postgres";
import type { Pool, PoolClient } from "pg";
import { type Catalogue, type CatalogueEntry, pathOf, readCatalogue } from "./catalogue.ts";
import { type KeptAside, listSetAside } from "./set-aside.ts";

type Connection = Pick<PoolClient, "query">;

export async function inspectSchema(
  pool: Pool,
  projectId: ProjectId,
): Promise<(Omit<SchemaState, "setAside"> & { readonly setAside: readonly KeptAside[] }) | null> {
  return withSession(pool, async (client) => {
    // One snapshot: a release that ends meanwhile is seen completely or not at all.
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const known = await client.query("SELECT FROM plinth.projects WHERE id = $1", [projectId]);
    const state =
      known.rowCount === 0
        ? null
        : { drift: await findDrift(client, projectId), setAside: await listSetAside(client, projectId) };
    await client.query("COMMIT");
    return state;
  });
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
  // Another major version prints expressions differently, so a difference says nothing.
  return found.serverVersion === expected.serverVersion ? compareCatalogues(expected, found) : [];
}

async function latestRecord(client: Connection, projectId: ProjectId): Promise<Catalogue | null> {
  const { rows } = await client.query<{ server_version: number; entries: readonly CatalogueEntry[] }>(
    `SELECT server_version, entries FROM plinth.catalogues WHERE project_id = $1 ORDER BY recorded_at DESC LIMIT 1`,
    [projectId],
  );
  return rows[0] === undefined ? null : { serverVersion: rows[0].server_version, entries: rows[0].entries };
}

/** The state when the release had completed its last step. */
export async function recordOfRelease(client: Connection, releaseId: string): Promise<Catalogue | null> {
  const { rows } = await client.query<{ server_version: number; entries: readonly CatalogueEntry[] }>(
    "SELECT server_version, entries FROM plinth.catalogues WHERE release_id = $1",
    [releaseId],
  );
  return rows[0] === undefined ? null : { serverVersion: rows[0].server_version, entries: rows[0].entries };
}

/** Also recorded if a release has failed: its completed steps stay, and don't count as drift. */
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
