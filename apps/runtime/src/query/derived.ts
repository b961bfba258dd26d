// Keeps what is worked out from a release beside it. In: a release and a recipe. Out: the thing, made once per release.
// It never outlives the release: a new one starts empty.
import type { ActiveRelease } from "../http/contracts.ts";

export interface Derivation<T> {
  readonly name: string;
  readonly make: (release: ActiveRelease) => T;
}

export function derived<T>(release: ActiveRelease, derivation: Derivation<T>): T {
  const known = release.plans.get(derivation.name);
  // The name belongs to one derivation alone, so what stands under it has that one's type.
  if (known !== undefined) return known as T;
  const made = derivation.make(release);
  release.plans.set(derivation.name, made);
  return made;
}
