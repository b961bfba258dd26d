// How much computing time a job has taken, whatever else the machine does. In: the thread that runs it. Out: milliseconds.
// The thread writes down who it is and where it began; the thread that serves requests does the counting, since a job that
// never ends can't count itself.
import type { Worker } from "node:worker_threads";

const THREAD = 0;
const BEGAN_MS = 1;

export function newMeter(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** In the thread that runs the job. */
export function beginMeter(meter: SharedArrayBuffer, threadId: number): void {
  const cells = new Int32Array(meter);
  Atomics.store(cells, BEGAN_MS, milliseconds(process.threadCpuUsage()));
  // Last: it says that the job has begun.
  Atomics.store(cells, THREAD, threadId);
}

/** Of user and system time; 0 where the job has not begun, and where its thread has ended. */
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
