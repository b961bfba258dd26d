// The cell's private listener. Only control calls it, with the shared secret. Control also signs calls that change a
// schema or read rows. In: orders about projects, releases, keys, users. Out: JSON, or problem+json. It has its own
// port and never serves an app.
import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { checkRequestHeads, Fault, type FaultCode, type Logger, originForm, toProblem } from "@plinth/service";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type InternalOptions, internalRoutes } from "./routes.ts";

export interface InternalListenerOptions extends InternalOptions {
  readonly logger: Logger;
}

/** A bundle with its OpenAPI document may be large. All other bodies here are small. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;

export function createInternalListener(options: InternalListenerOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: 30_000,
    rewriteUrl: originForm,
    forceCloseConnections: "idle",
    requestIdHeader: "x-request-id",
    genReqId: () => randomUUID(),
  });
  // Bodies stay bytes: the data path passes them on, and the others decode them.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  checkRequestHeads(app);
  const expected = digest(options.secret);
  app.addHook("onRequest", async (request) => {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!timingSafeEqual(digest(given), expected)) throw new Fault("unauthenticated");
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method } = request;
    const path = request.url.split("?", 1)[0];
    options.logger.info({ request_id: request.id, method, path, status: reply.statusCode }, "internal request");
  });
  app.setErrorHandler((error, request, reply) => sendProblem(faultOf(error, request, options.logger), request, reply));
  app.setNotFoundHandler((request, reply) => sendProblem(new Fault("not_found"), request, reply));
  internalRoutes(app, options);
  return app;
}

/** Gives the comparison equal lengths for all inputs. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function faultOf(error: unknown, request: FastifyRequest, logger: Logger): Fault {
  if (error instanceof Fault) return error;
  const code = frameworkFaults[(error as { statusCode?: number }).statusCode ?? 500];
  if (code !== undefined) return new Fault(code, { cause: error });
  logger.error(
    { err: error, request_id: request.id, method: request.method, url: request.url },
    "internal request failed",
  );
  return new Fault("internal", { cause: error });
}

const frameworkFaults: Readonly<Record<number, FaultCode>> = {
  400: "bad_request",
  408: "request_timeout",
  413: "payload_too_large",
  415: "unsupported_media_type",
};

function sendProblem(fault: Fault, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(fault.status)
    .headers(fault.headers)
    .header("content-type", "application/problem+json; charset=utf-8")
    .send(JSON.stringify(toProblem(fault, request.id)));
}
