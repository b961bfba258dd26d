// A number of places that projects share fairly. In: a project and its work. Out: the work's result, in its turn.
// It never queues without a bound, and never lets one project's queue stand in front of another's.
import { FairShare } from "./fair-share.ts";

export interface FairQueueOptions {
  /** Pieces of work under way at once. */
  readonly places: number;
  /** The same of one project. */
  readonly placesPerProject: number;
  /**
   * Whether a project's places become fewer as they fill: a quarter of those that are free, and one at least. Work of which
   * nobody knows when it ends then can't take all places, however many projects have such work; what is freed last goes to
   * those who have none. Default: no.
   */
  readonly leavesRoom?: boolean;
  /** Pieces of work of one project that may wait. */
  readonly waitingMax: number;
  readonly waitMsMax: number;
  /** What one project may use in the long run; absent: no such limit. */
  readonly budget?: Budget;
  /** The error for work that finds the queue full, or has waited too long. */
  readonly refusal: (why: "full" | "late") => Error;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/**
 * A project may run up `burstMs` of work, and wins `msPerSecond` back. In debt it has one place at a time: where work
 * goes by the clock, a busy machine slows everybody down. Twice as deep in debt it waits.
 */
export interface Budget {
  readonly msPerSecond: number;
  readonly burstMs: number;
}

/** Projects that each may come with as much again as the last one has taken. */
const ROOM_FOR = 4;

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
  #wake: NodeJS.Timeout | null = null;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#share = new FairShare(this.#clock);
  }

  /** Work under way and waiting. */
  load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#taken, waiting: this.#share.size };
  }

  /** Charges more than time: what the work of a project costs elsewhere, as milliseconds. */
  charge(project: string, costMs: number): void {
    this.#share.charge(project, costMs);
    const spending = this.#projects.get(project);
    if (spending === undefined) return;
    spending.leftMs = this.#refilled(spending) - costMs;
    spending.atMs = this.#clock();
  }

  /**
   * The time that the work takes is charged to the project; or what the work says that it has cost, in ms, where it knows
   * better. @throws what `refusal` makes, and whatever the work throws.
   */
  async run<Result>(project: string, work: (hasCost: (ms: number) => void) => Promise<Result>): Promise<Result> {
    if (this.#share.waitingOf(project) === 0 && this.#mayStart(project)) this.#take(project);
    else await this.#wait(project);
    const startedMs = this.#clock();
    let costMs: number | null = null;
    try {
      return await work((ms) => {
        costMs = ms;
      });
    } finally {
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

  /** The place is taken here, before the waiting work goes on: nobody can slip in between. */
  #take(project: string): void {
    this.#taken++;
    let spending = this.#projects.get(project);
    if (spending === undefined) {
      spending = { running: 0, leftMs: this.#options.budget?.burstMs ?? 0, atMs: this.#clock() };
      this.#projects.set(project, spending);
    }
    spending.running++;
  }

  #finish(project: string, costMs: number): void {
    this.#taken--;
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

  /** Who is in debt starts by the clock: no piece of work may end meanwhile. */
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
