// Reproducible randomness. In: a seed. Out: numbers, picks and booleans, always the same for the same seed. It never
// uses the clock or the machine.

export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not start with similar numbers.
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bf03635) >>> 0;
    for (let i = 0; i < 8; i++) this.next();
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** From `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.whole(0, items.length - 1)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** Each item with this probability, in order. */
  some<T>(items: readonly T[], of: number): T[] {
    return items.filter(() => this.chance(of));
  }
}
