// Places that projects share fairly. In: a project and its work. Out: the work's result, in its turn. It never queues
// without a limit, and one project's queue never blocks another's.
import { FairShare } from "./fair-share.ts";

export interface FairQueueOptions {
  /** The number of pieces of work that run at the same time. */
  readonly places: number;
  /** The same for one project. */
  readonly placesPerProject: number;
  /**
   * Whether a project gets fewer places as they fill: a quarter of the free ones, at least one. Work of unknown
   * duration then can't take all places, however many projects have such work; the last places go to projects that have
   * none. Default: no.
   */
  readonly leavesRoom?: boolean;
  /** The number of waiting pieces of work for one project. */
  readonly waitingMax: number;
  readonly waitMsMax: number;
  /**
   * The maximum time for which a piece of work has its place. Its caller then gets the refusal `endless`, even if the
   * work never ends. Default 120000.
   */
  readonly workMsMax?: number;
  /** What one project can use in the long run; absent: no such limit. */
  readonly budget?: Budget;
  /** The error for work that finds the queue full, has waited for too long, or has had its place for too long. */
  readonly refusal: (why: "full" | "late" | "endless") => Error;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/**
 * A project can use `burstMs` of work in advance, and regains `msPerSecond`. In debt, it has one place at a time: when
 * work is measured by elapsed time, a busy machine slows everybody down. With twice the debt, it waits.
 */
export interface Budget {
  readonly msPerSecond: number;
  readonly burstMs: number;
}

const WORK_MS_MAX = 120_000;

/** The number of projects that can each start as much again as the last one has taken. */
const ROOM_FOR = 4;

/**
 * @param hasCost Charges this cost instead of the work's time, in ms. @param whenLate What to do when the work loses its
 * place, so that it ends.
 */
type Work<Result> = (hasCost: (ms: number) => void, whenLate: (stop: () => void) => void) => Promise<Result>;

interface Waiting {
  readonly project: string;
  start(): void;
}

interface Spending {
  running: number;
  leftMs: number;
  atMs: number;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #clock: () => number;
  readonly #share: FairShare<Waiting>;
  readonly #projects = new Map<string, Spending>();
  #taken = 0;
  /** Since when all places are taken, and none has become free. */
  #fullSinceMs: number | null = null;
  #wake: NodeJS.Timeout | null = null;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#share = new FairShare(this.#clock);
  }

  /** Running and waiting work. */
  load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#taken, waiting: this.#share.size };
  }

  /** How long all places have been taken without one that became free; 0 if one is free. */
  stalledMs(): number {
    return this.#fullSinceMs === null ? 0 : this.#clock() - this.#fullSinceMs;
  }

  /** Running work of each project that has any. */
  runningByProject(): readonly (readonly [project: string, running: number])[] {
    return [...this.#projects].flatMap(([project, { running }]) =>
      running === 0 ? [] : [[project, running] as const],
    );
  }

  /** Charges other costs than time, as milliseconds. */
  charge(project: string, costMs: number): void {
    this.#share.charge(project, costMs);
    const spending = this.#projects.get(project);
    if (spending === undefined) return;
    spending.leftMs = this.#refilled(spending) - costMs;
    spending.atMs = this.#clock();
  }

  /**
   * The project is charged for the time of the work, or for the cost that the work itself returns, in ms. @throws the
   * error from `refusal`, and the work's own errors.
   */
  async run<Result>(project: string, work: Work<Result>): Promise<Result> {
    if (this.#share.waitingOf(project) === 0 && this.#mayStart(project)) this.#take(project);
    else await this.#wait(project);
    const startedMs = this.#clock();
    let costMs: number | null = null;
    const hasCost = (ms: number): void => {
      costMs = ms;
    };
    let stop: (() => void) | null = null;
    const whenLate = (callback: () => void): void => {
      stop = callback;
    };
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(this.#options.refusal("endless"));
      stop?.();
    }, this.#options.workMsMax ?? WORK_MS_MAX);
    timer.unref();
    try {
      return await Promise.race([work(hasCost, whenLate), late]);
    } finally {
      clearTimeout(timer);
      this.#finish(project, costMs ?? this.#clock() - startedMs);
    }
  }

  #wait(project: string): Promise<void> {
    if (this.#share.waitingOf(project) >= this.#options.waitingMax) throw this.#options.refusal("full");
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        project,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#share.remove(project, waiting);
        reject(this.#options.refusal("late"));
      }, this.#options.waitMsMax);
      this.#share.push(project, waiting);
      this.#startNext();
    });
  }

  #mayStart(project: string): boolean {
    if (this.#taken >= this.#options.places) return false;
    const spending = this.#projects.get(project);
    if (spending === undefined) return true;
    const leftMs = this.#leftMs(spending);
    if (spending.running === 0) return leftMs > -(this.#options.budget?.burstMs ?? 0);
    return spending.running < this.#placesOfEach() && leftMs > 0;
  }

  #placesOfEach(): number {
    const { places, placesPerProject, leavesRoom = false } = this.#options;
    if (!leavesRoom) return placesPerProject;
    return Math.min(placesPerProject, Math.max(1, Math.floor((places - this.#taken) / ROOM_FOR)));
  }

  /** The place is taken here, before waiting work continues, so that nobody can take it in between. */
  #take(project: string): void {
    this.#taken++;
    if (this.#taken >= this.#options.places) this.#fullSinceMs = this.#clock();
    let spending = this.#projects.get(project);
    if (spending === undefined) {
      spending = { running: 0, leftMs: this.#options.budget?.burstMs ?? 0, atMs: this.#clock() };
      this.#projects.set(project, spending);
    }
    spending.running++;
  }

  #finish(project: string, costMs: number): void {
    this.#taken--;
    this.#fullSinceMs = null;
    this.#share.charge(project, costMs);
    const spending = this.#projects.get(project);
    if (spending !== undefined) {
      spending.running--;
      if (this.#options.budget !== undefined) spending.leftMs = this.#refilled(spending) - costMs;
      spending.atMs = this.#clock();
      this.#forgetWhenIdle(project, spending);
    }
    this.#startNext();
  }

  #startNext(): void {
    for (;;) {
      if (this.#taken >= this.#options.places) return;
      const next = this.#share.next((project) => this.#mayStart(project));
      if (next === null) break;
      this.#take(next.project);
      next.start();
    }
    this.#wakeForDebtors();
  }

  /** A project in debt starts by a timer, because no piece of work may end meanwhile. */
  #wakeForDebtors(): void {
    if (this.#wake !== null || this.#share.size === 0 || this.#options.budget === undefined) return;
    this.#wake = setTimeout(() => {
      this.#wake = null;
      this.#startNext();
    }, 25);
    this.#wake.unref();
  }

  #leftMs(spending: Spending): number {
    return this.#options.budget === undefined ? 1 : this.#refilled(spending);
  }

  #refilled({ leftMs, atMs }: Spending): number {
    const { budget } = this.#options;
    if (budget === undefined) return leftMs;
    return Math.min(budget.burstMs, leftMs + ((this.#clock() - atMs) / 1000) * budget.msPerSecond);
  }

  #forgetWhenIdle(project: string, spending: Spending): void {
    if (spending.running > 0) return;
    const { budget } = this.#options;
    if (budget === undefined || this.#refilled(spending) >= budget.burstMs) this.#projects.delete(project);
    else if (this.#projects.size > 10_000) this.#sweep();
  }

  #sweep(): void {
    const burstMs = this.#options.budget?.burstMs ?? 0;
    for (const [project, spending] of this.#projects) {
      if (spending.running === 0 && this.#refilled(spending) >= burstMs) this.#projects.delete(project);
    }
  }
}
