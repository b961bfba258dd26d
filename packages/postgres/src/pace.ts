// Chooses a lane by the time of earlier runs. In: the cost of each run. Out: a lane. A statement that was slow in the
// fast lane returns to it only after several short trials in a row.

export type Lane = "fast" | "slow";

/** A run of at most this many ms is short enough for the fast lane. */
const SHORT_MS = 5;
/** The average above which a statement leaves the fast lane. */
const LONG_MS = 10;
/** The maximum for a single run: one pause of the machine changes nothing, the second within a few runs does. */
const RUN_MS_MAX = 40;
/** The number of short runs in a row that a statement needs for the fast lane. */
const RUNS_TO_EARN = 3;
/** After each loss, twice as many are needed, up to this many. */
const RUNS_TO_EARN_MAX = 512;
/** A loss is forgiven after this long. */
const FORGIVEN_MS = 600_000;
/** After a failed trial, the wait for the next one; it doubles after each further failure, up to the second limit. */
const TRIAL_PAUSE_MS = 100;
const TRIAL_PAUSE_MS_MAX = 60_000;
/** If a statement that is short whatever the rows are was slow, it met a lock; after this time it is tried again. */
const LOCKED_MS = 5_000;

export class Pace {
  /**
   * It is short whatever the rows are: its time in the fast lane says something about the machine, not about the
   * statement.
   */
  readonly isShort: boolean;
  #lane: Lane;
  #averageMs: number;
  #shortRuns = 0;
  #losses = 0;
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #longUntilMs = Number.NEGATIVE_INFINITY;
  #trialPauseMs = TRIAL_PAUSE_MS;
  #nextTrialMs = Number.NEGATIVE_INFINITY;

  constructor(isShort: boolean) {
    this.isShort = isShort;
    this.#lane = isShort ? "fast" : "slow";
    this.#averageMs = isShort ? 0.5 : SHORT_MS;
  }

  get lane(): Lane {
    return this.#lane;
  }

  /** Whether it can be tried now. */
  mayTry(now: number): boolean {
    return now >= this.#nextTrialMs;
  }

  /** The expected cost of the next run, in ms. */
  get expectedMs(): number {
    return this.#averageMs;
  }

  /**
   * @param costMs For the statement alone, without its wait for a turn.
   * @param noise How many times longer everything takes now than on an idle machine, at least 1.
   */
  note(costMs: number, now: number, noise = 1): void {
    const isLong = costMs > SHORT_MS * noise;
    // Runs on several connections that were long at the same time met the same pause.
    if (isLong && now - costMs < this.#longUntilMs) return;
    if (isLong) this.#longUntilMs = now;
    this.#averageMs += (Math.min(costMs, RUN_MS_MAX * noise) - this.#averageMs) / 8;
    if (this.#lane === "fast") {
      if (!this.isShort && this.#averageMs > LONG_MS * noise) this.lose(now);
      return;
    }
    if (isLong) this.failTrial(now);
    else this.#shortRuns++;
    if (now - this.#lostAtMs > FORGIVEN_MS) this.#losses = 0;
    if (this.#shortRuns < Math.min(RUNS_TO_EARN * 2 ** this.#losses, RUNS_TO_EARN_MAX)) return;
    this.#lane = "fast";
    this.#averageMs = Math.min(this.#averageMs, SHORT_MS);
    this.#trialPauseMs = TRIAL_PAUSE_MS;
  }

  /** It was cut off, or its result was too large for the fast lane, however short it was. */
  failTrial(now: number): void {
    this.#shortRuns = 0;
    this.#nextTrialMs = now + this.#trialPauseMs;
    this.#trialPauseMs = Math.min(this.#trialPauseMs * 2, TRIAL_PAUSE_MS_MAX);
  }

  /** It met a lock, or was too large: the next runs use the slow lane, until trials have been short again. */
  lose(now: number): void {
    this.#losses = now - this.#lostAtMs > FORGIVEN_MS ? 1 : this.#losses + 1;
    this.#lostAtMs = now;
    this.#lane = "slow";
    this.#shortRuns = 0;
    if (this.isShort) this.#nextTrialMs = now + LOCKED_MS;
    // Only a few run ahead on a connection at the next try: the lock may still exist.
    this.#averageMs = Math.max(this.#averageMs, SHORT_MS);
  }
}

/** On an idle machine, a read by id costs about this many ms, as measured here. */
const QUIET_MS = 0.5;
const NOISE_MAX = 10;

/**
 * Estimates how busy the machine is, from statements that are short whatever the rows are. In: their costs. Out: a
 * factor.
 */
export class Noise {
  #averageMs = QUIET_MS;

  note(costMs: number): void {
    this.#averageMs += (Math.min(costMs, QUIET_MS * NOISE_MAX) - this.#averageMs) / 64;
  }

  get factor(): number {
    return Math.max(1, this.#averageMs / QUIET_MS);
  }
}
