// Caches values that are derived from a release, together with the release. In: a release and a derivation. Out: the
// value, computed once. It never outlives its source. Values derived from the bundle alone never contain data of one
// project.
import type { ActiveRelease, Kept, ServedBundle } from "./active-release.ts";

/** From a bundle; shared by all projects with an equal bundle. */
export interface Derivation<T> {
  readonly name: string;
  readonly make: (bundle: ServedBundle, grow: Kept["grow"]) => T;
}

/** For one project only. */
export interface ProjectDerivation<T> {
  readonly name: string;
  readonly make: (grow: Kept["grow"]) => T;
}

/** @param grow Default: growth is not counted. */
export function nothingKept(grow: Kept["grow"] = () => {}): Kept {
  return { items: new Map(), grow };
}

export function derived<T>({ plans, bundle }: ActiveRelease, { name, make }: Derivation<T>): T {
  return kept(plans, name, () => make(bundle, plans.grow));
}

export function derivedForProject<T>({ own }: ActiveRelease, { name, make }: ProjectDerivation<T>): T {
  return kept(own, name, () => make(own.grow));
}

function kept<T>({ items }: Kept, name: string, make: () => T): T {
  const known = items.get(name);
  // Each name belongs to one derivation, so the value under it has that derivation's type.
  if (known !== undefined) return known as T;
  const value = make();
  items.set(name, value);
  return value;
}
