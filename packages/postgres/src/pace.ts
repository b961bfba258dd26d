// How long a statement's runs take, and so which lane it is for. In: the cost of each run. Out: a lane.
// It never trusts a statement in the fast lane that was slow there until it has been short again, several times in a row.

export type Lane = "fast" | "slow";

/** A run of at most this many ms is short enough for the fast lane. */
const SHORT_MS = 5;
/** The average above which a statement leaves the fast lane. */
const LONG_MS = 8;
/** A single run above this does the same. */
const STALL_MS = 40;
/** Short runs in a row that earn the fast lane. */
const RUNS_TO_EARN = 3;
/** Each time it is lost, twice as many are needed, up to this many. */
const RUNS_TO_EARN_MAX = 512;
/** A loss is forgiven after this long. */
const FORGIVEN_MS = 600_000;

export class Pace {
  #lane: Lane;
  #averageMs: number;
  #shortRuns = 0;
  #losses = 0;
  #lostAtMs = 0;

  /** @param starts Where the first run goes; a statement that could be long starts in the slow lane. */
  constructor(starts: Lane) {
    this.#lane = starts;
    this.#averageMs = starts === "fast" ? 0.5 : SHORT_MS;
  }

  get lane(): Lane {
    return this.#lane;
  }

  /** What the next run is expected to cost, in ms. */
  get expectedMs(): number {
    return this.#averageMs;
  }

  /** @param costMs Of the statement alone, without its wait for a turn. */
  note(costMs: number, now: number): void {
    this.#averageMs += (costMs - this.#averageMs) / 8;
    if (this.#lane === "fast") {
      if (costMs > STALL_MS || this.#averageMs > LONG_MS) this.lose(now);
      return;
    }
    this.#shortRuns = costMs <= SHORT_MS ? this.#shortRuns + 1 : 0;
    if (now - this.#lostAtMs > FORGIVEN_MS) this.#losses = 0;
    if (this.#shortRuns < Math.min(RUNS_TO_EARN * 2 ** this.#losses, RUNS_TO_EARN_MAX)) return;
    this.#lane = "fast";
    this.#averageMs = Math.min(this.#averageMs, SHORT_MS);
  }

  /** It was cut short there, or was too large: the next runs go to the slow lane. */
  lose(now: number): void {
    this.#losses = now - this.#lostAtMs > FORGIVEN_MS && this.#lostAtMs > 0 ? 1 : this.#losses + 1;
    this.#lostAtMs = now;
    this.#lane = "slow";
    this.#shortRuns = 0;
  }
}
