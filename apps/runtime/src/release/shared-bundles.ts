// Bundles as they are served, each of them once in memory. In: a bundle, and its user. Out: the object that all
// projects with an equal bundle share, with the values that requests have derived from it. Unused bundles are removed.
import { type Bundle, hashOf } from "@plinth/bundle";
import type { Kept, ServedBundle } from "../project/active-release.ts";
import { nothingKept } from "../project/derived.ts";

export interface SharedBundle {
  readonly bundle: ServedBundle;
  readonly plans: Kept;
}

export interface SharedBundles {
  /** The bundle in use with that hash (of the whole bundle), with one more user; null if its text must be read. */
  use(bundleHash: string): SharedBundle | null;
  /** The bundle that is equal in all served parts, with one more user. */
  add(bundleHash: string, bundle: Bundle): SharedBundle;
  /** Undoes one `use` or `add`. */
  leave(shared: SharedBundle): void;
}

interface Entry extends SharedBundle {
  /** The hash of the served part: projects that only differ in their name share it. */
  readonly hash: string;
  /** The hashes of whole bundles that have this served part. */
  readonly names: Set<string>;
  users: number;
  bytes: number;
}

/**
 * Memory per character of JSON: objects, and an estimate for the views and routes derived from them. Objects alone
 * measured 1.3.
 */
const BYTES_PER_CHARACTER = 2;

/** @param onGrowth Called with the number of bytes by which all of them together have grown. */
export function createSharedBundles(onGrowth: (bytes: number) => void): SharedBundles {
  const byName = new Map<string, Entry>();
  const byHash = new Map<string, Entry>();
  const entries = new WeakMap<SharedBundle, Entry>();

  function entryOf(bundle: ServedBundle, hash: string): Entry {
    const known = byHash.get(hash);
    if (known !== undefined) return known;
    const grow = (bytes: number): void => {
      entry.bytes += bytes;
      // An evicted bundle may still be serving its last requests.
      if (byHash.get(hash) === entry) onGrowth(bytes);
    };
    const entry: Entry = { bundle, plans: nothingKept(grow), hash, names: new Set(), users: 0, bytes: 0 };
    byHash.set(hash, entry);
    entries.set(entry, entry);
    grow(JSON.stringify(bundle).length * BYTES_PER_CHARACTER);
    return entry;
  }

  function release(entry: Entry): void {
    byHash.delete(entry.hash);
    for (const name of entry.names) byName.delete(name);
    onGrowth(-entry.bytes);
  }

  return {
    use(bundleHash) {
      const entry = byName.get(bundleHash) ?? null;
      if (entry !== null) entry.users++;
      return entry;
    },
    add(bundleHash, bundle) {
      const served = servedPart(bundle);
      const entry = entryOf(served, hashOf(served));
      entry.users++;
      entry.names.add(bundleHash);
      byName.set(bundleHash, entry);
      return entry;
    },
    leave(shared) {
      const entry = entries.get(shared);
      if (entry === undefined) throw new Error("this bundle is not in use");
      if (--entry.users === 0) release(entry);
    },
  };
}

/** The part from which requests are served. */
export function servedPart({ project: _, tests: __, openapi: ___, sdkTypes: ____, ...served }: Bundle): ServedBundle {
  // Seed rows are written when a release goes live, and never read again.
  return {
    ...served,
    entities: served.entities.map((entity) => (entity.seed.length === 0 ? entity : { ...entity, seed: [] })),
  };
}
