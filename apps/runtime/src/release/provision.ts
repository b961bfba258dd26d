// Creates a project in the cell: schema, two roles, signing key, and its row. In: a project id and slug. Out: nothing.
// Repeating it only changes the slug. It never touches a tenant's tables.
import { isProjectId } from "@plinth/bundle";
import { createTenantSchema, inTransaction, withSession } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool } from "pg";
import { bumpEpoch } from "../identity/epoch.ts";
import type { SigningKeys } from "../identity/signing-keys.ts";

const SLUG = /^[a-z][a-z0-9-]{0,99}$/;

/** @throws Fault validation_failed */
export async function provisionProject(
  deps: { readonly pool: Pool; readonly signingKeys: SigningKeys },
  projectId: string,
  slug: string,
): Promise<void> {
  if (!isProjectId(projectId)) throw new Fault("validation_failed", { detail: "This is not a project id." });
  if (!SLUG.test(slug))
    throw new Fault("validation_failed", { detail: "A slug can only contain lower-case letters, digits and -." });
  await withSession(deps.pool, (client) => createTenantSchema(client, projectId));
  // The row comes last, so that every project that the cell knows has its schema.
  await inTransaction(deps.pool, async (client) => {
    const { rowCount } = await client.query(
      `INSERT INTO plinth.projects (id, slug) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET slug = EXCLUDED.slug WHERE projects.slug <> EXCLUDED.slug`,
      [projectId, slug],
    );
    await deps.signingKeys.ensure(client, projectId);
    if (rowCount !== 0) await bumpEpoch(client, projectId);
  });
}
