// Backends on the same machine: they give way to short statements, and their CPU time is known. In: a connection. Out:
// a lower priority; CPU time. It never touches a process that isn't certainly that connection's backend. For a database
// server on another machine nothing is known, and the lane's budget uses elapsed time.
import { readFileSync } from "node:fs";
import { giveWay } from "@plinth/service";
import type { ClientBase } from "pg";

/** Not in pg's types; depends on the version that the workspace pins. */
type Internals = {
  readonly processID: number | null;
  readonly connection: { readonly stream: { localPort?: number } };
};

const localBackends = new WeakMap<ClientBase, number>();

/** For a new connection. @param niceness As for nice(1); 0 changes nothing. */
export function lowerPriority(client: ClientBase, niceness: number): void {
  const { processID: pid, connection } = client as unknown as Internals;
  const port = connection.stream.localPort;
  if (pid === null || port === undefined || !isBackend(pid, port)) return;
  localBackends.set(client, pid);
  if (niceness > 0) giveWay(pid, niceness);
}

/** The CPU time of its backend since its start, in ms; null if it can't be known. */
function processorMs(client: ClientBase): number | null {
  const pid = localBackends.get(client);
  if (pid === undefined) return null;
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/schedstat`, "utf8"), 10) / 1e6;
  } catch {
    return null;
  }
}

/**
 * Waiting for the disk or for a lock counts partly: on a busy machine, elapsed time would charge a project for the work
 * of others.
 */
const WAITING_SHARE = 1 / 8;

/** Runs work, and returns its CPU time on the backend in ms, if it can be known. */
export async function metered<Client extends ClientBase, Result>(
  client: Client,
  work: (client: Client) => Promise<Result>,
  hasCost: (ms: number) => void,
): Promise<Result> {
  const before = processorMs(client);
  const startedMs = performance.now();
  try {
    return await work(client);
  } finally {
    const after = before === null ? null : processorMs(client);
    if (before !== null && after !== null) {
      hasCost(Math.max(after - before, (performance.now() - startedMs) * WAITING_SHARE));
    }
  }
}

/** The same pid can be another process here. A backend's title shows which port it serves. */
function isBackend(pid: number, port: number): boolean {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return title.startsWith("postgres") && title.includes(`(${port})`);
  } catch {
    return false;
  }
}
