// Opens and closes listeners. In: a listener and its address. Out: its actual address, or an error that says which
// variable to change.
import type { FastifyInstance } from "fastify";

/** @throws Error if the port is taken. */
export async function openListener(
  app: FastifyInstance,
  host: string,
  port: number,
  variable: string,
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${port} is in use: set ${variable} to another one.`, { cause: error });
  }
}

/**
 * When it is told to stop, Fastify closes idle connections. A connection that was busy then, and is kept alive after
 * its answer, would delay the stop until its timeout.
 */
export async function closeListener(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
  }
}
