// Inserts the seed rows of new entities. In: a bundle, in the transaction of the switch. Out: rows. An entity that
// existed before gets none, whatever its name was; neither does one that is restored from the data that was set aside.
import type { Bundle, BundleEntity, ProjectId } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { PoolClient } from "pg";
import { insertSeedPairs, insertSeedRow, type SeedPlace, type SeedRow } from "./seed-row.ts";

/** Table names by object id, which reveal a rename. */
export type TableNames = ReadonlyMap<string, string>;

export async function readTableNames(client: PoolClient, projectId: ProjectId): Promise<TableNames> {
  const { rows } = await client.query<{ oid: string; name: string }>(
    `SELECT c.oid::text AS oid, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')`,
    [tenantNames(projectId).schema],
  );
  return new Map(rows.map((row) => [row.oid, row.name]));
}

/** Updates the cell's own rows about tables that the switch has renamed. */
export async function followRenames(
  client: PoolClient,
  { projectId, releaseId }: { readonly projectId: ProjectId; readonly releaseId: string },
  before: TableNames,
  after: TableNames,
): Promise<void> {
  const renamed = [...before].flatMap(([oid, was]) => {
    const now = after.get(oid);
    return now === undefined || now === was ? [] : [{ was, now }];
  });
  const names = [projectId, renamed.map((each) => each.was), renamed.map((each) => each.now), releaseId];
  // All at once, because two tables may swap their names. The tables that this same plan sets aside already have the
  // new name.
  await client.query(
    `UPDATE plinth.set_aside s SET table_name = r.now FROM unnest($2::text[], $3::text[]) AS r (was, now)
     WHERE s.project_id = $1 AND s.kind = 'column' AND s.table_name = r.was AND s.release_id <> $4`,
    names,
  );
  const { rows } = await client.query<{ table_name: string }>(
    "DELETE FROM plinth.known_tables WHERE project_id = $1 RETURNING table_name",
    [projectId],
  );
  const now = new Map(renamed.map((each) => [each.was, each.now]));
  const standing = new Set(after.values());
  const known = rows.map((row) => now.get(row.table_name) ?? row.table_name).filter((name) => standing.has(name));
  await rememberTables(client, projectId, known);
}

async function rememberTables(client: PoolClient, projectId: ProjectId, names: readonly string[]): Promise<void> {
  await client.query(
    "INSERT INTO plinth.known_tables (project_id, table_name) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING",
    [projectId, names],
  );
}

/** @param live The previous bundle, for projects whose tables were not recorded yet. */
export async function insertSeeds(
  client: PoolClient,
  at: {
    readonly projectId: ProjectId;
    readonly releaseId: string;
    readonly bundle: Bundle;
    readonly live: Bundle | null;
  },
): Promise<void> {
  const { projectId, bundle, live } = at;
  const { rows } = await client.query<{ table_name: string }>(
    "SELECT table_name FROM plinth.known_tables WHERE project_id = $1",
    [projectId],
  );
  const remembered = rows.length > 0 ? rows.map((row) => row.table_name) : (live?.tables ?? []).map(({ name }) => name);
  const known = new Set(remembered);
  const { schema, owner } = tenantNames(projectId);
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(owner)}`);
  const inserted: { readonly place: SeedPlace; readonly row: SeedRow; readonly recordId: string }[] = [];
  for (const entity of referencedFirst(bundle.entities)) {
    if (known.has(entity.table)) continue;
    const table = bundle.tables.find((each) => each.name === entity.table);
    const place = { releaseId: at.releaseId, schema: quoteIdentifier(schema), entity, checks: table?.checks ?? [] };
    for (const row of entity.seed) inserted.push({ place, row, recordId: await insertSeedRow(client, place, row) });
  }
  for (const { place, row, recordId } of inserted) await insertSeedPairs(client, place, recordId, row);
  await client.query("SET LOCAL ROLE NONE");
  await rememberTables(
    client,
    projectId,
    bundle.tables.map((table) => table.name),
  );
}

/** An entity after those that it refers to; within a cycle, in the order of the bundle. */
function referencedFirst(entities: readonly BundleEntity[]): readonly BundleEntity[] {
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  const ordered = new Set<BundleEntity>();
  const visited = new Set<string>();
  const visit = (entity: BundleEntity): void => {
    if (visited.has(entity.name)) return;
    visited.add(entity.name);
    for (const field of entity.fields) {
      const target = field.references === null ? undefined : byName.get(field.references);
      if (target !== undefined && field.join === null) visit(target);
    }
    ordered.add(entity);
  };
  for (const entity of entities) visit(entity);
  return [...ordered];
}
