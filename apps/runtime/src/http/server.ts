// The public API's listener. In: HTTP. Out: the pipeline's replies. The listener itself is in `listener.ts`.
import type { Clock } from "@plinth/service";
import { createUuidV7, Fault, type Logger } from "@plinth/service";
import type { FastifyInstance } from "fastify";
import { networkOf } from "../identity/attempt-limit.ts";
import type { Authenticator } from "../identity/authenticator.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import type { Tenants } from "../project/tenant.ts";
import { createCursorCodec } from "../query/cursor.ts";
import { createBodyThreads } from "./body/body-threads.ts";
import type { Arriving, Hooks, ModuleRoutes, Reply } from "./contracts.ts";
import { isPreflight, preflightReply } from "./cors.ts";
import { createListener, gateOf, type ListenerLimits } from "./listener.ts";
import { runOpenRoute } from "./open-route.ts";
import { type Answer, type PipelineDependencies, runPipeline } from "./pipeline.ts";
import { createRateLimiter, type RateLimit, type RateLimiter } from "./rate-limiter.ts";
import { respondWithFault } from "./stages/respond.ts";
import { createRefusalLog } from "./transport/refusal-log.ts";

export interface HttpLimits extends ListenerLimits {
  /**
   * Limit for each key, or for each user if one is named. It replaces the limit of each project's blueprint; null: the
   * blueprint's limit counts.
   */
  readonly caller: RateLimit | null;
  /** Limit for each address, for the routes without a credential. */
  readonly open: RateLimit;
  /** Limit for each project, over all callers. */
  readonly project: RateLimit;
  /** Replies that are ready but not read yet. */
  readonly replyBytes: { readonly total: number; readonly perProject: number };
}

const MIB = 1024 * 1024;

export const defaultHttpLimits: HttpLimits = {
  caller: null,
  open: { perSecond: 20, burst: 100 },
  project: { perSecond: 1_000, burst: 1_000 },
  bodyBytes: { total: 48 * MIB, perProject: 16 * MIB },
  replyBytes: { total: 32 * MIB, perProject: 8 * MIB },
  sockets: { total: 10_000, perAddress: 512 },
};

/** Used if a project's blueprint has no limit. */
const usualLimit: RateLimit = { perSecond: 100, burst: 200 };

export interface HttpServerOptions {
  readonly registry: ReleaseRegistry;
  readonly authenticator: Authenticator;
  readonly modules: ModuleRoutes;
  /** Default: none. */
  readonly hooks?: Hooks;
  readonly tenants: Tenants;
  readonly limits: HttpLimits;
  /** Called after writes of projects that have workflows. Default: does nothing. */
  readonly onWrite?: () => void;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly isTrustedProxy?: (address: string) => boolean;
  /** At least 16 bytes, the same on every replica. The key that seals cursors is derived from it. */
  readonly cursorSecret: string | Uint8Array;
  /** Seals the values of secret fields. */
  readonly secretBox: SecretBox;
  /** Null when requests can be served; else the reason why not. */
  readonly ready: () => Promise<string | null>;
}

/** The same pipeline for another kind of listener with its own authenticator. */
export function createPipeline(options: Omit<HttpServerOptions, "ready">): (arriving: Arriving) => Promise<Answer> {
  return pipelineOf(dependenciesOf(options));
}

const pipelineOf =
  (dependencies: PipelineDependencies) =>
  (arriving: Arriving): Promise<Answer> =>
    runPipeline(dependencies, withoutHead(arriving));

/** HEAD gets the answer of GET; Node leaves out the body. */
function withoutHead(arriving: Arriving): Arriving {
  return arriving.method === "HEAD" ? { ...arriving, method: "GET" } : arriving;
}

function dependenciesOf(options: Omit<HttpServerOptions, "ready">): PipelineDependencies {
  const { limits, logger, clock } = options;
  return {
    ...options,
    onWrite: options.onWrite ?? (() => {}),
    limiter: createRateLimiter(limits.caller ?? usualLimit, clock),
    callerLimit: limits.caller,
    projectLimit: limits.project,
    replies: gateOf(limits.replyBytes),
    refusals: createRefusalLog(logger),
    bodyThreads: createBodyThreads(),
    cursors: createCursorCodec(options.cursorSecret),
    newRecordId: createUuidV7(clock),
  };
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { limits, clock } = options;
  const dependencies = dependenciesOf(options);
  const pipeline = pipelineOf(dependencies);
  const openLimiter = createRateLimiter(limits.open, clock);
  const preflightLimiter = createRateLimiter(PREFLIGHTS, clock);
  const answer = async (arriving: Arriving): Promise<Answer> =>
    isPreflight(arriving)
      ? { ...anonymous, reply: answerPreflight(preflightLimiter, arriving) }
      : ((await options.hooks?.(arriving)) ??
        (await runOpenRoute({ ...dependencies, openLimiter }, withoutHead(arriving))) ??
        (await pipeline(arriving)));
  const app = createListener({ ...options, ...dependencies, answer });
  app.addHook("onClose", () => dependencies.bodyThreads.stop());
  return app;
}

const anonymous = { route: null, projectId: null, principal: null } as const;

/** A browser asks once per route every two hours. Many browsers can share an address. */
const PREFLIGHTS: RateLimit = { perSecond: 200, burst: 400 };

function answerPreflight(limiter: RateLimiter, { ip, id }: Arriving): Reply {
  const { allowed, retryAfterSeconds } = limiter.take(networkOf(ip));
  if (allowed) return preflightReply();
  return respondWithFault(new Fault("rate_limited", { headers: { "retry-after": String(retryAfterSeconds) } }), id);
}
