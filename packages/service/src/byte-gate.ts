// Limits the bytes in memory at the same time, in total and for each project. In: a project and a size. Out: permission
// to hold them. It never grants more than its total, and nobody waits without a limit.
import { FairShare } from "./fair-share.ts";

export interface ByteGateOptions {
  readonly bytesMax: number;
  readonly bytesPerProject: number;
  readonly waitMsMax: number;
  /** The error for a caller who has waited too long. */
  readonly refusal: () => Error;
}

/** Less than this fraction of a project's maximum counts as little. */
const LITTLE = 16;

interface Waiting {
  readonly bytes: number;
  start(): void;
}

export class ByteGate {
  readonly #options: ByteGateOptions;
  readonly #share = new FairShare<Waiting>();
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(options: ByteGateOptions) {
    this.#options = options;
  }

  /** Bytes that are held, by all projects. */
  get held(): number {
    return this.#total;
  }

  heldBy(project: string): number {
    return this.#held.get(project) ?? 0;
  }

  /**
   * Whether the project can hold more, when the size is only known after the fact. A project that holds little is never
   * refused because of others.
   */
  hasRoom(project: string): boolean {
    const held = this.heldBy(project);
    const { bytesMax, bytesPerProject } = this.#options;
    return held < bytesPerProject && (this.#total < bytesMax || held < bytesPerProject / LITTLE);
  }

  /** Counts bytes that already exist. @returns a function that releases them, once. */
  hold(project: string, bytes: number): () => void {
    this.#total += bytes;
    this.#held.set(project, this.heldBy(project) + bytes);
    this.#share.charge(project, bytes);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#total -= bytes;
      const left = this.heldBy(project) - bytes;
      if (left > 0) this.#held.set(project, left);
      else this.#held.delete(project);
      this.#startNext();
    };
  }

  /** Waits for room. @returns a function that releases the bytes, once. @throws the error from `refusal`. */
  async acquire(project: string, bytes: number): Promise<() => void> {
    if (this.#share.waitingOf(project) > 0 || !this.#fits(project, bytes)) await this.#wait(project, bytes);
    return this.hold(project, bytes);
  }

  /** A request that is larger than a limit alone still passes if nothing else is held. */
  #fits(project: string, bytes: number): boolean {
    const { bytesMax, bytesPerProject } = this.#options;
    const held = this.heldBy(project);
    return (this.#total === 0 || this.#total + bytes <= bytesMax) && (held === 0 || held + bytes <= bytesPerProject);
  }

  #wait(project: string, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        bytes,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#share.remove(project, waiting);
        reject(this.#options.refusal());
      }, this.#options.waitMsMax);
      this.#share.push(project, waiting);
    });
  }

  /** One at a time: each one holds its bytes before the next one is checked. */
  #startNext(): void {
    const next = this.#share.next((project, { bytes }) => this.#fits(project, bytes));
    if (next === null) return;
    next.start();
    setImmediate(() => this.#startNext());
  }
}
