// Work in the background, on a cell. In: a cell and its settings. Out: events handed on and runs carried out, until the cell is
// closed. It has connections of its own: whatever a run waits for, no request waits behind it.
import { createTenantScope, listen, type ProjectScope } from "@plinth/postgres";
import { createUuidV7, type Networks } from "@plinth/service";
import { createDispatcher } from "../events/dispatch.ts";
import { EVENTS_CHANNEL } from "../events/signal.ts";
import { createWorkBudget, type WorkLimits } from "../events/work-budget.ts";
import { createCallSecrets } from "../identity/call-secrets.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { startWork, type Work } from "../jobs/work.ts";
import { openMail } from "../mail/open-mail.ts";
import { createOutbound } from "../outbound/call.ts";
import { createHandOn, eventsAtOnce } from "../webhooks/hand-on.ts";
import { defaultWebhookLimits, type WebhookLimits } from "../webhooks/rules.ts";
import { createDefinitions } from "../workflows/definitions.ts";
import { createExecutor } from "../workflows/execute.ts";
import type { Cell } from "./open-cell.ts";
import { startWebhooks } from "./webhooks-out.ts";

export interface WorkerOptions {
  readonly databaseUrl: string;
  readonly listenUrl?: string;
  readonly kek: Buffer;
  /** Networks that calls of projects may reach although they are not public. Default: none. */
  readonly outboundAllowed?: Networks;
  /** Ports of public addresses that they may call. Default: what counts where the operator says nothing. */
  readonly outboundPorts?: ReadonlySet<number>;
  /** Mails of one project in an hour. Default: what counts where the operator says nothing. */
  readonly mailsPerHour?: number;
  /** Whether mails of a project without a connection are kept, and shown in the console. Default: no. */
  readonly mailbox?: boolean;
  /** What one call of another service may take. Default: what counts where the operator says nothing. */
  readonly callMsMax?: number;
  /** How much unfinished work a project may have. Default: what counts where the operator says nothing. */
  readonly workLimits?: WorkLimits;
  /** What blueprints may have of webhooks. Default: what counts where the operator says nothing. */
  readonly webhookLimits?: WebhookLimits;
}

/** Jobs at once in one process; each carries several runs. */
const CONCURRENCY = 4;
const CONNECTIONS = 8;
/** On each of them: the texts of a dozen workflows. */
const KEPT_STATEMENTS = 100;

export async function startBackgroundWork(cell: Cell, options: WorkerOptions): Promise<Work> {
  const { registry, logger } = cell;
  const pool = cell.openPool("work", 4);
  const queuePool = cell.openPool("queue", CONCURRENCY + 2);
  const scope = createTenantScope({
    fastLane: cell.fastLane,
    pool: cell.openPool("runs", CONNECTIONS),
    limits: {
      // Behind requests, and not so far that runs pile up while requests go on.
      slowNiceness: 5,
      slowPlaces: CONNECTIONS,
      slowPerProject: CONNECTIONS / 2,
      slowKeptMax: KEPT_STATEMENTS,
      slowBudget: { msPerSecond: 2_000, burstMs: 2_000 },
    },
  });
  registry.onForget((projectId) => scope.forget(projectId));
  const scopeOf = (projectId: string): ProjectScope => scope.forProject({ projectId });
  const newId = createUuidV7({ now: Date.now });
  const budget = createWorkBudget(options.workLimits);
  const secretBox = createSecretBox(options.kek);
  const outbound = createOutbound(options, options.callMsMax);
  // The same guard, and places of their own: receivers that stay silent leave the project's workflows theirs.
  const webhooks = startWebhooks(cell, {
    scopeOf,
    box: secretBox,
    outbound: createOutbound(options, options.callMsMax),
    limits: options.webhookLimits ?? defaultWebhookLimits,
  });
  const handOn = createHandOn({ box: secretBox, newId, logger });
  const onHandedOn = (): void => webhooks.wake();
  const dispatch = { pool, registry, scopeOf, newId, budget, handOn, eventsAtOnce, onHandedOn, logger };
  const dispatcher = createDispatcher(dispatch);
  const executor = createExecutor({
    pool,
    registry,
    definitions: createDefinitions(pool, registry),
    scopeOf,
    secretBox,
    secrets: createCallSecrets({ pool, box: secretBox }),
    mailer: openMail(pool, options).mailer,
    outbound,
    newId,
    budget,
    logger,
    now: Date.now,
    random: Math.random,
  });
  const work = startWork({ queuePool, pool, dispatcher, executor, concurrency: CONCURRENCY, logger });
  cell.onClose(work.stop);
  const wake = (): void => {
    work.wake();
    webhooks.wake();
  };
  const listening = await listen({
    connectionString: options.listenUrl ?? options.databaseUrl,
    channels: [EVENTS_CHANNEL],
    applicationName: "plinth events",
    onNotify: wake,
    onReconnect: wake,
  });
  cell.onClose(listening.close);
  return work;
}
