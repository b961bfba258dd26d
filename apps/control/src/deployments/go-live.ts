// Records that a deployment is live. In: a transaction, the deployment, its proposal and its project, both locked. Out: the
// project has its new live version and name, and its other deployments and proposals are superseded, stale or ended.
import type { Selectable } from "kysely";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ProjectsTable } from "../database/tables.ts";
import { endDeployedDrafts } from "../drafts/store.ts";
import { keepLineage } from "../environments/lineage.ts";
import { keepName, renameEnvironments } from "../projects/names.ts";
import type { ProposalRow } from "../proposals/store.ts";

export async function goLive(
  trx: Connection,
  deploymentId: string,
  proposal: ProposalRow,
  project: Selectable<ProjectsTable>,
): Promise<void> {
  const slug = proposal.name ?? project.slug;
  await keepName(trx, project.id, slug);
  if (slug !== project.slug) {
    const { id: projectId, organization_id: organizationId } = project;
    const act = { personId: null, organizationId, projectId, subject: projectId };
    await writeAudit(trx, { ...act, action: "project.renamed", detail: { from: project.slug, to: slug } });
    await renameEnvironments(trx, { rootId: projectId, organizationId, slug });
  }
  await trx
    .updateTable("projects")
    .set({
      slug,
      live_version_id: proposal.version_id,
      live_deployment_id: deploymentId,
      live_bundle_hash: proposal.bundle_hash,
      live_at: new Date(),
    })
    .where("id", "=", proposal.project_id)
    .execute();
  await keepLineage(trx, proposal.id);
  await trx
    .updateTable("deployments")
    .set({ status: "superseded" })
    .where("project_id", "=", proposal.project_id)
    .where("status", "=", "active")
    .where("id", "<>", deploymentId)
    .execute();
  await trx.updateTable("proposals").set({ status: "deployed" }).where("id", "=", proposal.id).execute();
  await endDeployedDrafts(trx, project.id, proposal.version_id);
  await trx
    .updateTable("proposals")
    .set({ status: "stale" })
    .where("project_id", "=", proposal.project_id)
    .where("status", "in", ["open", "approved"])
    .where("base_deployment_id", "is distinct from", deploymentId)
    .execute();
}
