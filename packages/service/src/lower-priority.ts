// Gives other processes priority. In: a process and a niceness. Out: whether the system allowed it. It never fails: if
// it isn't allowed, the work competes as it would without it.
import { readlinkSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** @param niceness 1 to 19: with 5, a process gets a third of the time of another busy one; with 10, a tenth. */
export function giveWay(pid: number, niceness: number): boolean {
  try {
    setPriority(pid, niceness);
    // Linux can weigh sessions before processes, so a process with its own session needs this too.
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
    return true;
  } catch {
    return false;
  }
}

/** For the calling thread only. False if the system can't tell which thread this is: only Linux can. */
export function giveWayAsThread(niceness: number): boolean {
  try {
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), niceness);
    return true;
  } catch {
    return false;
  }
}
