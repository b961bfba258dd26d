// The versions that an environment's live version was made from. In: a deployment that goes live, or an environment. Out: hashes,
// which show whether another environment has something that this one lacks.
import { sql } from "kysely";
import type { Connection } from "../database/tables.ts";

/** Adds a version and its lineage to the lineage of the environment where it goes live. */
export async function keepLineage(trx: Connection, proposalId: string): Promise<void> {
  // By its text and by its model: a comment changes the text but not the model.
  await sql`
    INSERT INTO control.environment_lineage (project_id, version_hash)
    SELECT p.project_id, made.hash FROM control.proposals p
    JOIN control.blueprint_versions v ON v.id = p.version_id
    CROSS JOIN LATERAL (
      VALUES (v.hash), (v.model_hash)
      UNION SELECT json_array_elements_text(coalesce(p.promoted_lineage, '[]'))
    ) AS made (hash)
    WHERE p.id = ${proposalId}
    ON CONFLICT DO NOTHING`.execute(trx);
}

export async function lineageOf(db: Connection, projectId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("environment_lineage")
    .select("version_hash")
    .where("project_id", "=", projectId)
    .execute();
  return new Set(rows.map(({ version_hash }) => version_hash));
}
