// The runtime's settings. In: environment variables, passed in by main.ts. Out: typed settings, or one error that names
// every bad variable. It never reads the environment itself, and no error contains a value.
import {
  type BundleLimits,
  type ControlPublicKeys,
  defaultCallMsMax,
  defaultLimitsMax,
  readControlPublicKeys,
} from "@plinth/bundle";
import { type Networks, networksOf, readConfig } from "@plinth/service";
import { z } from "zod";
import { defaultWorkLimits, defaultWorkRowsMax, type WorkLimits } from "./events/work-budget.ts";
import type { RateLimit } from "./http/rate-limiter.ts";
import { defaultWorkPlaces } from "./jobs/work.ts";
import { defaultMailsPerHour } from "./mail/open-mail.ts";
import { defaultStreamLimits, type StreamLimits } from "./modules/streams/stream-limits.ts";
import { defaultInboundLimits, type InboundLimits } from "./modules/webhooks-in/receive.ts";
import { defaultOutboundPorts } from "./outbound/call.ts";
import { type CallLimits, defaultCallLimits } from "./outbound/call-slots.ts";
import { defaultWebhookLimits, type WebhookLimits } from "./webhooks/rules.ts";

export interface RuntimeConfig {
  readonly databaseUrl: string;
  readonly apiPort: number;
  readonly apiHost: string;
  readonly internalPort: number;
  readonly internalHost: string;
  /** This cell's row in control's database. */
  readonly cellId: string;
  /** The keys with which control signs approvals and assertions. */
  readonly controlKeys: ControlPublicKeys;
  /** The secret that it shares with control. It opens the internal listener. */
  readonly cellSecret: string;
  /** Key-encryption key, 32 bytes. */
  readonly kek: Buffer;
  /** The public API's address for apps; the issuer of user tokens. */
  readonly publicUrl: string;
  /** The address at which providers reach inbound webhooks. */
  readonly hooksUrl: string;
  /** Hosts in this domain name projects: `<id>.api.<domain>`; null: hosts don't name projects. */
  readonly apiDomain: string | null;
  /** The upper limits for a project's API, whatever its blueprint contains. */
  readonly limitsMax: BundleLimits;
  /**
   * The limit for each key and each user. It replaces the limit of a project's blueprint; null: the blueprint's limit
   * counts.
   */
  readonly rateLimit: RateLimit | null;
  /** The limit for all callers of one project together. */
  readonly projectRateLimit: RateLimit;
  readonly socketsPerAddress: number;
  /** The proxies whose `X-Forwarded-For` is trusted. */
  readonly isTrustedProxy: Networks;
  /** Memory for releases and what is derived from them. */
  readonly cacheBytesMax: number;
  /** Milliseconds of each second that one project may spend in slow statements in the long run. */
  readonly slowMsPerSecond: number;
  /** Statements that each connection of the fast lane keeps prepared. */
  readonly preparedMax: number;
  /** The port of the mode `webhook`. */
  readonly webhookPort: number;
  readonly webhookHost: string;
  /** The port at which a mode without a public listener reports its health. */
  readonly healthPort: number;
  readonly healthHost: string;
  /** Networks that calls of projects can reach although they are not public. */
  readonly outboundAllowed: Networks;
  /** Ports of public addresses that calls of projects can use. */
  readonly outboundPorts: ReadonlySet<number>;
  /** Maximum milliseconds for one call of another service, whatever a blueprint contains. */
  readonly callMsMax: number;
  /** Maximum mails of one project in an hour. */
  readonly mailsPerHour: number;
  /** Whether the mails of a project without a connection are kept, and shown in the console. */
  readonly mailbox: boolean;
  /** How much unfinished work a project can have. */
  readonly workLimits: WorkLimits;
  /** Pieces of work of runs in the database at once. */
  readonly workPlaces: number;
  readonly callLimits: CallLimits;
  /** Days for which events and ended runs are stored. */
  readonly workRetentionDays: number;
  /** Maximum stored events and runs of one project. Beyond it, the oldest are deleted early, once they have ended. */
  readonly workRowsMax: number;
  /** Maximum streams of changes that one process keeps open. */
  readonly streamLimits: StreamLimits;
  readonly inboundLimits: InboundLimits;
  readonly webhookLimits: WebhookLimits;
  readonly parentPid: number | undefined;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
}

const MEGABYTE = 1_048_576;

const port = (fallback: number): z.ZodType<number, unknown> =>
  z
    .string()
    .regex(/^\d{1,5}$/, "must be a port number")
    .transform(Number)
    .refine((value) => value <= 65_535, "must be a port number")
    .default(fallback);

const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "must be a whole number above 0")
  .transform(Number);

const networks = z
  .string()
  .default("")
  .transform((text, context) => {
    try {
      return networksOf(text.split(/[\s,]+/).filter((range) => range !== ""));
    } catch (error) {
      context.addIssue((error as Error).message);
      return z.NEVER;
    }
  });

const ports = z
  .string()
  .regex(/^\s*\d{1,5}(\s*,\s*\d{1,5})*\s*$/, "must be port numbers with commas between them")
  .transform((text) => new Set(text.split(",").map(Number)))
  .refine((numbers) => [...numbers].every((number) => number >= 1 && number <= 65_535), "must be port numbers")
  .default(() => new Set(defaultOutboundPorts));

/** Labels of letters, digits and inner hyphens, with dots between them. */
const DOMAIN = /^[a-z0-9]+(-+[a-z0-9]+)*(\.[a-z0-9]+(-+[a-z0-9]+)*)*$/;

const schema = z.object({
  CELL_DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// address"),
  PLINTH_API_PORT: port(4000),
  PLINTH_API_HOST: z.string().default("0.0.0.0"),
  PLINTH_INTERNAL_PORT: port(4001),
  PLINTH_INTERNAL_HOST: z.string().default("127.0.0.1"),
  PLINTH_CELL_SECRET: z.string().min(32, "must have at least 32 characters"),
  PLINTH_CELL_ID: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, "must be lower-case letters, digits and -")
    .default("local"),
  PLINTH_CONTROL_PUBLIC_KEYS: z.string().transform((text, context) => {
    try {
      return readControlPublicKeys(text);
    } catch (error) {
      context.issues.push({ code: "custom", message: (error as Error).message, input: "" });
      return z.NEVER;
    }
  }),
  PLINTH_KEK: z
    .string()
    .transform((text) => Buffer.from(text, "base64"))
    .refine((bytes) => bytes.length === 32, "must be 32 bytes in base64"),
  PLINTH_PUBLIC_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  PLINTH_PUBLIC_WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  PLINTH_API_DOMAIN: z
    .string()
    .max(200)
    .regex(DOMAIN, "must be a domain in lower-case letters, as example.com")
    .optional(),
  PLINTH_MAX_REQUESTS_PER_SECOND: count.default(defaultLimitsMax.requestsPerSecond),
  PLINTH_MAX_BURST: count.default(defaultLimitsMax.burst),
  PLINTH_MAX_BODY_BYTES: count.default(defaultLimitsMax.bodyBytesMax),
  PLINTH_MAX_PAGE: count.default(defaultLimitsMax.pageMax),
  PLINTH_MAX_STATEMENT_MS: count.default(defaultLimitsMax.statementMsMax),
  PLINTH_RATE_LIMIT: count.optional(),
  PLINTH_RATE_BURST: count.optional(),
  PLINTH_PROJECT_RATE_LIMIT: count.default(1_000),
  PLINTH_SOCKETS_PER_ADDRESS: count.default(512),
  PLINTH_TRUSTED_PROXIES: networks,
  PLINTH_OUTBOUND_ALLOW: networks,
  PLINTH_OUTBOUND_PORTS: ports,
  PLINTH_MAX_CALL_MS: count.default(defaultCallMsMax),
  PLINTH_PROJECT_MAILS_PER_HOUR: count.default(defaultMailsPerHour),
  PLINTH_MAILBOX: z.enum(["on", "off"]).default("off"),
  PLINTH_PROJECT_STREAMS: count.default(defaultStreamLimits.perProject),
  PLINTH_CALLER_STREAMS: count.default(defaultStreamLimits.perCaller),
  PLINTH_PROJECT_WORK_ROWS: count.default(defaultWorkRowsMax),
  PLINTH_WORK_PLACES: count.default(defaultWorkPlaces),
  PLINTH_CALLS: count.default(defaultCallLimits.callsMax),
  PLINTH_PROJECT_CALLS: count.default(defaultCallLimits.callsPerProject),
  PLINTH_CALLS_MB: count.default(defaultCallLimits.bytesMax / MEGABYTE),
  PLINTH_PROJECT_CALLS_MB: count.default(defaultCallLimits.bytesPerProject / MEGABYTE),
  PLINTH_PROJECT_RUNS: count.default(defaultWorkLimits.openRunsMax),
  PLINTH_PROJECT_WAITS: count.default(defaultWorkLimits.openWaitsMax),
  PLINTH_WORK_RETENTION_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, "must be a whole number of days above 0")
    .transform(Number)
    .default(30),
  PLINTH_INBOUND_RATE: count.default(defaultInboundLimits.perSecond),
  PLINTH_INBOUND_BODY_BYTES: count.default(defaultInboundLimits.bodyBytesMax),
  PLINTH_INBOUND_REQUESTS: count.default(defaultInboundLimits.rowsMax),
  PLINTH_INBOUND_RETENTION_DAYS: count.default(defaultInboundLimits.days),
  PLINTH_WEBHOOK_CONCURRENCY: count.default(defaultWebhookLimits.concurrencyMax),
  PLINTH_WEBHOOK_FAILING_DAYS: count.default(defaultWebhookLimits.failingDaysMax),
  PLINTH_WEBHOOK_PENDING: count.default(defaultWebhookLimits.pendingMax),
  PLINTH_WEBHOOK_PENDING_BYTES: count.default(defaultWebhookLimits.pendingBytesMax),
  PLINTH_WEBHOOK_PORT: port(4003),
  PLINTH_WEBHOOK_HOST: z.string().default("0.0.0.0"),
  PLINTH_HEALTH_PORT: port(4002),
  PLINTH_HEALTH_HOST: z.string().default("127.0.0.1"),
  PLINTH_CACHE_MB: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, "must be a whole number of megabytes above 0")
    .transform(Number)
    .default(128),
  PLINTH_PROJECT_SLOW_MS: count.default(500),
  PLINTH_PREPARED_STATEMENTS: count.default(1_000),
  PLINTH_PARENT_PID: z.string().regex(/^\d+$/, "must be a process id").transform(Number).optional(),
  PLINTH_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
});

/** @throws ConfigError */
export function readRuntimeConfig(env: Readonly<Record<string, string | undefined>>): RuntimeConfig {
  const read = readConfig(schema, env);
  const publicUrl = read.PLINTH_PUBLIC_API_URL ?? `http://127.0.0.1:${read.PLINTH_API_PORT}`;
  return {
    databaseUrl: read.CELL_DATABASE_URL,
    apiPort: read.PLINTH_API_PORT,
    apiHost: read.PLINTH_API_HOST,
    internalPort: read.PLINTH_INTERNAL_PORT,
    internalHost: read.PLINTH_INTERNAL_HOST,
    cellId: read.PLINTH_CELL_ID,
    controlKeys: read.PLINTH_CONTROL_PUBLIC_KEYS,
    cellSecret: read.PLINTH_CELL_SECRET,
    kek: read.PLINTH_KEK,
    publicUrl,
    hooksUrl: read.PLINTH_PUBLIC_WEBHOOK_URL ?? publicUrl,
    apiDomain: read.PLINTH_API_DOMAIN ?? null,
    limitsMax: {
      requestsPerSecond: read.PLINTH_MAX_REQUESTS_PER_SECOND,
      burst: read.PLINTH_MAX_BURST,
      bodyBytesMax: read.PLINTH_MAX_BODY_BYTES,
      pageMax: read.PLINTH_MAX_PAGE,
      statementMsMax: read.PLINTH_MAX_STATEMENT_MS,
    },
    rateLimit: rateLimitOf(read.PLINTH_RATE_LIMIT, read.PLINTH_RATE_BURST),
    projectRateLimit: { perSecond: read.PLINTH_PROJECT_RATE_LIMIT, burst: read.PLINTH_PROJECT_RATE_LIMIT },
    socketsPerAddress: read.PLINTH_SOCKETS_PER_ADDRESS,
    isTrustedProxy: read.PLINTH_TRUSTED_PROXIES,
    cacheBytesMax: read.PLINTH_CACHE_MB * 1024 * 1024,
    slowMsPerSecond: read.PLINTH_PROJECT_SLOW_MS,
    preparedMax: read.PLINTH_PREPARED_STATEMENTS,
    webhookPort: read.PLINTH_WEBHOOK_PORT,
    webhookHost: read.PLINTH_WEBHOOK_HOST,
    healthPort: read.PLINTH_HEALTH_PORT,
    healthHost: read.PLINTH_HEALTH_HOST,
    outboundAllowed: read.PLINTH_OUTBOUND_ALLOW,
    outboundPorts: read.PLINTH_OUTBOUND_PORTS,
    mailsPerHour: read.PLINTH_PROJECT_MAILS_PER_HOUR,
    mailbox: read.PLINTH_MAILBOX === "on",
    callMsMax: read.PLINTH_MAX_CALL_MS,
    workLimits: { openRunsMax: read.PLINTH_PROJECT_RUNS, openWaitsMax: read.PLINTH_PROJECT_WAITS },
    workPlaces: read.PLINTH_WORK_PLACES,
    callLimits: {
      callsMax: read.PLINTH_CALLS,
      callsPerProject: read.PLINTH_PROJECT_CALLS,
      bytesMax: read.PLINTH_CALLS_MB * MEGABYTE,
      bytesPerProject: read.PLINTH_PROJECT_CALLS_MB * MEGABYTE,
    },
    streamLimits: { perProject: read.PLINTH_PROJECT_STREAMS, perCaller: read.PLINTH_CALLER_STREAMS },
    workRetentionDays: read.PLINTH_WORK_RETENTION_DAYS,
    workRowsMax: read.PLINTH_PROJECT_WORK_ROWS,
    inboundLimits: {
      perSecond: read.PLINTH_INBOUND_RATE,
      bodyBytesMax: read.PLINTH_INBOUND_BODY_BYTES,
      rowsMax: read.PLINTH_INBOUND_REQUESTS,
      days: read.PLINTH_INBOUND_RETENTION_DAYS,
    },
    webhookLimits: {
      concurrencyMax: read.PLINTH_WEBHOOK_CONCURRENCY,
      failingDaysMax: read.PLINTH_WEBHOOK_FAILING_DAYS,
      pendingMax: read.PLINTH_WEBHOOK_PENDING,
      pendingBytesMax: read.PLINTH_WEBHOOK_PENDING_BYTES,
    },
    parentPid: read.PLINTH_PARENT_PID,
    logLevel: read.PLINTH_LOG_LEVEL,
  };
}

/** If only one of the two is set, the burst is two seconds' worth of requests. */
function rateLimitOf(perSecond: number | undefined, burst: number | undefined): RuntimeConfig["rateLimit"] {
  if (perSecond === undefined && burst === undefined) return null;
  const rate = perSecond ?? Math.ceil((burst ?? 0) / 2);
  return { perSecond: rate, burst: burst ?? rate * 2 };
}
