// A cache that is bounded in bytes. In: a bound, and what each value weighs. Out: get and set; the least recently used goes.
// It never holds more than its bound, and never keeps a value that is heavier than the whole bound.

export interface ByteCacheOptions<Key, Value> {
  readonly bytesMax: number;
  /** An estimate of what an entry takes in memory, its key included; asked once, as it is set. */
  readonly weigh: (value: Value, key: Key) => number;
  /** Is told by how many bytes the cache has grown; negative where it has shrunk. */
  readonly onGrowth?: (bytes: number) => void;
}

interface Weighed<Value> {
  readonly value: Value;
  readonly bytes: number;
}

export class ByteCache<Key, Value> {
  readonly #entries = new Map<Key, Weighed<Value>>();
  readonly #options: ByteCacheOptions<Key, Value>;
  #bytes = 0;

  constructor(options: ByteCacheOptions<Key, Value>) {
    if (!(options.bytesMax > 0)) throw new Error("A byte cache needs a limit above 0");
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    const bytes = this.#options.weigh(value, key);
    if (bytes > this.#options.bytesMax) return;
    this.#entries.set(key, { value, bytes });
    this.#grow(bytes);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#options.bytesMax) break;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#grow(-entry.bytes);
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#options.onGrowth?.(bytes);
  }
}

/** What a text takes in memory: a byte a character, or two where one is beyond Latin-1; V8's header beside them. */
export function bytesOfText(text: string): number {
  return 24 + (/^[\0-\xff]*$/.test(text) ? text.length : 2 * text.length);
}
