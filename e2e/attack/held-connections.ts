// Counts the connections that a service still holds open. In: its port and a caller's loopback address. Out: their
// number. It asks the kernel, because a caller that reads nothing can't notice that its connection was closed.
import { readFileSync } from "node:fs";

/** `st` in /proc/net/tcp (man 5 proc): the connection is established, and neither side has closed it. */
const ESTABLISHED = "01";

export function heldConnections(port: number, from: string): number {
  const local = port.toString(16).toUpperCase().padStart(4, "0");
  // The kernel prints the four bytes as a number in the byte order of this machine, which is little-endian on all
  // supported machines.
  const remote = from
    .split(".")
    .reverse()
    .map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, "0"))
    .join("");
  let held = 0;
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n")) {
    const [, ours = "", theirs = "", state] = line.trim().split(/\s+/);
    if (state === ESTABLISHED && ours.endsWith(`:${local}`) && theirs.startsWith(`${remote}:`)) held++;
  }
  return held;
}
