// A map that is bounded in entries. In: a bound. Out: get and set; what was not used for longest goes first.
// Where entries differ much in size, a `ByteCache` is the bound that holds.

/**
 * Two generations: what is used moves to the young one, and when that is full, the old one goes as a whole. To delete the oldest
 * entry of a `Map` one by one would have each look for it pass over all that were deleted before.
 */
export class RecentMap<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #generation: number;

  /** @param entriesMax At least 2; between half as many and as many as this are kept. */
  constructor(entriesMax: number) {
    if (!(entriesMax >= 2)) throw new Error("A bounded map needs room for two entries");
    this.#generation = Math.floor(entriesMax / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Counts as a use. `undefined` can't be kept as a value. */
  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#generation && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#old.delete(key);
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
