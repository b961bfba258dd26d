// Procedures about deployments. In: checked input. Out: the answers of the service.
import { forDeployment, forProject, forProposal } from "../trpc.ts";
import type { DeploymentProcedures } from "./api.ts";

export const deploymentProcedures: DeploymentProcedures = {
  create: forProposal("write").mutation(({ ctx, input }) =>
    ctx.services.deployments.create(ctx.person, ctx.project, input.proposalId),
  ),
  resume: forDeployment("write").mutation(({ ctx, input }) =>
    ctx.services.deployments.resume(ctx.person, ctx.project, input.deploymentId),
  ),
  get: forDeployment("read", "programs").query(({ ctx, input }) => ctx.services.deployments.get(input.deploymentId)),
  list: forProject("read", "programs").query(({ ctx }) => ctx.services.deployments.list(ctx.project)),
};
