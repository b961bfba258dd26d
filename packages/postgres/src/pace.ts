// How long a statement's runs take, and so which lane it is for. In: the cost of each run. Out: a lane.
// It never trusts a statement in the fast lane that was slow there until it has been short in several trials in a row.

export type Lane = "fast" | "slow";

/** A run of at most this many ms is short enough for the fast lane. */
const SHORT_MS = 5;
/** The average above which a statement leaves the fast lane. */
const LONG_MS = 10;
/** A single run counts as no longer than this: one stall of the machine loses nothing, the second in a few runs does. */
const RUN_MS_MAX = 40;
/** Short runs in a row that earn the fast lane. */
const RUNS_TO_EARN = 3;
/** Each time it is lost, twice as many are needed, up to this many. */
const RUNS_TO_EARN_MAX = 512;
/** A loss is forgiven after this long. */
const FORGIVEN_MS = 600_000;
/** After a trial that failed the next one waits so long, after each further one twice as long, up to the second bound. */
const TRIAL_PAUSE_MS = 100;
const TRIAL_PAUSE_MS_MAX = 60_000;
/** A statement that is short whatever the rows are has met a lock; whether it is gone is tried after this long. */
const LOCKED_MS = 5_000;

export class Pace {
  /** Short whatever the rows are: in the fast lane its time says something of the machine, and nothing of the statement. */
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

  /** Whether it may show now that it is short. */
  mayTry(now: number): boolean {
    return now >= this.#nextTrialMs;
  }

  /** What the next run is expected to cost, in ms. */
  get expectedMs(): number {
    return this.#averageMs;
  }

  /**
   * @param costMs Of the statement alone, without its wait for a turn.
   * @param noise How many times longer everything takes now than on an idle machine, at least 1.
   */
  note(costMs: number, now: number, noise = 1): void {
    const isLong = costMs > SHORT_MS * noise;
    // Runs on several connections that were long together have met the same stall.
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

  /** It was cut short, or its result was too large for the fast lane, however short it was. */
  failTrial(now: number): void {
    this.#shortRuns = 0;
    this.#nextTrialMs = now + this.#trialPauseMs;
    this.#trialPauseMs = Math.min(this.#trialPauseMs * 2, TRIAL_PAUSE_MS_MAX);
  }

  /** It met a lock there, or was too large: the next runs go to the slow lane, until trials have been short again. */
  lose(now: number): void {
    this.#losses = now - this.#lostAtMs > FORGIVEN_MS ? 1 : this.#losses + 1;
    this.#lostAtMs = now;
    this.#lane = "slow";
    this.#shortRuns = 0;
    if (this.isShort) this.#nextTrialMs = now + LOCKED_MS;
    // Few of them go ahead on a connection when they are tried again: the lock may still be there.
    this.#averageMs = Math.max(this.#averageMs, SHORT_MS);
  }
}

/** On an idle machine a read by id costs about this many ms, as it is measured here. */
const QUIET_MS = 0.5;
const NOISE_MAX = 10;

/** How busy the machine is, told from statements that are short whatever the rows are. In: their costs. Out: a factor. */
export class Noise {
  #averageMs = QUIET_MS;

  note(costMs: number): void {
    this.#averageMs += (Math.min(costMs, QUIET_MS * NOISE_MAX) - this.#averageMs) / 64;
  }

  get factor(): number {
    return Math.max(1, this.#averageMs / QUIET_MS);
  }
}
