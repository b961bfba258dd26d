// A cache with a limit in bytes. In: a limit, and the weight of each value. Out: get and set; the least recently used
// entry is removed first. It never exceeds its limit, and never keeps a value that is heavier than the limit.

export interface ByteCacheOptions<Key, Value> {
  readonly bytesMax: number;
  /** An estimate of an entry's memory including its key; called once, when it is set. */
  readonly weigh: (value: Value, key: Key) => number;
  /** Called with the number of bytes by which the cache has grown; negative if it has shrunk. */
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

/** The memory of a text: one byte per character, or two if any is beyond Latin-1, and V8's header. */
export function bytesOfText(text: string): number {
  return 24 + (/^[\0-\xff]*$/.test(text) ? text.length : 2 * text.length);
}
