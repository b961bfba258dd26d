// Opens the parts of a cell that requests need: credentials, and the hand-written routes. In: a cell. Out: an
// authenticator and modules. It doesn't listen itself.
import { createUuidV7, FairQueue, type FairQueueOptions, Fault, noNetworks } from "@plinth/service";
import { createSignal, EVENTS_CHANNEL, type Signal } from "../events/signal.ts";
import { createWorkBudget, defaultWorkLimits, defaultWorkRowsMax, type WorkLimits } from "../events/work-budget.ts";
import type { Hooks, ModuleRoutes } from "../http/contracts.ts";
import { createAttemptLimit } from "../identity/attempt-limit.ts";
import { createAuthenticator } from "../identity/authenticate.ts";
import type { Authenticator } from "../identity/authenticator.ts";
import { createCallSecrets } from "../identity/call-secrets.ts";
import { createKeyStore, type KeyStore } from "../identity/key-store.ts";
import { createProjectOfHost } from "../identity/project-host.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { createSigningKeys, type SigningKeys } from "../identity/signing-keys.ts";
import { createStoredLimit } from "../identity/stored-limit.ts";
import { createUsage, type Usage } from "../identity/usage.ts";
import { createUserStore } from "../identity/user-store.ts";
import { createUserTokens } from "../identity/user-token.ts";
import { type AccountMails, createAccountMails } from "../mail/account-mail-queue.ts";
import { type MailSettings, openMail } from "../mail/open-mail.ts";
import { type AccountTokens, createAccountTokens } from "../modules/auth/account-tokens.ts";
import { createSignInLimits } from "../modules/auth/credentials.ts";
import { createPasswords } from "../modules/auth/password.ts";
import { createProofLimits } from "../modules/auth/proofs.ts";
import { createDescriptions, DESCRIPTION_CONNECTIONS } from "../modules/descriptions.ts";
import { createDocsPage } from "../modules/docs-page/docs-page.ts";
import { moduleHandlers } from "../modules/handlers.ts";
import { createModuleRoutes } from "../modules/module-routes.ts";
import { createInvitationTokens } from "../modules/organizations/invitation-tokens.ts";
import { createOrganizationLimits } from "../modules/organizations/limits.ts";
import { createOpenJwks } from "../modules/self-description.ts";
import { createStreamHub, type StreamHub } from "../modules/streams/hub.ts";
import { defaultStreamLimits, type StreamLimits } from "../modules/streams/stream-limits.ts";
import { createMailReports } from "../modules/webhooks-in/mail-reports.ts";
import { createPaypalVerifier } from "../modules/webhooks-in/paypal.ts";
import { createHooks, defaultInboundLimits, type InboundLimits } from "../modules/webhooks-in/receive.ts";
import { createSourceSecrets } from "../modules/webhooks-in/secrets.ts";
import { createInboundStore } from "../modules/webhooks-in/store.ts";
import { createOutbound, defaultOutboundPorts, type Outbound } from "../outbound/call.ts";
import { type CallLimits, defaultCallLimits } from "../outbound/call-slots.ts";
import { createTargetGuard } from "../outbound/target-guard.ts";
import { createListeners } from "../webhooks/listeners.ts";
import { defaultWebhookLimits } from "../webhooks/rules.ts";
import { createEndpointSecrets } from "../webhooks/secrets.ts";
import { createDefinitions } from "../workflows/definitions.ts";
import type { Cell } from "./open-cell.ts";

export interface ApiOptions extends MailSettings {
  readonly kek: Buffer;
  readonly publicUrl: string;
  /** The address at which providers reach inbound webhooks. Default: the public URL. */
  readonly hooksUrl?: string;
  /** Default: the limits that apply if the operator sets nothing. */
  readonly inboundLimits?: InboundLimits;
  /** How much unfinished work a project can have. Default: the limits that apply if the operator sets nothing. */
  readonly workLimits?: WorkLimits;
  readonly callLimits?: CallLimits;
  /** Maximum stored events and runs of one project. Default: the limit that applies if the operator sets nothing. */
  readonly workRowsMax?: number;
  /** Maximum streams of changes at once. Default: the limits that apply if the operator sets nothing. */
  readonly streamLimits?: StreamLimits;
  /** Hosts in this domain name projects; null: hosts don't name projects. Default null. */
  readonly apiDomain?: string | null;
}

export interface Api {
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeys;
  /** Wakes the process that hands events on. */
  readonly signal: Signal;
  readonly usage: Usage;
  readonly authenticator: Authenticator;
  readonly modules: ModuleRoutes;
  readonly streams: StreamHub;
  /** Handles requests of providers. */
  readonly hooks: Hooks;
  /** Sends mails about accounts until the cell is closed. */
  readonly accountMails: AccountMails;
  readonly accountTokens: AccountTokens;
}

/** Closed with the cell. */
export function openApi(cell: Cell, options: ApiOptions): Api {
  const { pool, scope, scopeOf, epoch, registry, logger } = cell;
  const clock = (): number => performance.now();
  const nowSeconds = (): number => Math.floor(Date.now() / 1000);
  const signingKeys = createSigningKeys({ pool, box: createSecretBox(options.kek), clock });
  const keys = createKeyStore({ pool, epoch, clock });
  const tokens = createUserTokens({ signingKeys, publicUrl: options.publicUrl, nowSeconds });
  const users = createUserStore({ tenants: scope, epoch, clock });
  registry.onForget((projectId, isReplaced) => {
    if (isReplaced) return;
    for (const each of [keys, tokens, users, signingKeys]) each.forget(projectId);
  });
  const usage = createUsage({ pool, logger });
  cell.onClose(usage.stop);
  const projectOfHost = createProjectOfHost(options.apiDomain ?? null);
  const authenticator = createAuthenticator({
    keys,
    tokens,
    users,
    registry,
    usage,
    projectOfHost,
    unknownLimit: createAttemptLimit({ ...UNKNOWN_CREDENTIALS, clock }),
    now: Date.now,
  });
  const signal = createSignal(pool);
  cell.onClose(signal.stop);
  const passwords = createPasswords();
  cell.onClose(passwords.stop);
  const newId = createUuidV7({ now: Date.now });
  const streams = createStreamHub({
    pool: cell.openPool("streams", 2, { statementTimeoutMs: 5_000 }),
    epoch,
    registry,
    limits: options.streamLimits ?? defaultStreamLimits,
    logger,
    listen: (wake) => cell.listenTo([EVENTS_CHANNEL], { onNotify: wake, onReconnect: wake }),
  });
  epoch.onChange(streams.wake);
  cell.onClose(streams.stop);
  const box = createSecretBox(options.kek);
  const mail = openMail(pool, options);
  const accountMails = createAccountMails({ pool, box, mailer: mail.mailer, newId, logger });
  cell.onClose(accountMails.stop);
  const accountTokens = createAccountTokens({ pool, box });
  // Separate connections, so that requests of providers and requests to the API never wait for each other.
  const hooksPool = cell.openPool("webhooks in", HOOK_CONNECTIONS, { statementTimeoutMs: 5_000 });
  const inbound = {
    secrets: createSourceSecrets({ pool: hooksPool, box }),
    store: createInboundStore({ pool: hooksPool, box }),
  };
  const { hooksUrl = options.publicUrl } = options;
  const { outboundAllowed: allowed = noNetworks, outboundPorts: ports = defaultOutboundPorts } = options;
  const outbound = createOutbound(options, CERTIFICATE_MS);
  const hooks = createHooks({
    registry,
    ...inbound,
    paypal: createPaypalVerifier({ fetchText: fetchTextBy(outbound), clock: { now: Date.now } }),
    turns: new FairQueue(HOOK_TURNS),
    limits: options.inboundLimits ?? defaultInboundLimits,
    publicUrl: hooksUrl,
    reportMail: createMailReports(openMail(hooksPool, options)),
    onEvent: signal.raise,
    newId,
    clock: { now: Date.now },
    logger,
  });
  const endpointSecrets = createEndpointSecrets({ box });
  const handlers = moduleHandlers({
    users: { scopeOf, epoch },
    batch: { scopeOf },
    auth: {
      scopeOf,
      epoch,
      tokens,
      passwords,
      limits: createSignInLimits(clock),
      secretBox: createSecretBox(options.kek),
      accountTokens,
      accountMails,
      proofLimits: createProofLimits(clock, { pool, kek: options.kek }),
      pool,
    },
    organizations: {
      scopeOf,
      epoch,
      newId,
      limits: createOrganizationLimits(clock),
      invitationTokens: createInvitationTokens(options.kek),
      accountMails,
    },
    webhooks: {
      scopeOf,
      refusalOf: createTargetGuard({ allowed, ports }),
      newId,
      box,
      secrets: endpointSecrets,
      listeners: createListeners({ pool, registry, scopeOf, limits: defaultWebhookLimits, logger, box }),
      onDue: signal.raise,
    },
    workers: {
      scopeOf,
      newId,
      onDue: signal.raise,
      backgroundOf: createDefinitions(pool, registry).of,
      limits: {
        ...(options.workLimits ?? defaultWorkLimits),
        rowsMax: options.workRowsMax ?? defaultWorkRowsMax,
        ...(options.callLimits ?? defaultCallLimits),
      },
      secrets: createCallSecrets({ pool, box: createSecretBox(options.kek) }),
    },
    actions: {
      scopeOf,
      secretBox: createSecretBox(options.kek),
      newId: createUuidV7({ now: Date.now }),
      now: Date.now,
      budget: createWorkBudget(options.workLimits),
      onDue: signal.raise,
    },
    email: {
      scopeOf,
      ...mail,
      connectionTests: createStoredLimit({ pool, kek: options.kek, ...CONNECTION_TESTS }),
    },
    selfDescription: {
      descriptions: createDescriptions(
        cell.openPool("self description", DESCRIPTION_CONNECTIONS, { statementTimeoutMs: DESCRIPTION_MS_MAX }),
      ),
      signingKeys,
    },
    streams: { hub: streams },
    webhooksIn: { scopeOf, onDue: signal.raise, publicUrl: hooksUrl, ...inbound },
  });
  const [openJwks, docsPage] = [createOpenJwks({ signingKeys, projectOfHost }), createDocsPage()];
  const modules = createModuleRoutes(handlers, (head) => docsPage(head) ?? openJwks(head));
  return { keys, signal, signingKeys, usage, authenticator, modules, streams, hooks, accountMails, accountTokens };
}

const DESCRIPTION_MS_MAX = 30_000;
const HOOK_CONNECTIONS = 4;
/**
 * A project's requests leave a connection for the others. A request that would wait longer than its provider does is
 * refused.
 */
const HOOK_TURNS: FairQueueOptions = {
  places: HOOK_CONNECTIONS,
  placesPerProject: HOOK_CONNECTIONS - 1,
  // At least as many as a source may send at once.
  waitingMax: 2_000,
  waitMsMax: 3_000,
  refusal: () => new Fault("unavailable"),
};
const CERTIFICATE_MS = 5_000;

function fetchTextBy(outbound: Outbound): (url: string) => Promise<string | null> {
  return async (url) => {
    const request = { method: "GET", url, headers: {}, body: null, timeoutMs: CERTIFICATE_MS };
    const { status, body } = await outbound.call("certificates", async () => request);
    if (status === 200) return body;
    // 429 and 403 say nothing about the certificate. PayPal is asked again when it repeats the request.
    if (status === 400 || status === 404 || status === 410) return null;
    throw new Error(`The request for the certificate was answered with status ${status}.`);
  };
}

const CONNECTION_TESTS = { name: "connection tests", attemptsMax: 20, windowSeconds: 60 } as const;
/** Per network: credentials that neither a cache nor a table knows. */
const UNKNOWN_CREDENTIALS = { attemptsMax: 50, windowMs: 10_000 } as const;
