// Creates the views through which a project records its changes for subscribers, and reads what is followed. In: the
// transaction of a switch. Out: the views. It reads no row of the project.
import type { Bundle, ProjectId } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral, tenantNames } from "@plinth/postgres";
import type { PoolClient } from "pg";
import { CHANGES_VIEW, FOLLOWED_VIEW, hasFollowed } from "../query/watched.ts";

/** Does nothing if no entity of the release can be followed. */
export async function bringChangeViews(
  client: PoolClient,
  { projectId, bundle }: { readonly projectId: ProjectId; readonly bundle: Pick<Bundle, "entities"> },
  schema: string = tenantNames(projectId).schema,
): Promise<void> {
  if (!hasFollowed(bundle)) return;
  const changes = `${quoteIdentifier(schema)}.${quoteIdentifier(CHANGES_VIEW)}`;
  const followed = `${quoteIdentifier(schema)}.${quoteIdentifier(FOLLOWED_VIEW)}`;
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS there", [changes]);
  if (rows[0].there === true) return;
  const project = quoteLiteral(projectId);
  await client.query(
    `CREATE VIEW ${changes} AS SELECT project_id, entity, kind, record_id, old, new, seq
       FROM plinth.changes WHERE project_id = ${project} WITH CASCADED CHECK OPTION`,
  );
  await client.query(`ALTER VIEW ${changes} ALTER COLUMN project_id SET DEFAULT ${project}`);
  await client.query(`CREATE VIEW ${followed} AS SELECT entity FROM plinth.followed WHERE project_id = ${project}`);
  const worker = quoteIdentifier(tenantNames(projectId).worker);
  await client.query(`GRANT SELECT, INSERT ON ${changes} TO ${worker}`);
  await client.query(`GRANT SELECT ON ${followed} TO ${worker}`);
}
