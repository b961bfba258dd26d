// Liveness and readiness over HTTP. In: a check that returns null or the reason why not. Out: two routes. Liveness
// depends only on this process: an unavailable database must not cause a restart.
import type { FastifyInstance } from "fastify";

export type HealthChecks = {
  /** Null if ready; otherwise a public sentence with the reason. A rejection counts as not ready. */
  readonly ready: () => Promise<string | null>;
  /** The maximum time of a check before it counts as not ready. Default 1500. */
  readonly timeoutMs?: number;
};

export function healthRoutes(app: FastifyInstance, checks: HealthChecks): void {
  const timeoutMs = checks.timeoutMs ?? 1500;
  app.get("/healthz", { logLevel: "warn" }, (_request, reply) => reply.send({ status: "ok" }));
  app.get("/readyz", { logLevel: "warn" }, async (request, reply) => {
    reply.header("cache-control", "no-store");
    const reason = await within(timeoutMs, checks.ready).catch((error: unknown) => {
      request.log.warn({ err: error }, "readiness check failed");
      return "A readiness check failed.";
    });
    if (reason === null) return reply.send({ status: "ready" });
    return reply.code(503).send({ status: "not_ready", reason });
  });
}

async function within(timeoutMs: number, check: () => Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`A readiness check took longer than ${timeoutMs} ms.`), timeoutMs);
  });
  try {
    return await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}
