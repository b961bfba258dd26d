// A cache of credentials that a change of the epoch invalidates. In: a key. Out: the result of `load`, never older than
// the epoch allows. It never caches that something is missing, and one project's entries never displace those of
// others.
import { SharedByteCache } from "@plinth/service";
import type { Epoch } from "./epoch.ts";

/** The result of a load, and the project whose changes invalidate it. */
export interface Loaded<V> {
  readonly projectId: string;
  readonly value: V;
}

export interface EpochCache<V> {
  /** Answers from memory only; undefined if the value is unknown or no longer trusted. */
  peek(key: string): V | undefined;
  /** Asks the database; simultaneous callers share one look-up. Null if there is no value. */
  load(key: string): Promise<V | null>;
  get(key: string): Promise<V | null>;
  /** Deletes a project's entries. */
  forget(projectId: string): void;
}

interface Entry<V> extends Loaded<V> {
  readonly stamp: number;
  readonly expiresAt: number;
}

/**
 * A caller can join a look-up that is at most this old. The result of an older one could be from before a revocation.
 */
const JOIN_MS_MAX = 200;
/** The entry's own object, in addition to the weight of its value. */
const ENTRY_BYTES = 100;

/**
 * @param clock Monotonic milliseconds. Entries live for `ttlMs`, less up to a fifth, so that they don't all expire
 * together.
 */
export function createEpochCache<V>(options: {
  readonly epoch: Epoch;
  readonly clock: () => number;
  /** Memory for all entries together. */
  readonly bytesMax: number;
  /** Estimates the memory of a key and its value. */
  readonly weigh: (value: V, key: string) => number;
  readonly ttlMs: number;
  readonly load: (key: string) => Promise<Loaded<V> | null>;
}): EpochCache<V> {
  const { epoch, clock } = options;
  const entries = new SharedByteCache<Entry<V>>({
    bytesMax: options.bytesMax,
    weigh: ({ value }, key) => options.weigh(value, key) + ENTRY_BYTES,
  });
  const flights = new Map<string, { readonly startedAt: number; readonly answer: Promise<V | null> }>();

  function peek(key: string): V | undefined {
    const entry = entries.get(key);
    if (entry === undefined || !epoch.isFresh()) return undefined;
    if (entry.expiresAt > clock() && epoch.of(entry.projectId) <= entry.stamp) return entry.value;
    entries.delete(key);
    return undefined;
  }

  function load(key: string): Promise<V | null> {
    const running = flights.get(key);
    const startedAt = clock();
    if (running !== undefined && startedAt - running.startedAt <= JOIN_MS_MAX) return running.answer;
    const answer = ask(key, startedAt).finally(() => {
      if (flights.get(key)?.answer === answer) flights.delete(key);
    });
    flights.set(key, { startedAt, answer });
    return answer;
  }

  async function ask(key: string, startedAt: number): Promise<V | null> {
    const stamp = epoch.current();
    const loaded = await options.load(key);
    if (loaded === null) {
      entries.delete(key);
      return null;
    }
    const expiresAt = startedAt + options.ttlMs * (1 - Math.random() / 5);
    entries.set(loaded.projectId, key, { ...loaded, stamp, expiresAt });
    return loaded.value;
  }

  return {
    peek,
    load,
    get: async (key) => peek(key) ?? (await load(key)),
    forget: (projectId) => entries.forget(projectId),
  };
}
