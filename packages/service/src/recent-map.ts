// A map that is bounded in entries. In: a bound. Out: get and set; the entry least recently used goes first.
// Where entries differ much in size, a `ByteCache` is the bound that holds.

export class RecentMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #entriesMax: number;

  /** @param entriesMax At least 1. */
  constructor(entriesMax: number) {
    if (!(entriesMax >= 1)) throw new Error("A bounded map needs room for one entry");
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Counts as a use. `undefined` can't be kept as a value. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#entriesMax) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
