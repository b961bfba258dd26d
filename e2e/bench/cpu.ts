// Reads CPU time and memory of a server and its Postgres from /proc. In: process ids. Out: microseconds since they
// started, MB.
import { readdirSync, readFileSync } from "node:fs";

/** Linux counts in ticks of 10 ms (USER_HZ is 100 on every supported architecture). */
const usPerTick = 10_000;

/** User and system time of one process and its ended children, in microseconds; 0 if it is gone. */
export function cpuOfProcessUs(pid: number): number {
  const fields = statOf(pid);
  if (fields === null) return 0;
  const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number);
  return ((utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0)) * usPerTick;
}

/** The same for a process and all its running children (the backends of a postmaster). */
export function cpuOfFamilyUs(pid: number): number {
  let total = cpuOfProcessUs(pid);
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statOf(Number(name));
    if (fields !== null && Number(fields[1]) === pid) total += cpuOfProcessUs(Number(name));
  }
  return total;
}

/** Resident memory in MB as the kernel counts it; 0 if the process is gone. */
export function residentMb(pid: number): number {
  return statusMb(pid, /VmRSS:\s+(\d+) kB/);
}

/** The maximum since the process started. */
export function residentPeakMb(pid: number): number {
  return statusMb(pid, /VmHWM:\s+(\d+) kB/);
}

function statusMb(pid: number, line: RegExp): number {
  try {
    return Number(line.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The fields of /proc/<pid>/stat from `state` on (man 5 proc); the name before them can contain spaces. */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
