// At most so many at once, and at most so many waiting. In: work. Out: its result.
// Never queues without a bound: beyond it the caller is refused at once.
import { Fault } from "@plinth/service";

export class Semaphore {
  readonly #slots: number;
  readonly #waitingMax: number;
  readonly #waitMsMax: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number, waitingMax: number, waitMsMax: number) {
    this.#slots = slots;
    this.#waitingMax = waitingMax;
    this.#waitMsMax = waitMsMax;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken < this.#slots) this.#taken++;
    else await this.#wait();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken--;
      else next();
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) {
      throw new Fault("unavailable", {
        detail: "This project has too many slow requests under way.",
        headers: { "retry-after": "1" },
      });
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(new Fault("timeout", { detail: "This project has too many slow requests under way." }));
      }, this.#waitMsMax);
      this.#waiting.push(start);
    });
  }
}
