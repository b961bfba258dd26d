// Gives way to short statements where long ones run on the same machine. In: a connection. Out: nothing.
// It changes no process that is not known to be that connection's backend, and fails silently: on a database server of
// its own there is nothing to do, and where the system forbids it the lane's budget is what is left.
import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import type { ClientBase } from "pg";

/** A tenth of the processor time of a process with the usual priority, where both want it. */
const NICENESS = 10;

/** Not in pg's types; read under the version that the workspace pins. */
type Internals = {
  readonly processID: number | null;
  readonly connection: { readonly stream: { localPort?: number } };
};

export function lowerPriority(client: ClientBase): void {
  const { processID: pid, connection } = client as unknown as Internals;
  const port = connection.stream.localPort;
  if (pid === null || port === undefined) return;
  try {
    // The same number may be another process here. Postgres shows in a backend's title which port it answers.
    const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    if (!title.startsWith("postgres") || !title.includes(`(${port})`)) return;
    setPriority(pid, NICENESS);
    // Every backend is a session of its own, and Linux may weigh sessions before it weighs processes.
    writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS));
  } catch {
    // See above.
  }
}
