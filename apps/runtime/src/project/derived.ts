// Keeps what is worked out from a release beside it. In: a release and a recipe. Out: the thing, made once.
// It never outlives what it was made from; what is made from the bundle alone never holds anything of one project.
import type { ActiveRelease, Kept, ServedBundle } from "./active-release.ts";

/** From a bundle; all projects that have an equal one share it. */
export interface Derivation<T> {
  readonly name: string;
  readonly make: (bundle: ServedBundle, grow: Kept["grow"]) => T;
}

/** For one project alone. */
export interface ProjectDerivation<T> {
  readonly name: string;
  readonly make: (grow: Kept["grow"]) => T;
}

/** @param grow Where nobody counts, nothing. */
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
  // The name belongs to one derivation alone, so what stands under it has that one's type.
  if (known !== undefined) return known as T;
  const made = make();
  items.set(name, made);
  return made;
}
