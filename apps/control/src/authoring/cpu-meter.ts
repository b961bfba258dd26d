// Measures the computing time of a job, independent of other load on the machine. In: the thread that runs it. Out: milliseconds.
// The thread records its id and its start. The thread that serves requests reads the meter, because a job that never ends can't
// measure itself.
import type { Worker } from "node:worker_threads";

const THREAD = 0;
const BEGAN_MS = 1;

export function newMeter(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** Called in the thread that runs the job. */
export function beginMeter(meter: SharedArrayBuffer, threadId: number): void {
  const cells = new Int32Array(meter);
  Atomics.store(cells, BEGAN_MS, milliseconds(process.threadCpuUsage()));
  // Must be last, because it means that the job has started.
  Atomics.store(cells, THREAD, threadId);
}

/** User and system time. 0 if the job has not started, or if its thread has ended. */
export async function readMeter(meter: SharedArrayBuffer, threads: readonly Worker[]): Promise<number> {
  const cells = new Int32Array(meter);
  const threadId = Atomics.load(cells, THREAD);
  const thread = threads.find((each) => each.threadId === threadId);
  if (thread === undefined) return 0;
  try {
    return milliseconds(await thread.cpuUsage()) - Atomics.load(cells, BEGAN_MS);
  } catch {
    return 0;
  }
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return Math.round((user + system) / 1000);
}
