// Deployments of approved proposals to cells. In: a proposal. Out: a deployment that can be watched while it runs. It never
// deploys a proposal that wasn't approved against the current live version.
import { newId } from "@plinth/bundle";
import { notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { Judge } from "../proposals/judge-again.ts";
import { STALE } from "../proposals/service.ts";
import { isStale } from "../proposals/store.ts";
import type { Deployment, DeploymentSummary } from "./api.ts";
import type { Followers } from "./follow.ts";
import type { Begun, DeploymentStore } from "./store.ts";

export interface DeploymentService {
  create(by: Person, project: ProjectAccess, proposalId: string): Promise<{ deploymentId: string }>;
  resume(by: Person, project: ProjectAccess, deploymentId: string): Promise<Deployment>;
  get(deploymentId: string): Promise<Deployment>;
  list(project: ProjectAccess): Promise<readonly DeploymentSummary[]>;
}

const notBegun: Readonly<Record<Exclude<Begun, "begun">, string>> = {
  busy: "Another deployment of this project is running. Wait until it is finished.",
  name_taken:
    "Another project of the organization has taken the name in the meantime. Propose the change with another name.",
};

export function createDeploymentService(
  store: DeploymentStore,
  followers: Followers,
  judge: Pick<Judge, "requireCurrent">,
): DeploymentService {
  return {
    create: async (by, access, proposalId) => {
      const created = { id: newId("dep"), releaseId: newId("rel"), proposalId, createdBy: by.id };
      // The same request twice, for example by a double click.
      const underWay = await store.unfinishedOf(proposalId);
      if (underWay !== null) return { deploymentId: underWay };
      await judge.requireCurrent(by, access, proposalId);
      const begun = await store.insert(created, (proposal, project) => {
        if (proposal.status === "open")
          throw refuse("CONFLICT", "The proposal must be approved before it is deployed.");
        if (proposal.status === "stale") throw refuse("CONFLICT", STALE);
        if (proposal.status !== "approved") throw refuse("CONFLICT", `The proposal is already ${proposal.status}.`);
        if (isStale(proposal, project.live_deployment_id)) throw refuse("CONFLICT", STALE);
      });
      if (begun === "busy") {
        const first = await store.unfinishedOf(proposalId);
        if (first !== null) return { deploymentId: first };
      }
      if (begun !== "begun") throw refuse("CONFLICT", notBegun[begun]);
      followers.follow(created.id);
      return { deploymentId: created.id };
    },
    resume: async (by, access, deploymentId) => {
      const known = await store.get(deploymentId);
      if (known === null) throw notFound("deployment");
      await judge.requireCurrent(by, access, known.proposalId);
      const begun = await store.resume(deploymentId, by.id, (deployment, proposal, project) => {
        if (deployment.finished_at === null) throw refuse("CONFLICT", "The deployment is running.");
        const isLive = project.live_deployment_id === deploymentId;
        const isOpen = proposal.status === "approved" && !isStale(proposal, project.live_deployment_id);
        if (deployment.status === "failed" && isOpen) return;
        if (deployment.status === "active" && isLive && deployment.error !== null) return;
        throw refuse("CONFLICT", "Nothing of this deployment is left to resume.");
      });
      if (begun !== "begun") throw refuse("CONFLICT", notBegun[begun]);
      followers.follow(deploymentId);
      return (await store.get(deploymentId)) ?? known;
    },
    get: async (deploymentId) => {
      const deployment = await store.get(deploymentId);
      if (deployment === null) throw notFound("deployment");
      return followers.refresh(deployment);
    },
    list: (project) => store.list(project.id),
  };
}
