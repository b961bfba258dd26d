// Measures the memory of a process and its children. In: a process id. Out: the maximum of the sum of their resident
// memory in MB.
import { readdirSync, readFileSync } from "node:fs";
import { residentMb } from "../bench/cpu.ts";

export interface MemoryWatch {
  /** The maximum so far. */
  readonly stop: () => number;
}

const everyMs = 100;

export function watchMemory(pid: number): MemoryWatch {
  let peakMb = 0;
  const look = (): void => {
    peakMb = Math.max(peakMb, residentFamilyMb(pid));
  };
  look();
  const timer = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return peakMb;
    },
  };
}

function residentFamilyMb(pid: number): number {
  return residentMb(pid) + childrenOf(pid).reduce((sum, child) => sum + residentFamilyMb(child), 0);
}

/** Each thread has a list of the processes that it has started (man 5 proc). */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
