// Deletes old proposals. In: a project, and the number of proposals to keep. Out: older proposals are deleted, with the versions
// that nothing else needs.
import type { Connection } from "../database/tables.ts";

/** Deployed proposals are kept with their texts, and so is the live version. */
export async function forgetOld(trx: Connection, projectId: string, keptMax: number): Promise<void> {
  const deployed = trx.selectFrom("deployments").select("proposal_id").where("project_id", "=", projectId);
  const old = await trx
    .selectFrom("proposals")
    .select("id")
    .where("project_id", "=", projectId)
    .where("id", "not in", deployed)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .offset(keptMax)
    .execute();
  if (old.length === 0) return;
  const ids = old.map(({ id }) => id);
  await trx.deleteFrom("proposals").where("id", "in", ids).execute();
  await trx
    .deleteFrom("blueprint_versions as version")
    .where("version.project_id", "=", projectId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("proposals")
            .select("proposals.id")
            .where(({ eb, ref, or }) => {
              const named = ["proposals.version_id", "proposals.base_version_id", "proposals.from_version_id"] as const;
              return or(named.map((name) => eb(name, "=", ref("version.id"))));
            }),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("projects").select("id").whereRef("projects.live_version_id", "=", "version.id"))),
    )
    .execute();
}
