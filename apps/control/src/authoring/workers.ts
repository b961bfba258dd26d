// Threads that read blueprints. In: the name of a job, its input, whose it is. Out: plain data, or why there is none.
// The thread that serves requests never reads a blueprint itself. A job that takes too long or too much memory ends alone.
// piscina starts, feeds and ends the threads; whose turn it is and what it may cost is decided here.
import { Piscina } from "piscina";
import type { AuthoringBudget } from "../operator-limits.ts";
import { createFairQueue, type Party } from "./fair-queue.ts";

export interface Workers {
  /** @throws OverBudget; Busy where it was not begun; what the job threw. */
  run(party: Party, job: string, input: unknown, msMax?: number): Promise<unknown>;
  stop(): Promise<void>;
}

/** The job was ended: it took longer, or more memory, than the operator allows. */
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
  /** The module whose exports are the jobs. */
  readonly jobs: URL;
}

const WAITING_MAX = 100;
const WAITING_PER_PARTY_MAX = 10;
const YOUNG_GENERATION_MB = 32;
const IDLE_MS_MAX = 30_000;

export function createWorkers({ budget, jobs }: WorkersOptions): Workers {
  const pool = new Piscina({
    filename: jobs.href,
    // One is kept ready; the others come and go.
    minThreads: 1,
    maxThreads: budget.threadsMax,
    concurrentTasksPerWorker: 1,
    idleTimeout: IDLE_MS_MAX,
    resourceLimits: {
      maxOldGenerationSizeMb: budget.memoryMbMax,
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
    },
    // A blueprint's reader needs no settings, and no secrets.
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
    run: async (party, job, input, msMax = budget.jobMsMax) => {
      const endTurn = await queue.enter(party);
      try {
        return await pool.run(input, { name: job, signal: AbortSignal.timeout(msMax) });
      } catch (error) {
        throw overBudget(error) ?? error;
      } finally {
        endTurn();
      }
    },
    stop: () => pool.destroy(),
  };
}

function overBudget(error: unknown): OverBudget | null {
  const { name, code } = error as { name?: string; code?: string };
  if (name === "AbortError" || name === "TimeoutError") return new OverBudget("time", error);
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? new OverBudget("memory", error) : null;
}
