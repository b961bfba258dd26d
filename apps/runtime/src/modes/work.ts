// Background work on a cell. In: a cell and its settings. Out: events handed on and runs executed, until the cell is
// closed. It has separate connections, so that no request waits for a run.
import { createTenantScope, listen, type ProjectScope } from "@plinth/postgres";
import { createUuidV7, type Networks } from "@plinth/service";
import { createDispatcher } from "../events/dispatch.ts";
import { EVENTS_CHANNEL } from "../events/signal.ts";
import { createWorkBudget, type WorkLimits } from "../events/work-budget.ts";
import { createCallSecrets } from "../identity/call-secrets.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { createHeartbeat, keepBeating } from "../jobs/heartbeat.ts";
import { createLimitLog } from "../jobs/limits-in-use.ts";
import type { Queue } from "../jobs/queue.ts";
import { defaultWorkPlaces, startWork, type Work } from "../jobs/work.ts";
import { openMail } from "../mail/open-mail.ts";
import { createOutbound } from "../outbound/call.ts";
import { type CallLimits, defaultCallLimits } from "../outbound/call-slots.ts";
import { handOn } from "../webhooks/hand-on.ts";
import { defaultWebhookLimits, type WebhookLimits } from "../webhooks/rules.ts";
import { createDefinitions } from "../workflows/definitions.ts";
import { createExecutor } from "../workflows/execute.ts";
import type { Cell } from "./open-cell.ts";
import { startWebhooks } from "./webhooks-out.ts";

export interface WorkerOptions {
  readonly databaseUrl: string;
  readonly listenUrl?: string;
  readonly kek: Buffer;
  /** Networks that calls of projects can reach although they are not public. Default: none. */
  readonly outboundAllowed?: Networks;
  /** Ports of public addresses that they can call. Default: the ports that apply if the operator sets nothing. */
  readonly outboundPorts?: ReadonlySet<number>;
  /** Maximum mails of one project in an hour. */
  readonly mailsPerHour?: number;
  /** Whether the mails of a project without a connection are kept, and shown in the console. Default: no. */
  readonly mailbox?: boolean;
  /** Maximum time for one call of another service. Default: the limit that applies if the operator sets nothing. */
  readonly callMsMax?: number;
  /** Pieces of work of runs in the database at once. Default: the number that applies if the operator sets nothing. */
  readonly workPlaces?: number;
  /** Limits for calls of other services. Default: the limits that apply if the operator sets nothing. */
  readonly callLimits?: CallLimits;
  /** How much unfinished work a project can have. Default: the limits that apply if the operator sets nothing. */
  readonly workLimits?: WorkLimits;
  /** The limits for webhooks in blueprints. Default: the limits that apply if the operator sets nothing. */
  readonly webhookLimits?: WebhookLimits;
}

/** For statements about the work of all projects; a silent connection is cut soon after it. */
const STATEMENT_MS_MAX = 15_000;
/** On each connection: the statements of a dozen workflows. */
const KEPT_STATEMENTS = 100;

/** @param queue The job queue of the process; null if it has none. */
export async function startBackgroundWork(
  cell: Cell,
  options: WorkerOptions,
  queue: Queue | null = null,
): Promise<Work> {
  const { registry, logger } = cell;
  const { workPlaces: places = defaultWorkPlaces, callLimits = defaultCallLimits } = options;
  const pool = cell.openPool("work", 4, { statementTimeoutMs: STATEMENT_MS_MAX });
  const runsPool = cell.openPool("runs", places, { statementTimeoutMs: 5_000 });
  const scope = createTenantScope({
    fastLane: cell.fastLane,
    pool: runsPool,
    limits: {
      // Lower priority than requests, but not so low that runs pile up while requests continue.
      slowNiceness: 5,
      slowPlaces: places,
      slowPerProject: Math.ceil(places / 2),
      slowKeptMax: KEPT_STATEMENTS,
      slowBudget: { msPerSecond: 2_000, burstMs: 2_000 },
    },
  });
  for (const places of [runsPool, scope]) cell.watchPlaces(places);
  registry.onForget((projectId) => scope.forget(projectId));
  const scopeOf = (projectId: string): ProjectScope => scope.forProject({ projectId });
  const newId = createUuidV7({ now: Date.now });
  const budget = createWorkBudget(options.workLimits);
  const secretBox = createSecretBox(options.kek);
  const outbound = createOutbound(options, options.callMsMax);
  // The same guard, but separate slots: receivers that don't answer leave the workflows' slots free.
  const webhooks = startWebhooks(cell, {
    scopeOf,
    box: secretBox,
    outbound: createOutbound(options, options.callMsMax),
    limits: options.webhookLimits ?? defaultWebhookLimits,
    newId,
  });
  const onHandedOn = (): void => webhooks.wake();
  const dispatch = { pool, registry, scopeOf, newId, budget, handOn, onHandedOn, logger };
  const dispatcher = createDispatcher(dispatch);
  const holder = crypto.randomUUID();
  const executor = createExecutor({
    pool,
    holder,
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
  const heartbeat = createHeartbeat({
    pool: cell.openPool("heartbeat", 1, { statementTimeoutMs: 2_000, connectTimeoutMs: 2_000 }),
    holder,
    queue,
    calls: () => outbound.load().byProject,
    logger,
  });
  const logLimits = createLimitLog(logger);
  const stopBeating = await keepBeating(heartbeat, logger, () => {
    const [work, calls] = [scope.load(), outbound.load()];
    logLimits([
      { limit: "PLINTH_WORK_PLACES", used: work.running, allowed: places, waiting: work.waiting },
      { limit: "PLINTH_CALLS", used: calls.calls, allowed: callLimits.callsMax, waiting: calls.waiting },
      { limit: "PLINTH_CALLS_MB", used: calls.bytes, allowed: callLimits.bytesMax, waiting: calls.waiting },
    ]);
  });
  cell.onClose(stopBeating);
  const { callsMax } = callLimits;
  const work = startWork({ pool, holder, heartbeat, dispatcher, executor, places, callsMax, logger });
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
