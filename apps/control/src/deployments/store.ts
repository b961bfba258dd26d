// Deployments in the database. In: a proposal, or a report of a cell. Out: rows. Going live is one transaction. It never calls a
// cell.
import { type Selectable, sql } from "kysely";
import type { Placement } from "../cells/transport.ts";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase, DeploymentsTable, ProjectsTable } from "../database/tables.ts";
import { renamedWith } from "../environments/renamed.ts";
import { violatesUnique } from "../failure.ts";
import { holdName, keepName } from "../projects/names.ts";
import { lockProposal, type ProposalRow } from "../proposals/store.ts";
import type { Deployment, DeploymentStatus, DeploymentStep, DeploymentSummary } from "./api.ts";
import { goLive } from "./go-live.ts";

interface NewDeployment {
  readonly id: string;
  readonly releaseId: string;
  readonly proposalId: string;
  readonly createdBy: string;
}

export interface Progress {
  readonly status: DeploymentStatus;
  readonly error: string | null;
  readonly steps: readonly DeploymentStep[];
}

/** The state of a deployment, and its cell. */
export interface DeploymentOrder {
  readonly deployment: Deployment;
  /** It is live already: the cell gets the same release once more, for the steps that failed. */
  readonly resuming: boolean;
  readonly placement: Placement;
  readonly organizationId: string;
  /** Environments of the project that are renamed with it, with their new names. */
  readonly renamed: readonly Placement[];
}

/** The parts of a deployment that a cell gets. They may have megabytes, so they are read only for that. */
export interface ApprovedContent {
  /** The hash of the plan. */
  readonly steps: readonly { readonly id: string; readonly summary: string }[];
  readonly text: string;
  readonly baseBundleHash: string | null;
  /** These as JSON, as they were stored. */
  readonly diff: string;
  readonly plan: string;
  readonly refused: string;
  readonly bundle: string;
  readonly bundleHash: string;
  readonly hash: string;
  /** The name of the project after it is live. Null if it doesn't change. */
  readonly name: string | null;
  readonly author: string;
  readonly consents: readonly string[];
  readonly losses: readonly string[];
  readonly approvedBy: string;
  readonly approvedAt: Date;
}

export interface DeploymentStore {
  /** `judge` throws if the proposal can't be deployed now. */
  insert(
    deployment: NewDeployment,
    judge: (proposal: ProposalRow, project: Selectable<ProjectsTable>) => void,
  ): Promise<Begun>;
  get(deploymentId: string): Promise<Deployment | null>;
  list(projectId: string): Promise<readonly DeploymentSummary[]>;
  unfinished(): Promise<readonly string[]>;
  /** The unfinished deployment of this proposal. */
  unfinishedOf(proposalId: string): Promise<string | null>;
  order(deploymentId: string): Promise<DeploymentOrder>;
  content(deploymentId: string): Promise<ApprovedContent>;
  /** Starts a finished deployment again. `judge` throws if that isn't possible. */
  resume(deploymentId: string, by: string, judge: JudgeResume): Promise<Begun>;
  /** The cell has started the remaining steps. */
  resumed(deploymentId: string): Promise<void>;
  /** The cell doesn't answer. */
  waits(deploymentId: string): Promise<void>;
  /** Active: the project has a new live version, its previous deployment is superseded, and older proposals are stale. */
  record(deploymentId: string, progress: Progress): Promise<void>;
  /** Like `record`, and the deployment is finished. */
  finish(deploymentId: string, progress: Progress): Promise<void>;
}

/** `busy`: another deployment of the project is running. `name_taken`: another project has the new name. */
export type Begun = "begun" | "busy" | "name_taken";

type JudgeResume = (
  deployment: Selectable<DeploymentsTable>,
  proposal: ProposalRow,
  project: Selectable<ProjectsTable>,
) => void;

export function createDeploymentStore(db: ControlDatabase): DeploymentStore {
  return {
    insert: async (deployment, judge) => {
      try {
        await db.transaction().execute(async (trx) => {
          const { proposal, project } = await lockProposal(trx, deployment.proposalId);
          judge(proposal, project);
          await holdNewName(trx, proposal, project);
          await trx
            .insertInto("deployments")
            .values({
              id: deployment.id,
              project_id: project.id,
              proposal_id: proposal.id,
              release_id: deployment.releaseId,
              status: "queued",
              created_by: deployment.createdBy,
              error: null,
              finished_at: null,
            })
            .execute();
          const act = { personId: deployment.createdBy, projectId: project.id, subject: deployment.id };
          await writeAudit(trx, { ...act, action: "deployment.created", detail: { proposalId: proposal.id } });
        });
        return "begun";
      } catch (error) {
        return whyNotBegun(error);
      }
    },

    get: async (deploymentId) => {
      const row = await db.selectFrom("deployments").selectAll().where("id", "=", deploymentId).executeTakeFirst();
      return row === undefined ? null : { ...summary(row), steps: row.steps };
    },

    list: async (projectId) => {
      const rows = await db
        .selectFrom("deployments")
        .select(summaryColumns)
        .where("project_id", "=", projectId)
        .orderBy("created_at", "desc")
        .orderBy("id")
        .limit(200)
        .execute();
      return rows.map(summary);
    },

    unfinished: async () => {
      const rows = await db.selectFrom("deployments").select("id").where("finished_at", "is", null).execute();
      return rows.map((row) => row.id);
    },

    unfinishedOf: async (proposalId) => {
      const row = await db
        .selectFrom("deployments")
        .select("id")
        .where("proposal_id", "=", proposalId)
        .where("finished_at", "is", null)
        .where("status", "<>", "active")
        .executeTakeFirst();
      return row?.id ?? null;
    },

    order: async (deploymentId) => {
      const row = await db
        .selectFrom("deployments")
        .innerJoin("projects", "projects.id", "deployments.project_id")
        .innerJoin("cells", "cells.id", "projects.cell_id")
        .selectAll("deployments")
        .innerJoin("proposals", "proposals.id", "deployments.proposal_id")
        .select([
          "projects.slug",
          "projects.cell_id",
          "projects.organization_id",
          "cells.internal_url",
          "proposals.name",
        ])
        .where("deployments.id", "=", deploymentId)
        .executeTakeFirstOrThrow();
      return {
        deployment: { ...summary(row), steps: row.steps },
        resuming: row.resuming,
        placement: { id: row.project_id, slug: row.slug, cellId: row.cell_id, cellUrl: row.internal_url },
        organizationId: row.organization_id,
        renamed: row.name === null || row.name === row.slug ? [] : await renamedWith(db, row.project_id, row.name),
      };
    },

    content: async (deploymentId) => {
      const row = await db
        .selectFrom("deployments")
        .innerJoin("proposals", "proposals.id", "deployments.proposal_id")
        .innerJoin("blueprint_versions as version", "version.id", "proposals.version_id")
        .innerJoin("people", "people.id", "proposals.approved_by")
        .select(["version.text", "people.email as approver", "proposals.created_at", "proposals.approved_at"])
        .select(["proposals.base_bundle_hash", "proposals.bundle_hash", "proposals.hash", "proposals.name"])
        .select(["proposals.author", "proposals.consents", "proposals.losses", "proposals.plan as parsed_plan"])
        .select([
          sql<string>`proposals.diff::text`.as("diff"),
          sql<string>`proposals.plan::text`.as("plan"),
          sql<string>`proposals.refused::text`.as("refused"),
          sql<string>`proposals.bundle::text`.as("bundle"),
        ])
        .where("deployments.id", "=", deploymentId)
        .executeTakeFirstOrThrow();
      return {
        steps: row.parsed_plan.steps.map(({ id, summary: words }) => ({ id, summary: words })),
        text: row.text,
        baseBundleHash: row.base_bundle_hash,
        diff: row.diff,
        plan: row.plan,
        refused: row.refused,
        bundle: row.bundle,
        bundleHash: row.bundle_hash,
        hash: row.hash,
        name: row.name,
        author: row.author,
        consents: row.consents,
        losses: row.losses,
        approvedBy: row.approver,
        approvedAt: row.approved_at ?? row.created_at,
      };
    },

    resume: async (deploymentId, by, judge) => {
      try {
        await db.transaction().execute(async (trx) => {
          const { deployment, proposal, project } = await lockDeployment(trx, deploymentId);
          judge(deployment, proposal, project);
          await holdNewName(trx, proposal, project);
          const again = deployment.status === "active" ? { resuming: true } : { status: "queued" as const };
          await trx
            .updateTable("deployments")
            .set({ ...again, error: null, finished_at: null, waiting_since: null })
            .where("id", "=", deploymentId)
            .execute();
          await writeAudit(trx, {
            personId: by,
            projectId: project.id,
            subject: deploymentId,
            action: "deployment.resumed",
          });
        });
        return "begun";
      } catch (error) {
        return whyNotBegun(error);
      }
    },

    resumed: async (deploymentId) => {
      await db.updateTable("deployments").set({ resuming: false }).where("id", "=", deploymentId).execute();
    },

    waits: async (deploymentId) => {
      await db
        .updateTable("deployments")
        .set({ waiting_since: new Date() })
        .where("id", "=", deploymentId)
        .where("waiting_since", "is", null)
        .where("finished_at", "is", null)
        .execute();
    },

    record: (deploymentId, progress) => moveOn(db, deploymentId, progress, null),
    finish: (deploymentId, progress) => moveOn(db, deploymentId, progress, new Date()),
  };
}

class NameTaken extends Error {}

async function holdNewName(
  trx: Connection,
  { name }: ProposalRow,
  { id: projectId, organization_id: organizationId, slug }: Selectable<ProjectsTable>,
): Promise<void> {
  if (name === null || name === slug) return;
  if (!(await holdName(trx, { projectId, organizationId, name }))) throw new NameTaken();
}

function whyNotBegun(error: unknown): Begun {
  if (error instanceof NameTaken) return "name_taken";
  if (violatesUnique(error, "deployments_unfinished")) return "busy";
  throw error;
}

async function lockDeployment(
  trx: Connection,
  deploymentId: string,
): Promise<{ deployment: Selectable<DeploymentsTable>; proposal: ProposalRow; project: Selectable<ProjectsTable> }> {
  const { proposal_id } = await trx
    .selectFrom("deployments")
    .select("proposal_id")
    .where("id", "=", deploymentId)
    .executeTakeFirstOrThrow();
  const locked = await lockProposal(trx, proposal_id);
  const deployment = await trx
    .selectFrom("deployments")
    .selectAll()
    .where("id", "=", deploymentId)
    .executeTakeFirstOrThrow();
  return { ...locked, deployment };
}

/** Records a report of the cell. The first report of a live release also changes the project. */
async function moveOn(
  db: ControlDatabase,
  deploymentId: string,
  progress: Progress,
  finishedAt: Date | null,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { deployment, proposal, project } = await lockDeployment(trx, deploymentId);
    // Another follower, in another process or before a restart, was faster.
    if (deployment.finished_at !== null) return;
    await trx
      .updateTable("deployments")
      .set({
        status: progress.status,
        error: progress.error,
        steps: JSON.stringify(progress.steps),
        finished_at: finishedAt,
        waiting_since: null,
        ...(finishedAt === null ? {} : { resuming: false }),
      })
      .where("id", "=", deploymentId)
      .execute();
    const act = { personId: null, projectId: project.id, subject: deploymentId };
    const isNew = progress.status !== deployment.status;
    if (finishedAt !== null || (isNew && progress.status === "active")) {
      const detail = { error: progress.error, finished: finishedAt !== null };
      await writeAudit(trx, { ...act, action: `deployment.${progress.status}`, detail });
    }
    const isLive = isNew && progress.status === "active";
    if (isLive) await goLive(trx, deployment.id, proposal, project);
    else if (finishedAt !== null && progress.status === "failed") await keepName(trx, project.id, project.slug);
  });
}

/** Without the steps, because there may be thousands. */
const summaryColumns = [
  "id",
  "project_id",
  "proposal_id",
  "release_id",
  "status",
  "error",
  "waiting_since",
  "created_at",
  "finished_at",
] as const;

function summary(row: Pick<Selectable<DeploymentsTable>, (typeof summaryColumns)[number]>): DeploymentSummary {
  return {
    id: row.id,
    projectId: row.project_id,
    proposalId: row.proposal_id,
    releaseId: row.release_id,
    status: row.status,
    error: row.error,
    waitingSince: row.waiting_since?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}
