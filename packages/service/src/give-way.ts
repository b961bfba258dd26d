// Lets other processes go first. In: a process and a niceness. Out: whether the system allowed it.
// It never fails: where it is not allowed, the work only competes as it would have without it.
import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** @param niceness 1 to 19: with 5 a process gets a third, with 10 a tenth of what another gets that wants it too. */
export function giveWay(pid: number, niceness: number): boolean {
  try {
    setPriority(pid, niceness);
    // Linux may weigh sessions before it weighs processes: a process with a session of its own needs this as well.
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
    return true;
  } catch {
    return false;
  }
}
