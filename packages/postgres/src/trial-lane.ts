// Where statements show that they are short. In: a statement that has yet to earn the fast lane. Out: its rows and what it
// took the server, or null: not now. One at a time, on a connection of its own.
//
// The slow lane can't tell: its backends give way to everything else, so that on a busy machine nothing is short there,
// and who came under load would never leave it. A trial costs others next to nothing: it is cut after a few milliseconds,
// and each project has a small budget for it.
import { FairQueue } from "@plinth/service";
import { LaneConnection, type LaneQuery, type LaneResult, type LaneSettings } from "./lane-connection.ts";

export interface TrialLane {
  /**
   * @param isWanted Asked when the turn has come: others may have shown meanwhile what was to be shown.
   * @returns null where it was not run. `costMs` is the server's time. @throws what the statement fails with.
   */
  run(project: string, query: LaneQuery, isWanted: () => boolean): Promise<LaneResult | null>;
  close(): Promise<void>;
}

const STATEMENT_MS_MAX = 50;
const LOCK_MS_MAX = 20;
/** Of one project, in the long run: one failed trial a second. */
const BUDGET = { msPerSecond: 50, burstMs: 150 };
/** Callers of one project that wait for a trial, and how long they do; then the slow lane takes them. */
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

  /** The server's own clock before and behind: ours would count what this process was busy with. */
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
