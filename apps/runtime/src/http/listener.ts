// A public listener. In: HTTP. Out: a reply to each request, and one log line for it. It doesn't know what a route
// does. Its own refusals are problem+json too.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@plinth/service";
import {
  announcesBody,
  ByteGate,
  checkRequestHeads,
  createLoopShare,
  createTurns,
  createUuidV7,
  Fault,
  healthRoutes,
  type Logger,
  originForm,
} from "@plinth/service";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { networkOf } from "../identity/attempt-limit.ts";
import type { Arriving, Reply } from "./contracts.ts";
import { allowOrigin } from "./cors.ts";
import type { Answer } from "./pipeline.ts";
import { publicFault } from "./public-fault.ts";
import { requestIdOf } from "./request-id.ts";
import { respondWithFault } from "./stages/respond.ts";
import { drain, readBody } from "./transport/body-reader.ts";
import { callerOf } from "./transport/caller-of.ts";
import { createPipelined } from "./transport/pipelined.ts";
import type { RefusalLog } from "./transport/refusal-log.ts";
import { createRefusalPace } from "./transport/refusal-pace.ts";
import { guardSockets } from "./transport/socket-guard.ts";

export interface ListenerLimits {
  /** The limits for bodies that are in memory at once, while they are read or served. */
  readonly bodyBytes: { readonly total: number; readonly perProject: number };
  readonly sockets: { readonly total: number; readonly perAddress: number };
}

export interface ListenerOptions {
  readonly limits: ListenerLimits;
  /** Replies that are ready but not read yet. */
  readonly replies: ByteGate;
  readonly refusals: RefusalLog;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly isTrustedProxy?: (address: string) => boolean;
  readonly answer: (arriving: Arriving) => Promise<Answer>;
  /** Null when requests can be served; else the reason why not. */
  readonly ready: () => Promise<string | null>;
}

/** A connection is closed if the head isn't complete by then, or the request, however fast it arrives. */
const HEAD_MS = 5_000;
const REQUEST_MS = 120_000;
/** Often, so that connections that opened together aren't all closed in one turn of the event loop. */
const CUT_EVERY_MS = 50;

export function createListener(options: ListenerOptions): FastifyInstance {
  const { logger, limits, clock, refusals, replies, isTrustedProxy = () => false } = options;
  const newRequestId = createUuidV7(clock);
  const bodies = gateOf(limits.bodyBytes);
  const pace = createRefusalPace(clock);
  const largeTurn = createTurns();
  const loop = createLoopShare();
  const pipelined = createPipelined();
  // Redaction costs more than the rest of the request. The only text in these lines that callers write is a request id,
  // whose characters are checked.
  const accessLog = logger.child({}, { redact: [] });

  const app = Fastify({
    trustProxy: isTrustedProxy,
    rewriteUrl: originForm,
    http: { headersTimeout: HEAD_MS, connectionsCheckingInterval: CUT_EVERY_MS },
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: 72_000,
    // A stop must not wait for idle keep-alive connections.
    forceCloseConnections: "idle",
    return503OnClosing: false,
    exposeHeadRoutes: false,
    genReqId: (request) => requestIdOf(request.headers["x-request-id"], newRequestId),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, newRequestId()),
    frameworkErrors: (error, request, reply) => {
      // Fastify runs no hook for these.
      reply.header("connection", "close");
      send(reply, request, respondWithFault(transportFault(error), request.id));
    },
  });
  const stopGuard = guardSockets(app.server, {
    ...limits.sockets,
    isTrusted: isTrustedProxy,
    onRefused: (source) => {
      const refusal = { status: 503, code: "too_many_connections", source };
      if (refusals.note(refusal)) accessLog.info(refusal, "a connection was refused");
    },
  });
  // The pipeline decides whether to read a body: only it knows who may send one, and how large.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null, undefined));
  app.server.on("checkContinue", (request, response) => app.server.emit("request", request, response));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const fault = error.statusCode !== undefined && error.statusCode < 500 ? transportFault(error) : error;
    send(reply, request, respondWithFault(publicFault(fault, options, request), request.id));
  });

  // Fastify closes connections that are idle when the stop begins. The others are closed when their request is
  // answered; otherwise the stop would wait for the end of their keep-alive.
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onClose", async () => {
    stopGuard();
    refusals.stop();
  });

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { socket } = request.raw;
    const place = pipelined.enter(socket);
    if (place !== null && !(await place)) {
      reply.hijack();
      return undefined;
    }
    try {
      await serve(request, reply);
    } finally {
      pipelined.leave(socket);
    }
    // A stream has only started. Fastify would end the reply of a handler that returns nothing.
    return reply.sent ? undefined : reply;
  };

  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const startedMs = performance.now();
    const turn = loop.enter(callerOf(request.headers.authorization, request.ip));
    if (turn !== null) await turn;
    // The client has gone, so nobody waits for the answer.
    if (request.raw.socket.destroyed) return void reply.hijack();
    const arriving = toArriving(request, reply.raw, bodies);
    const answer = await options.answer(arriving);
    const { raw } = request;
    if (isRefusal(answer)) await pace.hold(sourceOf(answer, arriving.ip), raw.socket);
    if (arriving.readBody !== null && !raw.complete) await drain(raw, answer.projectId !== null);
    if (closing) reply.header("connection", "close");
    if (sizeOf(answer.reply) > LARGE_REPLY) await largeTurn();
    if (raw.socket.destroyed) {
      drop(reply, answer.reply);
    } else {
      holdReply(replies, answer, reply.raw);
      send(reply, request, answer.reply);
    }
    if (!hasLine(refusals, answer, arriving.ip)) return;
    accessLog.info(
      {
        request_id: arriving.id,
        method: request.method,
        route: answer.route,
        status: answer.reply.status,
        ms: Math.round((performance.now() - startedMs) * 100) / 100,
        project: answer.projectId,
        principal: answer.principal,
      },
      "request",
    );
  };
  checkRequestHeads(app);
  healthRoutes(app, { ready: options.ready });
  app.route({ method: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], url: "/*", handler: handle });
  app.setNotFoundHandler(handle);
  return app;
}

export function gateOf({ total, perProject }: ListenerLimits["bodyBytes"]): ByteGate {
  return new ByteGate({
    bytesMax: total,
    bytesPerProject: perProject,
    waitMsMax: 2_000,
    refusal: () =>
      new Fault("unavailable", {
        detail: "This project already has too many large requests in progress.",
        headers: { "retry-after": "1" },
      }),
  });
}

/** Smaller replies aren't counted, because the sockets limit them. */
const SMALL_REPLY = 8_192;
/** Encoding and sending a reply of this size takes milliseconds. */
const LARGE_REPLY = 131_072;

/** Only the next part of a stream is in memory. */
const sizeOf = ({ body }: Reply): number => (isWhole(body) ? body.length : 0);

/** The connection is gone: nothing is encoded, and a stream never starts. */
function drop(reply: FastifyReply, { body }: Reply): void {
  if (body !== null && !isWhole(body)) body.destroy();
  reply.hijack();
}

const isWhole = (body: Reply["body"]): body is string | Buffer => typeof body === "string" || Buffer.isBuffer(body);

function holdReply(replies: ByteGate, { reply, projectId }: Answer, response: ServerResponse): void {
  const size = reply.heldBytes ?? sizeOf(reply);
  if (size <= SMALL_REPLY || projectId === null) return;
  const release = replies.hold(projectId, size);
  response.once("close", release);
  if (response.destroyed) release();
}

/** Statuses of refusals that a flood of requests causes. */
const REFUSALS: ReadonlySet<number> = new Set([401, 408, 413, 429, 503]);

/** Refusals that a flood causes, and every error of a request whose project is unknown. */
const isRefusal = ({ reply: { status }, projectId }: Answer): boolean =>
  REFUSALS.has(status) || (projectId === null && status >= 400);

const sourceOf = ({ projectId }: Answer, ip: string): string => projectId ?? networkOf(ip);

function hasLine(refusals: RefusalLog, answer: Answer, ip: string): boolean {
  const { reply, projectId, route } = answer;
  if (!isRefusal(answer) && (projectId !== null || route !== null)) return true;
  return refusals.note({ status: reply.status, code: "refused", source: sourceOf(answer, ip) });
}

function toArriving(request: FastifyRequest, response: ServerResponse, bodies: ByteGate): Arriving {
  const { raw } = request;
  const url = raw.url ?? "/";
  const mark = url.indexOf("?");
  return {
    id: request.id,
    method: request.method,
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? "" : url.slice(mark + 1),
    headers: request.headers,
    readBody: bodyOf(raw, response, bodies),
    ip: request.ip,
  };
}

/** No route takes a body with these methods. The pipeline refuses such a request without reading the body. */
const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);
const unreadBody = Buffer.from(" ");

function bodyOf(request: IncomingMessage, response: ServerResponse, bodies: ByteGate): Arriving["readBody"] {
  if (!announcesBody(request)) return null;
  if (bodiless.has(request.method ?? "")) return async () => unreadBody;
  return (reading) => readBody(request, response, bodies, reading);
}

function send(reply: FastifyReply, request: FastifyRequest, { status, headers, body }: Reply): void {
  reply.code(status).headers(headers).header("x-request-id", request.id).header("x-content-type-options", "nosniff");
  if (request.headers.origin !== undefined) reply.headers(allowOrigin);
  const isStream = body !== null && !isWhole(body);
  if (isStream && request.method === "HEAD") body.destroy();
  reply.send(isStream && request.method === "HEAD" ? undefined : (packed(body) ?? undefined));
}

const PACKED_CHARS_MIN = 8_192;

/** Node takes several times as long to send a long text as to send its bytes. */
function packed<Body>(body: Body): Body | Buffer {
  return typeof body === "string" && body.length >= PACKED_CHARS_MIN ? Buffer.from(body) : body;
}

/** Refusals by Fastify and Node, before any of our code runs. */
function transportFault(error: { readonly code?: string; readonly statusCode?: number }): Fault {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new Fault("payload_too_large");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new Fault("unsupported_media_type", { detail: "Send the body as application/json in UTF-8." });
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
  const length = Buffer.byteLength(body);
  socket.end(
    [`HTTP/1.1 ${status} Error`, ...lines, `content-length: ${length}`, "connection: close", "", body].join("\r\n"),
  );
}
