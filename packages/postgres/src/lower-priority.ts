// Gives way to short statements where long ones run on the same machine. In: a connection. Out: nothing.
// It changes no process that is not known to be that connection's backend. On a database server of its own there is
// nothing to do, and the lane's budget is what is left.
import { readFileSync } from "node:fs";
import { giveWay } from "@plinth/service";
import type { ClientBase } from "pg";

/** A fifteenth of the time of another process that wants it too: a dozen of them weigh less than that one. */
const NICENESS = 12;

/** Not in pg's types; read under the version that the workspace pins. */
type Internals = {
  readonly processID: number | null;
  readonly connection: { readonly stream: { localPort?: number } };
};

export function lowerPriority(client: ClientBase): void {
  const { processID: pid, connection } = client as unknown as Internals;
  const port = connection.stream.localPort;
  if (pid !== null && port !== undefined && isBackend(pid, port)) giveWay(pid, NICENESS);
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
