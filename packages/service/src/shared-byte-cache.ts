// A cache with a limit in bytes that many owners share. In: a limit, and the weight of each value. Out: get and set. It
// never exceeds its limit. If it is full, the owner with the most bytes (within a factor of two) loses an entry that
// was not used recently, so that one owner's many entries never displace the few of another. A read is one look-up that
// marks the entry; a marked entry is spared once when something must be removed ("clock").

export interface SharedByteCacheOptions<Value> {
  readonly bytesMax: number;
  /** An estimate of the memory of a key and its value; called once, when they are set. */
  readonly weigh: (value: Value, key: string) => number;
}

interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  readonly bytes: number;
  readonly owner: Owner<Value>;
  wasUsed: boolean;
}

interface Owner<Value> {
  readonly name: string;
  /** The oldest first. */
  readonly entries: Set<Entry<Value>>;
  bytes: number;
  /** The power of two that its bytes have reached. */
  size: number;
  wasUsed: boolean;
}

/** The measured overhead of an entry and of an owner. */
const ENTRY_BYTES = 150;
const OWNER_BYTES = 500;
/** The maximum number of marked entries to pass: a cache in full use must not stop for a long walk. */
const PASSED_OVER_MAX = 16;

export class SharedByteCache<Value> {
  readonly #options: SharedByteCacheOptions<Value>;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #owners = new Map<string, Owner<Value>>();
  /** Owners by their size; in each, the oldest first. */
  readonly #bySize: Set<Owner<Value>>[] = Array.from({ length: 54 }, () => new Set());
  #bytes = 0;

  constructor(options: SharedByteCacheOptions<Value>) {
    if (!(options.bytesMax > 0)) throw new Error("A byte cache needs a limit above 0");
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.wasUsed = true;
    entry.owner.wasUsed = true;
    return entry.value;
  }

  /** A value that is heavier than the limit is not kept. */
  set(ownerName: string, key: string, value: Value): void {
    this.delete(key);
    const bytes = this.#options.weigh(value, key) + ENTRY_BYTES;
    if (bytes + OWNER_BYTES > this.#options.bytesMax) return;
    const owner = this.#owners.get(ownerName) ?? this.#addOwner(ownerName);
    const entry = { key, value, bytes, owner, wasUsed: false };
    this.#entries.set(key, entry);
    owner.entries.add(entry);
    this.#grow(owner, bytes);
    while (this.#bytes > this.#options.bytesMax) this.delete(this.#leastUsed().key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { owner, bytes } = entry;
    this.#entries.delete(key);
    owner.entries.delete(entry);
    if (owner.entries.size === 0) this.#removeOwner(owner);
    else this.#grow(owner, -bytes);
  }

  /** Deletes all entries of the owner. */
  forget(ownerName: string): void {
    const owner = this.#owners.get(ownerName);
    if (owner === undefined) return;
    for (const { key } of owner.entries) this.#entries.delete(key);
    this.#removeOwner(owner);
  }

  #addOwner(name: string): Owner<Value> {
    const owner = { name, entries: new Set<Entry<Value>>(), bytes: 0, size: 0, wasUsed: false };
    this.#owners.set(name, owner);
    this.#grow(owner, OWNER_BYTES);
    return owner;
  }

  #removeOwner(owner: Owner<Value>): void {
    this.#owners.delete(owner.name);
    this.#bySize[owner.size]?.delete(owner);
    this.#bytes -= owner.bytes;
  }

  #grow(owner: Owner<Value>, bytes: number): void {
    this.#bytes += bytes;
    owner.bytes += bytes;
    this.#bySize[owner.size]?.delete(owner);
    owner.size = Math.floor(Math.log2(owner.bytes));
    this.#bySize[owner.size]?.add(owner);
  }

  #leastUsed(): Entry<Value> {
    const largest = this.#bySize.findLast((owners) => owners.size > 0);
    const owner = largest === undefined ? undefined : unmarked(largest);
    const entry = owner === undefined ? undefined : unmarked(owner.entries);
    if (entry === undefined) throw new Error("A byte cache is full but contains nothing");
    return entry;
  }
}

/** The first entry that was not used since its last check; a used one moves to the end, without its mark. */
function unmarked<Each extends { wasUsed: boolean }>(queue: Set<Each>): Each | undefined {
  let passedOver = 0;
  for (const each of queue) {
    if (!each.wasUsed || passedOver++ === PASSED_OVER_MAX) return each;
    each.wasUsed = false;
    queue.delete(each);
    queue.add(each);
  }
  return undefined;
}
