// The control API. Out: `appRouter`, with the types of `api.ts`.
import type { TRPCBuiltRouter } from "@trpc/server";
import type { AppProcedures } from "./api.ts";
import { blueprintProcedures } from "./blueprints/router.ts";
import { dataProcedures } from "./data/router.ts";
import { deploymentProcedures } from "./deployments/router.ts";
import { draftProcedures } from "./drafts/router.ts";
import { environmentProcedures } from "./environments/router.ts";
import { invitationProcedures } from "./invitations/router.ts";
import { keyProcedures } from "./keys/router.ts";
import { mailProcedures } from "./mail/router.ts";
import { organizationProcedures } from "./organizations/router.ts";
import { meProcedures } from "./people/router.ts";
import { projectProcedures } from "./projects/router.ts";
import { proposalProcedures } from "./proposals/router.ts";
import { deviceProcedures, tokenProcedures } from "./tokens/router.ts";
import { transferProcedures } from "./transfers/router.ts";
import { buildRouter, type Root } from "./trpc.ts";
import { userProcedures } from "./users/router.ts";
import { webhookProcedures } from "./webhooks/router.ts";
import { inboundProcedures } from "./webhooks-in/router.ts";
import { workProcedures } from "./work/router.ts";

export const appRouter: TRPCBuiltRouter<Root, AppProcedures> = buildRouter({
  me: meProcedures,
  organizations: organizationProcedures,
  invitations: invitationProcedures,
  projects: projectProcedures,
  environments: environmentProcedures,
  blueprints: blueprintProcedures,
  drafts: draftProcedures,
  proposals: proposalProcedures,
  deployments: deploymentProcedures,
  keys: keyProcedures,
  data: dataProcedures,
  mail: mailProcedures,
  webhooks: webhookProcedures,
  inbound: inboundProcedures,
  work: workProcedures,
  transfers: transferProcedures,
  tokens: tokenProcedures,
  devices: deviceProcedures,
  users: userProcedures,
});
