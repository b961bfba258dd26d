// Vitest's global setup: one database server for a whole run, started when the first test needs it. In: nothing, or
// DATABASE_URL (an administrator's address of a server to use instead). Out: a socket for tests. It never leaves a
// server running: a watcher ends it when this process dies, and the next run removes the rest.
import { createServer, type Server } from "node:net";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { testServerKey } from "./provided-context.ts";
import { makeRunFolder, type RunFolder, sweepDeadRuns } from "./run-folder.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const outside = process.env.DATABASE_URL ?? null;
  await sweepDeadRuns();
  const run = makeRunFolder();
  let starting: Promise<TestServer> | null = null;
  const broker = await openBroker(run, () => {
    starting ??= startTestServer(run, outside);
    return starting;
  });
  project.provide(testServerKey, path.join(run.folder, "broker.sock"));
  return async () => {
    await new Promise((resolve) => broker.close(resolve));
    await (await starting?.catch(() => null))?.stop();
    run.remove();
  };
}

/** One line of JSON for each client, when the server is ready. */
async function openBroker(run: RunFolder, start: () => Promise<TestServer>): Promise<Server> {
  const broker = createServer((socket) => {
    socket.on("error", () => {});
    start().then(
      ({ adminUrl, isOurs }) => socket.end(JSON.stringify({ adminUrl, isOurs })),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
  await new Promise<void>((resolve) => broker.listen(path.join(run.folder, "broker.sock"), resolve));
  broker.unref();
  return broker;
}
