// Backends on the same machine: they give way to short statements, and what they compute is known. In: a connection.
// Out: a lower priority; processor time. It touches no process that is not known to be that connection's backend. Of a
// database server elsewhere nothing is known, and the lane's budget goes by the clock.
import { readFileSync } from "node:fs";
import { giveWay } from "@plinth/service";
import type { ClientBase } from "pg";

/** Not in pg's types; read under the version that the workspace pins. */
type Internals = {
  readonly processID: number | null;
  readonly connection: { readonly stream: { localPort?: number } };
};

const localBackends = new WeakMap<ClientBase, number>();

/** Of a connection that was just made. @param niceness As nice(1) takes it; 0 changes nothing. */
export function lowerPriority(client: ClientBase, niceness: number): void {
  const { processID: pid, connection } = client as unknown as Internals;
  const port = connection.stream.localPort;
  if (pid === null || port === undefined || !isBackend(pid, port)) return;
  localBackends.set(client, pid);
  if (niceness > 0) giveWay(pid, niceness);
}

/** What its backend has computed since it was started, in ms; null where that can't be known. */
function processorMs(client: ClientBase): number | null {
  const pid = localBackends.get(client);
  if (pid === undefined) return null;
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/schedstat`, "utf8"), 10) / 1e6;
  } catch {
    return null;
  }
}

/** Waits for the disk or for a lock count for a part: on a busy machine the clock charges a project with what others do. */
const WAITING_SHARE = 1 / 8;

/** Runs work, and tells what it has cost its backend, in ms, where that can be known. */
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

/** The same number may be another process here. Postgres shows in a backend's title which port it answers. */
function isBackend(pid: number, port: number): boolean {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return title.startsWith("postgres") && title.includes(`(${port})`);
  } catch {
    return false;
  }
}
