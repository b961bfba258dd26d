// The public listener. In: HTTP. Out: what the pipeline answers, and one log line a request.
// It never knows what a route does, and answers everything it refuses itself as problem+json too.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Fault, healthRoutes, type Logger } from "@plinth/service";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { SecretBox } from "../identity/secret-box.ts";
import { createCursorCodec } from "../query/cursor.ts";
import { createUuidV7 } from "../query/uuid-v7.ts";
import type { Authenticator, Clock, Incoming, ModuleRoutes, ReleaseRegistry, Reply, Tenants } from "./contracts.ts";
import { allowOrigin, isPreflight, preflightReply } from "./cors.ts";
import { type Answer, type PipelineDependencies, publicFault, runPipeline } from "./pipeline.ts";
import { createRateLimiter, type RateLimit, type RateLimiter } from "./rate-limiter.ts";
import { requestIdOf } from "./request-id.ts";
import { requireAllowance } from "./stages/limit-rate.ts";
import { respondWithFault } from "./stages/respond.ts";

export interface HttpLimits {
  /** Per key, or per user where one is named, in the place of what each project's blueprint says; null: that counts. */
  readonly caller: RateLimit | null;
  /** Per address, for the routes that need no credential. */
  readonly open: RateLimit;
  /** What the listener reads at most; each project's own limit is smaller. */
  readonly bodyBytes: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  caller: null,
  open: { perSecond: 20, burst: 100 },
  bodyBytes: 16 * 1024 * 1024,
  requestMs: 15_000,
};

/** Where a project's blueprint says nothing else. */
const usualLimit: RateLimit = { perSecond: 100, burst: 200 };

export interface HttpServerOptions {
  readonly registry: ReleaseRegistry;
  readonly authenticator: Authenticator;
  readonly modules: ModuleRoutes;
  readonly tenants: Tenants;
  readonly limits: HttpLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  /** At least 16 bytes, the same on every replica: cursors are sealed with what is derived from it. */
  readonly cursorSecret: string | Uint8Array;
  /** Seals the values of secret fields. */
  readonly secretBox: SecretBox;
  /** Null when requests can be served; else why not. */
  readonly ready: () => Promise<string | null>;
}

/** What a listener of another kind needs to run the same pipeline with an authenticator of its own. */
export function createPipeline(options: Omit<HttpServerOptions, "ready">): (incoming: Incoming) => Promise<Answer> {
  const dependencies: PipelineDependencies = {
    ...options,
    limiter: createRateLimiter(options.limits.caller ?? usualLimit, options.clock),
    callerLimit: options.limits.caller,
    cursors: createCursorCodec(options.cursorSecret),
    newRecordId: createUuidV7(options.clock),
  };
  return (incoming) => runPipeline(dependencies, incoming);
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { logger, limits, clock } = options;
  const newRequestId = createUuidV7(clock);
  const pipeline = createPipeline(options);
  const openLimiter = createRateLimiter(limits.open, clock);
  // Looking for secrets in a line costs more than the rest of the request; these lines hold nothing that callers write
  // but a request id, whose characters are checked.
  const accessLog = logger.child({}, { redact: [] });

  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: 72_000,
    // A stop must not wait for idle keep-alive connections.
    forceCloseConnections: "idle",
    return503OnClosing: false,
    exposeHeadRoutes: false,
    genReqId: (request) => requestIdOf(request.headers["x-request-id"], newRequestId),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, newRequestId()),
    frameworkErrors: (error, request, reply) => {
      send(reply, request, respondWithFault(transportFault(error), request.id));
    },
  });
  // Only the pipeline knows which routes take a body, and of which type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const fault = error.statusCode !== undefined && error.statusCode < 500 ? transportFault(error) : error;
    const incoming = toIncoming(request);
    send(reply, request, respondWithFault(publicFault(fault, logger, incoming), request.id));
  });

  // Connections that are idle when the stop begins are closed by Fastify; the others when their request is answered,
  // else the stop would wait for them to become idle, and then for the keep-alive to end.
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const startedMs = performance.now();
    const incoming = toIncoming(request);
    const answer = isPreflight(incoming)
      ? { ...anonymous, reply: preflightReply() }
      : ((await answerOpen(options, openLimiter, incoming)) ?? (await pipeline(incoming)));
    if (closing) reply.header("connection", "close");
    send(reply, request, answer.reply);
    accessLog.info(
      {
        request_id: incoming.id,
        method: incoming.method,
        route: answer.route,
        status: answer.reply.status,
        ms: Math.round((performance.now() - startedMs) * 100) / 100,
        project: answer.projectId,
        principal: answer.principal,
      },
      "request",
    );
  };
  healthRoutes(app, { ready: options.ready });
  app.route({ method: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], url: "/*", handler: handle });
  app.setNotFoundHandler(handle);
  return app;
}

const anonymous = { route: null, projectId: null, principal: null } as const;

/** Routes without a credential are limited by address, since there is nobody else to count. */
async function answerOpen(
  options: HttpServerOptions,
  limiter: RateLimiter,
  incoming: Incoming,
): Promise<Answer | null> {
  const handler = options.modules.matchOpen?.(incoming.method, incoming.path) ?? null;
  if (handler === null) return null;
  try {
    requireAllowance(limiter.take(incoming.ip));
    return { ...anonymous, reply: await handler(incoming) };
  } catch (error) {
    return { ...anonymous, reply: respondWithFault(publicFault(error, options.logger, incoming), incoming.id) };
  }
}

function toIncoming(request: FastifyRequest): Incoming {
  const url = request.raw.url ?? "/";
  const mark = url.indexOf("?");
  const body = request.body as Buffer | undefined;
  return {
    id: request.id,
    method: request.method,
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? "" : url.slice(mark + 1),
    headers: request.headers,
    body: body === undefined || body.length === 0 ? unreadBody(request.raw) : body,
    ip: request.ip,
  };
}

/** Fastify doesn't read the body of a GET: that there is one is all that the pipeline needs to refuse it. */
function unreadBody({ method, headers }: IncomingMessage): Buffer | null {
  if (method !== "GET" && method !== "DELETE") return null;
  const hasBody = Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
  return hasBody ? Buffer.from(" ") : null;
}

function send(reply: FastifyReply, request: FastifyRequest, { status, headers, body }: Reply): void {
  reply.code(status).headers(headers).header("x-request-id", request.id).header("x-content-type-options", "nosniff");
  if (request.headers.origin !== undefined) reply.headers(allowOrigin);
  reply.send(body ?? undefined);
}

/** What Fastify and Node refuse before any of our code runs. */
function transportFault(error: { readonly code?: string; readonly statusCode?: number }): Fault {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new Fault("payload_too_large");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new Fault("unsupported_media_type");
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new Fault("uri_too_long");
    case "HPE_HEADER_OVERFLOW":
      return new Fault("headers_too_large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Fault("request_timeout");
    default:
      return new Fault(error.statusCode === 413 ? "payload_too_large" : "bad_request");
  }
}

/** A request that isn't HTTP: there is no reply object, only the socket. */
function refuseConnection(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return;
  const { status, headers, body } = respondWithFault(transportFault(error), requestId);
  const lines = Object.entries({ ...headers, "x-request-id": requestId }).map(([name, value]) => `${name}: ${value}`);
  const length = Buffer.byteLength(body ?? "");
  socket.end(
    [`HTTP/1.1 ${status} Error`, ...lines, `content-length: ${length}`, "connection: close", "", body].join("\r\n"),
  );
}
