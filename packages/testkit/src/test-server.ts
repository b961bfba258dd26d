// The server for all test databases of a run. In: the run's folder. Out: an administrator's address. It never outlives
// the run.
import { spawn } from "node:child_process";
import path from "node:path";
import { startEmbeddedServer } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import type { RunFolder } from "./run-folder.ts";

export type TestServer = {
  readonly adminUrl: string;
  /** Nothing on it outlives the run. */
  readonly isOurs: boolean;
  stop(): Promise<void>;
};

/** Safe if processes are killed, but not if the machine is: test data needs no fsync. */
const settings = {
  fsync: "off",
  full_page_writes: "off",
  max_connections: "300",
  max_wal_size: "128MB",
  max_prepared_transactions: "0",
};

export async function startTestServer(run: RunFolder, outside: string | null): Promise<TestServer> {
  if (outside !== null) return { adminUrl: outside, isOurs: false, stop: async () => {} };
  const server = await startEmbeddedServer({
    home: path.join(run.folder, "server"),
    programFolder: run.programFolder,
    logger: createLogger({ name: "testkit", level: "warn" }),
    settings,
  });
  const watcher = endWithUs(server.pid);
  return {
    adminUrl: server.adminUrl,
    isOurs: true,
    async stop() {
      watcher.kill("SIGKILL");
      await server.stop();
    },
  };
}

/**
 * A shell that waits for a pipe from us. However this process ends, the pipe is closed, and the shell ends the server:
 * nothing else survives a SIGKILL.
 */
function endWithUs(pid: number): { kill(signal: "SIGKILL"): boolean } {
  const watcher = spawn("/bin/sh", ["-c", 'read -r _; kill -INT "$0"', String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
  return watcher;
}
