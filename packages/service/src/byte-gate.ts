// How many bytes may stand in memory at once, in all and for each project. In: a project and a size. Out: leave to hold it.
// It never hands out more than its total, and never keeps anybody waiting without a bound.
import { FairShare } from "./fair-share.ts";

export interface ByteGateOptions {
  readonly bytesMax: number;
  readonly bytesPerProject: number;
  readonly waitMsMax: number;
  /** The error for whoever has waited too long. */
  readonly refusal: () => Error;
}

/** A share of so many parts of what one project may hold is little. */
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

  heldBy(project: string): number {
    return this.#held.get(project) ?? 0;
  }

  /**
   * Whether the project may make more, for what is only known once it is there. One that holds little is never refused for
   * what others hold.
   */
  hasRoom(project: string): boolean {
    const held = this.heldBy(project);
    const { bytesMax, bytesPerProject } = this.#options;
    return held < bytesPerProject && (this.#total < bytesMax || held < bytesPerProject / LITTLE);
  }

  /** Counts bytes that are there already. @returns what gives them back, once. */
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

  /** Waits for room. @returns what gives the bytes back, once. @throws what `refusal` makes. */
  async acquire(project: string, bytes: number): Promise<() => void> {
    if (this.#share.waitingOf(project) > 0 || !this.#fits(project, bytes)) await this.#wait(project, bytes);
    return this.hold(project, bytes);
  }

  /** What is larger than a limit by itself still passes where nothing else is held. */
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

  /** One at a time: whoever starts holds its bytes before the next one is looked at. */
  #startNext(): void {
    const next = this.#share.next((project, { bytes }) => this.#fits(project, bytes));
    if (next === null) return;
    next.start();
    setImmediate(() => this.#startNext());
  }
}
