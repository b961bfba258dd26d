// Where statements prove that they are short. In: a statement that is not in the fast lane yet. Out: its rows and its
// time on the server, or null: not now. One at a time, on its own connection. The slow lane can't measure this: its
// backends give way to everything else, so that on a busy machine nothing is short there, and a statement that arrived
// under load would never leave it. A trial costs others nearly nothing: it is cut off after a few milliseconds, and
// each project has a small budget for trials.
import { FairQueue } from "@plinth/service";
import { LaneConnection, type LaneQuery, type LaneResult, type LaneSettings } from "./lane-connection.ts";

export interface TrialLane {
  /**
   * @param isWanted Called when the turn has come: others may have proven it meanwhile.
   * @returns null if it was not run. `costMs` is the server's time. @throws the statement's own error.
   */
  run(project: string, query: LaneQuery, isWanted: () => boolean): Promise<LaneResult | null>;
  close(): Promise<void>;
}

const STATEMENT_MS_MAX = 50;
const LOCK_MS_MAX = 20;
/** For one project, in the long run: one failed trial per second. */
const BUDGET = { msPerSecond: 50, burstMs: 150 };
/** The number of callers of one project that wait for a trial, and for how long; then they use the slow lane. */
const WAITING_MAX = 200;
const WAIT_MS_MAX = 100;
const PREPARED_MAX = 200;
const CLOCK: LaneQuery = { name: "kept", text: "SELECT extract(epoch FROM clock_timestamp())::text", values: [] };

export function createTrialLane(settings: LaneSettings): TrialLane {
  const connection = new LaneConnection({
    ...settings,
    statementTimeoutMs: STATEMENT_MS_MAX,
    lockTimeoutMs: LOCK_MS_MAX,
    preparedMax: PREPARED_MAX,
  });
  const turns = new FairQueue({
    places: 1,
    placesPerProject: 1,
    waitingMax: WAITING_MAX,
    waitMsMax: WAIT_MS_MAX,
    budget: BUDGET,
    refusal: () => new NotNow(),
  });

  /** The server's own clock before and after: our clock would include what this process did meanwhile. */
  const timed = async (query: LaneQuery): Promise<LaneResult> => {
    const [before, result, after] = await Promise.allSettled([
      connection.run(CLOCK),
      connection.run(query),
      connection.run(CLOCK),
    ]);
    if (result.status === "rejected") throw result.reason;
    if (before.status === "rejected" || after.status === "rejected") return result.value;
    return { ...result.value, costMs: (secondsOf(after.value) - secondsOf(before.value)) * 1000 };
  };

  return {
    async run(project, query, isWanted) {
      if (!connection.isOpen) return null;
      try {
        return await turns.run(project, async () => (isWanted() && connection.isOpen ? await timed(query) : null));
      } catch (error) {
        if (error instanceof NotNow) return null;
        throw error;
      }
    },
    close: () => connection.close(),
  };
}

class NotNow extends Error {}

function secondsOf({ rows }: LaneResult): number {
  return Number(rows[0]?.[0]);
}
