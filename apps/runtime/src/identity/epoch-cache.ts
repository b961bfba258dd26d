// A cache of credentials that a change of the epoch makes void. In: a key. Out: what `load` answers, never older than
// the epoch allows. It never remembers that something is missing, and never lets one project's entries push out others'.
import { SharedByteCache } from "@plinth/service";
import type { Epoch } from "./epoch.ts";

/** What a load found, and the project whose changes make it void. */
export interface Loaded<V> {
  readonly projectId: string;
  readonly value: V;
}

export interface EpochCache<V> {
  /** Answers from memory alone; undefined where nothing is known or it may not be believed. */
  peek(key: string): V | undefined;
  /** Asks the database (callers at the same time share one look-up); null where there is nothing. */
  load(key: string): Promise<V | null>;
  get(key: string): Promise<V | null>;
  /** Deletes what is known of a project. */
  forget(projectId: string): void;
}

interface Entry<V> extends Loaded<V> {
  readonly stamp: number;
  readonly expiresAt: number;
}

/** A caller may join a look-up that is this young; an older one could answer from before a revocation. */
const JOIN_MS_MAX = 200;
/** The entry's own object, beside what `weigh` says of its value. */
const ENTRY_BYTES = 100;

/** @param clock Monotonic milliseconds. Entries live for `ttlMs`, less up to a fifth (so that they don't end together). */
export function createEpochCache<V>(options: {
  readonly epoch: Epoch;
  readonly clock: () => number;
  /** What all entries together may take in memory. */
  readonly bytesMax: number;
  /** An estimate of what a key and its value take. */
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
