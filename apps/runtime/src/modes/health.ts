// Reports the health of a process without a public listener: /healthz and /readyz. In: a check. Out: a listener.
import { healthRoutes } from "@plinth/service";
import Fastify from "fastify";
import type { RuntimeConfig } from "../config.ts";

export interface HealthListener {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws Error if the port is taken. */
export async function listenForHealth(
  { healthHost: host, healthPort: port }: Pick<RuntimeConfig, "healthHost" | "healthPort">,
  ready: () => Promise<string | null>,
): Promise<HealthListener> {
  const app = Fastify({ forceCloseConnections: true });
  healthRoutes(app, { ready });
  try {
    return { url: await app.listen({ host, port }), stop: () => app.close() };
  } catch (error) {
    if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${port} is in use: set PLINTH_HEALTH_PORT to another one.`, { cause: error });
  }
}
