// A map with a maximum number of entries. In: a limit. Out: get and set; the least recently used entries are removed
// first. If entries differ much in size, use a `ByteCache`.

/**
 * Two generations: used entries move to the young one, and when that is full, the old one is dropped as a whole.
 * Deleting the oldest entry of a `Map` one by one would make each search pass over all deleted ones.
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

  /** Counts as a use. `undefined` can't be stored as a value. */
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
