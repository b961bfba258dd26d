// Shows the other processes that this one lives, and frees the work of those that don't. In: the process, and what it
// uses. Out: one statement every few seconds, which keeps all runs that the process has claimed.
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import { DEAD_MS } from "../workflows/work-processes.ts";
import { takeBackRuns, unlockJobs } from "./dead-processes.ts";
import type { Queue } from "./queue.ts";
import { repeat } from "./repeat.ts";

export interface HeartbeatOptions {
  /** A separate pool: neither runs nor events can delay it. */
  readonly pool: Pool;
  readonly holder: string;
  /** The job queue in this process; null if it has none. */
  readonly queue: Pick<Queue, "lockedBy"> | null;
  /** Calls in progress, by project. */
  readonly calls: () => Readonly<Record<string, number>>;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

export interface Heartbeat {
  /** Whether the others see this process as alive. If not, it must not claim anything. */
  isAlive(): boolean;
  beat(): Promise<void>;
  /** The others can take its work at once. */
  end(): Promise<void>;
}

const BEAT_MS = 3_000;

const BEAT = `INSERT INTO plinth.work_processes (id, beat_at, queue_workers, calls)
  VALUES ($1, clock_timestamp(), $2, $3) ON CONFLICT (id) DO UPDATE
  SET beat_at = clock_timestamp(), queue_workers = EXCLUDED.queue_workers, calls = EXCLUDED.calls`;

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { pool, holder, queue, calls, logger, clock = () => performance.now() } = options;
  let beatAtMs = Number.NEGATIVE_INFINITY;
  let aliveSinceMs = 0;
  return {
    isAlive: () => clock() - beatAtMs < DEAD_MS / 2,
    async beat() {
      const startedMs = clock();
      await pool.query(BEAT, [holder, queue?.lockedBy() ?? [], JSON.stringify(calls())]);
      if (startedMs - beatAtMs > DEAD_MS) aliveSinceMs = startedMs;
      beatAtMs = startedMs;
      // After an outage of the database, the others need as much time as this process to show that they live.
      if (startedMs - aliveSinceMs < DEAD_MS) return;
      const runs = await takeBackRuns(pool);
      if (runs > 0) logger.warn({ runs }, "runs of a process that died are continued");
      if (queue !== null) await unlockJobs(pool);
    },
    async end() {
      await pool.query("DELETE FROM plinth.work_processes WHERE id = $1", [holder]);
    },
  };
}

/**
 * @param onBeat Called with each heartbeat. @returns when the others know the process, with a function that stops it.
 */
export async function keepBeating(
  heartbeat: Heartbeat,
  logger: Logger,
  onBeat: () => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  const first = Promise.withResolvers<void>();
  const { stop } = repeat(async () => {
    onBeat();
    try {
      await heartbeat.beat();
    } catch (error) {
      if (!stopped) logger.warn({ err: error }, "the heartbeat failed");
    }
    first.resolve();
    return BEAT_MS;
  });
  await first.promise;
  return async () => {
    stopped = true;
    await stop();
    await heartbeat.end().catch(() => {});
  };
}
