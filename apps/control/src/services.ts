// Creates the parts of the control plane. In: a database, the configuration, a logger. Out: services and people. It never
// listens; `server.ts` does.
import type { Logger } from "@plinth/service";
import { createWorkshop, type Workshop } from "./authoring/workshop.ts";
import { keepModels } from "./blueprints/keep-models.ts";
import { createBlueprintService } from "./blueprints/service.ts";
import { createBlueprintStore } from "./blueprints/store.ts";
import { readTemplates } from "./blueprints/templates.ts";
import { createCells } from "./cells/client.ts";
import { createCellStore } from "./cells/store.ts";
import { createTransferCells } from "./cells/transfers.ts";
import { createTransport } from "./cells/transport.ts";
import type { Config } from "./config.ts";
import { createDataService } from "./data/service.ts";
import { createDataStore } from "./data/store.ts";
import type { ControlDatabase } from "./database/tables.ts";
import { createFollowers, type Followers } from "./deployments/follow.ts";
import { createDeploymentService } from "./deployments/service.ts";
import { createDeploymentStore } from "./deployments/store.ts";
import { createDraftService } from "./drafts/service.ts";
import { createDraftStore } from "./drafts/store.ts";
import { createEnvironmentService } from "./environments/service.ts";
import { createEnvironmentStore } from "./environments/store.ts";
import { createInvitationService } from "./invitations/service.ts";
import { createInvitationStore } from "./invitations/store.ts";
import { createKeyService } from "./keys/service.ts";
import { createKeyStore } from "./keys/store.ts";
import { createMailService } from "./mail/service.ts";
import { createAccess } from "./organizations/access.ts";
import { createOrganizationService } from "./organizations/service.ts";
import { createOrganizationStore } from "./organizations/store.ts";
import { createOwnMailer } from "./own-mail/mailer.ts";
import { createAccountService } from "./people/account.ts";
import { createAccountStore } from "./people/account-store.ts";
import { createAttempts } from "./people/attempts.ts";
import { createPeople, type People } from "./people/auth.ts";
import { createPasswords } from "./people/password.ts";
import { createPasswordResets, type PasswordResets } from "./people/password-reset.ts";
import { createResetStore } from "./people/reset-store.ts";
import { createDeletionService, type DeletionService } from "./projects/deletion.ts";
import { createDeletionStore } from "./projects/deletion-store.ts";
import { createProvision } from "./projects/provision.ts";
import { createProjectService } from "./projects/service.ts";
import { createProjectStore } from "./projects/store.ts";
import { createJudge } from "./proposals/judge-again.ts";
import { createRenewal } from "./proposals/renewal.ts";
import { createProposalService } from "./proposals/service.ts";
import { createProposalStore } from "./proposals/store.ts";
import { createTimelineStore } from "./proposals/timeline.ts";
import { createSubmissions } from "./submissions/once.ts";
import { createSubmissionStore } from "./submissions/store.ts";
import { createDeviceGrantStore } from "./tokens/device-grant-store.ts";
import { createDeviceGrants } from "./tokens/device-grants.ts";
import { createTokenService } from "./tokens/service.ts";
import { createTokenStore } from "./tokens/store.ts";
import { createTransferService } from "./transfers/service.ts";
import type { Services } from "./trpc.ts";
import { createUserService } from "./users/service.ts";
import { createWebhookService } from "./webhooks/service.ts";
import { createInboundService } from "./webhooks-in/service.ts";
import { createWorkService } from "./work/service.ts";
import { createWorkStore } from "./work/store.ts";

export interface Parts {
  readonly services: Services;
  readonly people: People;
  readonly resets: PasswordResets;
  /** After a new password, and after all sessions were ended. */
  readonly onSignedOutEverywhere: (personId: string) => Promise<void>;
  readonly followers: Followers;
  /** See `keepModels` in blueprints/keep-models.ts. */
  readonly keepModels: (isStopped: () => boolean) => Promise<void>;
  readonly workshop: Workshop;
  readonly deletion: DeletionService;
  /** Answers all requests that wait for changes. */
  readonly endWaits: () => void;
}

export async function createParts(db: ControlDatabase, config: Config, logger: Logger): Promise<Parts> {
  const organizationStore = createOrganizationStore(db);
  const projectStore = createProjectStore(db);
  const blueprintStore = createBlueprintStore(db);
  const deploymentStore = createDeploymentStore(db);

  const cellStore = createCellStore(db);
  await cellStore.register(config.cell);

  const stopped = new AbortController();
  const workshop = createWorkshop(config.limits);
  const toCells = { secret: config.cellSecret, signer: config.signer, timeoutMs: 10_000 };
  const cells = createCells(toCells);
  const provision = createProvision(projectStore, cells);
  const blueprints = createBlueprintService(
    blueprintStore,
    await readTemplates(),
    workshop,
    config.limits.blueprintBytesMax,
  );
  const followers = createFollowers({
    store: deploymentStore,
    cells,
    provision,
    workshop,
    logger,
    signer: config.signer,
    pollMs: 300,
    retryMsMax: 5_000,
  });
  const deletion = createDeletionService({ store: createDeletionStore(db), cells, logger });
  const accountStore = createAccountStore(db);
  const passwords = createPasswords();
  const people = await createPeople({
    db,
    logger,
    passwords,
    secret: config.authSecret,
    controlUrl: config.controlUrl,
    trustedOrigins: config.trustedOrigins,
    secureCookies: config.secureCookies,
    onSession: (personId) => organizationStore.ensurePersonal(personId),
    onSeen: (sessionId) => accountStore.touchSession(sessionId),
  });
  const resetStore = createResetStore(db);
  const ownMailer = createOwnMailer(config.mail);
  const resets = createPasswordResets({
    store: resetStore,
    mailer: ownMailer,
    passwords,
    logger,
    consoleUrl: config.consoleUrl,
    attemptsMax: config.attemptsMax,
  });
  const tokens = createTokenService(createTokenStore(db));
  const access = createAccess(db);
  const proposalStore = createProposalStore(db, config.limits.proposalsKeptMax);
  const judge = createJudge({ store: proposalStore, blueprints: blueprintStore, workshop });
  const proposals = createProposalService({
    store: proposalStore,
    timeline: createTimelineStore(db),
    blueprints: blueprintStore,
    cells,
    workshop,
    judge,
    blueprintBytesMax: config.limits.blueprintBytesMax,
  });
  const deployments = createDeploymentService(deploymentStore, followers, judge);
  const keys = createKeyService({
    store: createKeyStore(db),
    cells,
    provision,
    liveRoles: async (by, project) => (await blueprints.liveShape(by, project))?.roles ?? null,
  });
  const environments = createEnvironmentService({
    store: createEnvironmentStore(db),
    projects: projectStore,
    cellStore,
    deletion,
    workshop,
    access,
    proposals,
    deployments,
    keys,
    logger,
    environmentsMax: config.limits.environmentsMax,
  });
  return {
    people,
    resets,
    onSignedOutEverywhere: async (personId) => {
      await resetStore.endOpenWays(personId);
      await tokens.revokeLogins(personId);
    },
    followers,
    keepModels: (isStopped) => keepModels(blueprintStore, workshop, logger, isStopped),
    workshop,
    deletion,
    endWaits: () => stopped.abort(),
    services: {
      account: createAccountService({
        store: accountStore,
        passwords,
        wrong: createAttempts({ max: 10, windowSeconds: 600 }),
      }),
      access,
      organizations: createOrganizationService(organizationStore),
      invitations: createInvitationService({
        store: createInvitationStore(db),
        mailer: ownMailer,
        consoleUrl: config.consoleUrl,
        mailed: createAttempts({ max: 5, windowSeconds: 3600 }),
        made: createAttempts({ max: 50, windowSeconds: 3600 }),
        missed: createAttempts({ max: 20, windowSeconds: 600 }),
      }),
      deletion,
      projects: createProjectService({
        store: projectStore,
        cells,
        provision,
        logger,
        cellStore,
        projectsMax: config.limits.projectsPerOrganizationMax,
      }),
      blueprints,
      drafts: createDraftService({
        store: createDraftStore(db, config.limits.drafts),
        saves: createAttempts({ max: 240, windowSeconds: 60 }),
        blueprintBytesMax: config.limits.blueprintBytesMax,
      }),
      environments,
      proposals,
      renewal: createRenewal({ proposals, environments, blueprints: blueprintStore, access, workshop }),
      deployments,
      keys,
      data: createDataService({
        cells,
        store: createDataStore(db),
        liveShape: (by, project) => blueprints.liveShape(by, project),
        stopped: stopped.signal,
      }),
      mail: createMailService({ cells, db }),
      webhooks: createWebhookService({ cells, db }),
      inbound: createInboundService({ cells, db }),
      tokens,
      deviceGrants: createDeviceGrants({
        store: createDeviceGrantStore(db),
        missed: createAttempts({ max: 20, windowSeconds: 600 }),
      }),
      users: createUserService({ cells, db }),
      work: createWorkService({ cells, store: createWorkStore(db) }),
      submissions: createSubmissions({ store: createSubmissionStore(db), logger }),
      transfers: createTransferService({ cells: createTransferCells(createTransport(toCells)), db }),
    },
  };
}
