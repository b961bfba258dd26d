// The control plane as a server. In: a configuration and a logger. Out: a listening server with a function that stops it. It
// checks the origin of each request, and every error has public words.
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { asFault, createPool } from "@plinth/postgres";
import {
  checkRequestHeads,
  Fault,
  type FaultCode,
  healthRoutes,
  type Logger,
  originForm,
  toProblem,
} from "@plinth/service";
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from "fastify";
import { createClientAddress } from "./client-address.ts";
import type { Config } from "./config.ts";
import { connectDatabase, migrateDatabase } from "./database/connect.ts";
import { refuseUnavailable } from "./failure.ts";
import { fairDoor } from "./fair-door.ts";
import { checkOrigins } from "./origin.ts";
import { createAttempts } from "./people/attempts.ts";
import type { Person } from "./people/auth.ts";
import { createDevices } from "./people/device.ts";
import { resetRoutes } from "./people/reset-routes.ts";
import { authRoutes, toHeaders } from "./people/routes.ts";
import { createSignInGuard } from "./people/sign-in-guard.ts";
import { type Repeated, repeat } from "./repeat.ts";
import { appRouter } from "./router.ts";
import { createParts, type Parts } from "./services.ts";
import { deviceRoutes } from "./tokens/device-routes.ts";
import { bearerToken } from "./tokens/secret.ts";

export interface Control {
  readonly url: string;
  stop(): Promise<void>;
}

/** The person whom a page of the console was loaded for. It can only take rights away. */
const PAGE_PERSON = "plinth-person";
const BODY_BYTES_MAX = 2 * 1024 * 1024;
const BATCH_MAX = 10;
/** How often cells are sent the deletions and restorations of projects that they have not confirmed. */
const SETTLE_MS = 10_000;

export async function startControl(config: Config, logger: Logger): Promise<Control> {
  const pool = createPool({
    connectionString: config.databaseUrl,
    max: 10,
    applicationName: "plinth-control",
    statementTimeoutMs: 15_000,
    lockTimeoutMs: 10_000,
    onIdleError: (error) => logger.warn({ err: error }, "a database connection was lost"),
  });
  let app: FastifyInstance | null = null;
  let parts: Parts | null = null;
  let stopping = false;
  let keeping: Promise<void> = Promise.resolve();
  let settling: Repeated | null = null;
  const stop = async (): Promise<void> => {
    stopping = true;
    parts?.endWaits();
    await Promise.all([app?.close(), parts?.followers.stop(), keeping, settling?.stop()]);
    await Promise.all([parts?.workshop.stop(), parts?.resets.settled()]);
    await pool.end();
  };
  try {
    await migrateDatabase(pool);
    const db = connectDatabase(pool);
    parts = await createParts(db, config, logger);
    app = createServer(parts, config, logger, async () => {
      if (stopping) return "The service is stopping.";
      await pool.query("SELECT 1");
      return null;
    });
    await app.listen({ port: config.port, host: config.host });
    await parts.followers.resume();
    settling = repeat(parts.deletion.settleAll, SETTLE_MS, logger);
    // In the background: checking a thousand texts takes seconds, and nothing waits for it.
    keeping = parts
      .keepModels(() => stopping)
      .catch((error: unknown) => logger.warn({ err: error }, "the models of live blueprints could not be kept"));
    const { port } = app.server.address() as AddressInfo;
    return { url: `http://${config.host}:${port}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createServer(
  parts: Parts,
  config: Config,
  logger: Logger,
  ready: () => Promise<string | null>,
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // A blueprint as JSON: quotes and line breaks take two bytes each.
    bodyLimit: Math.max(BODY_BYTES_MAX, 2 * config.limits.blueprintBytesMax),
    requestTimeout: 30_000,
    // Without this, Node closes a late request up to half a minute later.
    http: { connectionsCheckingInterval: 2_000 },
    genReqId: () => `req_${randomUUID()}`,
    rewriteUrl: originForm,
    forceCloseConnections: "idle",
    // The hook below logs each request in one line, without the query: a filter can contain a customer's data.
    logController: new LogController({ disableRequestLogging: true }),
    // A batch names its procedures in the path.
    routerOptions: { maxParamLength: 2_000 },
  });
  app.addHook("onSend", async (request, reply) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
  });
  app.addHook("onResponse", async (request, reply) => {
    const [path = ""] = request.url.split("?", 1);
    const quiet = path === "/healthz" || path === "/readyz";
    const line = { method: request.method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    request.log[quiet ? "debug" : "info"](line, "request");
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const known = asFault(error);
    const fault = known instanceof Fault ? known : new Fault(faultCode(error.statusCode), { cause: error });
    const problem = toProblem(fault, request.id);
    if (problem.status >= 500) request.log.error({ err: error }, "request failed");
    return reply.code(problem.status).headers(fault.headers).type("application/problem+json").send(problem);
  });
  // This must run before the body of such a request is read.
  app.addHook("onRequest", async ({ is404 }) => {
    if (is404) throw new Fault("not_found");
  });

  checkRequestHeads(app);
  checkOrigins(app, config.trustedOrigins);
  fairDoor(app, { clientAddress: createClientAddress(config.consoleSecret), prefix: "/trpc/" });
  healthRoutes(app, { ready });
  authRoutes(app, {
    people: parts.people,
    guard: createSignInGuard({ attemptsMax: config.attemptsMax }),
    devices: createDevices(config.authSecret),
    clientAddress: createClientAddress(config.consoleSecret),
    controlUrl: config.controlUrl,
    secureCookies: config.secureCookies,
    onSignedOutEverywhere: parts.onSignedOutEverywhere,
  });
  resetRoutes(app, { resets: parts.resets, clientAddress: createClientAddress(config.consoleSecret) });
  deviceRoutes(app, {
    grants: parts.services.deviceGrants,
    clientAddress: createClientAddress(config.consoleSecret),
    consoleUrl: config.consoleUrl,
    begun: createAttempts({ max: config.attemptsMax, windowSeconds: 600 }),
  });
  app.register(fastifyTRPCPlugin, {
    prefix: "/trpc",
    trpcOptions: {
      router: appRouter,
      maxBatchSize: BATCH_MAX,
      responseMeta: ({ errors }) =>
        errors.some(({ code }) => code === "SERVICE_UNAVAILABLE") ? { headers: { "retry-after": "5" } } : {},
      createContext: async ({ req, res }) => {
        const caller = await callerOf(parts, req).catch((error: unknown) => {
          throw refuseUnavailable(error) ?? error;
        });
        const { cookies, ...who } = caller;
        for (const cookie of cookies) res.header("set-cookie", cookie);
        const key = req.headers["idempotency-key"];
        const submissionKey = typeof key === "string" ? key : null;
        return { ...who, services: parts.services, log: req.log, submissionKey };
      },
    },
  } satisfies FastifyTRPCPluginOptions<typeof appRouter>);
  return app;
}

/** If a request carries an access token, its cookies are ignored. */
async function callerOf({ people, services }: Parts, request: FastifyRequest): Promise<Caller> {
  if (request.headers.authorization !== undefined) {
    const token = bearerToken(request.headers.authorization);
    const used = token === null ? null : await services.tokens.use(token);
    return { person: used?.person ?? null, tokenId: used?.tokenId ?? null, sessionId: "", cookies: [] };
  }
  const session = await people.sessionOf(toHeaders(request));
  const { person = null, id = "", cookies = [] } = session ?? {};
  // A page that was loaded for somebody else, before another tab of the browser signed this person in.
  const pageOf = request.headers[PAGE_PERSON];
  if (person !== null && pageOf !== undefined && pageOf !== person.id)
    return { person: null, tokenId: null, sessionId: "", cookies: [] };
  return { person, tokenId: null, sessionId: id, cookies };
}

interface Caller {
  readonly person: Person | null;
  readonly tokenId: string | null;
  /** Empty if the request has no session of the console. */
  readonly sessionId: string;
  /** The `Set-Cookie` lines of the response. */
  readonly cookies: readonly string[];
}

function faultCode(status: number | undefined): FaultCode {
  switch (status) {
    case 400:
      return "bad_request";
    case 413:
      return "payload_too_large";
    case 415:
      return "unsupported_media_type";
    default:
      return "internal";
  }
}
