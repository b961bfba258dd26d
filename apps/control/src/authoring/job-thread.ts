// Runs one job inside a worker thread. In: the module of jobs, a job's name and input, the job's meter. Out: the result of the
// job. It starts the meter after the module is loaded, and never ends a job itself.
import { threadId } from "node:worker_threads";
import { beginMeter } from "./cpu-meter.ts";

export interface Ticket {
  /** The address of the module. */
  readonly jobs: string;
  readonly job: string;
  readonly input: unknown;
  readonly meter: SharedArrayBuffer;
}

export default async function runJob({ jobs, job, input, meter }: Ticket): Promise<unknown> {
  const all = (await import(jobs)) as Readonly<Record<string, (input: unknown) => unknown>>;
  const run = all[job];
  if (run === undefined) throw new Error(`${jobs} has no job ${job}`);
  beginMeter(meter, threadId);
  return run(input);
}
