// Bundles as they are served, each of them once in memory. In: a bundle, and who uses it. Out: the one that all projects
// with an equal bundle share, with what requests have derived from it. It never keeps one that nobody uses.
import { type Bundle, hashOf } from "@plinth/bundle";
import type { Kept, ServedBundle } from "../project/active-release.ts";
import { nothingKept } from "../project/derived.ts";

export interface SharedBundle {
  readonly bundle: ServedBundle;
  readonly plans: Kept;
}

export interface SharedBundles {
  /** The one that is in use under that hash, of the whole bundle, and now once more; null where its text has to be read. */
  use(bundleHash: string): SharedBundle | null;
  /** The one that equals it in all that is served; in use once more. */
  add(bundleHash: string, bundle: Bundle): SharedBundle;
  /** Undoes one `use` or `add`. */
  leave(shared: SharedBundle): void;
}

interface Entry extends SharedBundle {
  /** Of what is served: projects that differ in their name alone have one. */
  readonly hash: string;
  /** The hashes of whole bundles that were found to be this one. */
  readonly names: Set<string>;
  users: number;
  bytes: number;
}

/** Memory per character of JSON: objects, and an estimate for the views and routes from them. Objects alone measured 1.3. */
const BYTES_PER_CHARACTER = 2;

/** @param onGrowth Is told by how many bytes all of them together have grown. */
export function createSharedBundles(onGrowth: (bytes: number) => void): SharedBundles {
  const byName = new Map<string, Entry>();
  const byHash = new Map<string, Entry>();
  const entries = new WeakMap<SharedBundle, Entry>();

  function entryOf(bundle: ServedBundle, hash: string): Entry {
    const known = byHash.get(hash);
    if (known !== undefined) return known;
    const grow = (bytes: number): void => {
      entry.bytes += bytes;
      // What was let go may still be serving its last requests.
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
      if (entry === undefined) throw new Error("this bundle is none of ours");
      if (--entry.users === 0) release(entry);
    },
  };
}

/** What requests are served from. */
export function servedPart({ project: _, tests: __, openapi: ___, sdkTypes: ____, ...served }: Bundle): ServedBundle {
  // Seed rows are written when a release goes live, and never read again.
  return {
    ...served,
    entities: served.entities.map((entity) => (entity.seed.length === 0 ? entity : { ...entity, seed: [] })),
  };
}
