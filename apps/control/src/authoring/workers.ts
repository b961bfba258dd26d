// Threads that read blueprints. In: the name of a job, its input, its person and organization. Out: plain data, or the reason why
// there is none. The thread that serves requests never reads a blueprint itself. A job that takes too much time or memory is
// ended alone. Only processor time counts, because a busy machine slows down honest blueprints too. piscina starts, feeds and
// ends the threads; this file decides the order and the limits.
import { Piscina } from "piscina";
import type { AuthoringBudget } from "../operator-limits.ts";
import { newMeter, readMeter } from "./cpu-meter.ts";
import { createFairQueue, type Party } from "./fair-queue.ts";
import type { Ticket } from "./job-thread.ts";

export interface Workers {
  /**
   * @param cpuMsMax The computing time that the job can take, in milliseconds.
   * @throws OverBudget; Busy if the job was not started; errors of the job.
   */
  run(party: Party, job: string, input: unknown, cpuMsMax?: number): Promise<unknown>;
  stop(): Promise<void>;
}

/** The job was ended, because it took more time or memory than the operator allows. */
export class OverBudget extends Error {
  readonly resource: "time" | "memory";

  constructor(resource: "time" | "memory", cause: unknown) {
    super(`A job took too much ${resource}.`, { cause });
    this.name = "OverBudget";
    this.resource = resource;
  }
}

export interface WorkersOptions {
  readonly budget: AuthoringBudget;
  /** The module that exports the jobs. */
  readonly jobs: URL;
}

const WAITING_MAX = 100;
const WAITING_PER_PARTY_MAX = 10;
const YOUNG_GENERATION_MB = 32;
const IDLE_MS_MAX = 30_000;
const METER_MS = 100;
/**
 * A job can run this many times as long as it can compute. This ends a thread that only waits, or whose computing time can't be
 * read.
 */
const WAIT_FACTOR = 3;

export function createWorkers({ budget, jobs }: WorkersOptions): Workers {
  const pool = new Piscina({
    filename: new URL("./job-thread.ts", import.meta.url).href,
    // One thread is always ready. The others are started when they are needed.
    minThreads: 1,
    maxThreads: budget.threadsMax,
    concurrentTasksPerWorker: 1,
    idleTimeout: IDLE_MS_MAX,
    resourceLimits: {
      maxOldGenerationSizeMb: budget.memoryMbMax,
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
    },
    // Jobs on blueprints need no settings and no secrets.
    env: {},
    execArgv: [],
    recordTiming: false,
  });
  const queue = createFairQueue({
    turnsMax: budget.threadsMax,
    waitingMax: WAITING_MAX,
    waitingPerPartyMax: WAITING_PER_PARTY_MAX,
    waitMsMax: budget.jobMsMax,
    shareMsMax: budget.shareMsMax,
    clock: () => performance.now(),
  });
  return {
    run: async (party, job, input, cpuMsMax = budget.jobMsMax) => {
      const endTurn = await queue.enter(party);
      const meter = newMeter();
      const ticket: Ticket = { jobs: jobs.href, job, input, meter };
      const deadline = watch(() => readMeter(meter, pool.threads), cpuMsMax);
      try {
        return await pool.run(ticket, { signal: deadline.signal });
      } catch (error) {
        throw overBudget(error) ?? error;
      } finally {
        deadline.stop();
        endTurn();
      }
    },
    stop: () => pool.destroy(),
  };
}

/** A thread in one long native call doesn't report its time, so there is also a limit of wall-clock time. */
function watch(
  read: () => Promise<number>,
  cpuMsMax: number,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  let reading = false;
  const look = async (): Promise<void> => {
    if (reading) return;
    reading = true;
    if ((await read()) > cpuMsMax) controller.abort();
    reading = false;
  };
  const meter = setInterval(look, METER_MS);
  const clock = setTimeout(() => controller.abort(), cpuMsMax * WAIT_FACTOR);
  return {
    signal: controller.signal,
    stop: () => {
      clearInterval(meter);
      clearTimeout(clock);
    },
  };
}

function overBudget(error: unknown): OverBudget | null {
  const { name, code } = error as { name?: string; code?: string };
  if (name === "AbortError" || name === "TimeoutError") return new OverBudget("time", error);
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? new OverBudget("memory", error) : null;
}
