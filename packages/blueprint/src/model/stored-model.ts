// Models that were stored by this version of the language or an older one. In: a model's JSON and its version. Out: a
// model as this version of the language makes them. It never reads a text: what is stored may stem from one that the
// language refuses by now.
import type { Model } from "./model.ts";

/** Grows with each change of the model's shape; `stored-model.test.ts` fails where that is forgotten. */
export const MODEL_VERSION = 1;

/** One for each version before the newest, in order: the first takes version 1, and gives version 2. */
export const modelUpgrades: readonly ((stored: unknown) => unknown)[] = [];

/** Null where it is of a version that is newer than this one. */
export function readStoredModel(stored: unknown, version: number): Model | null {
  if (version < 1 || version > MODEL_VERSION) return null;
  return modelUpgrades.slice(version - 1).reduce((model, upgrade) => upgrade(model), stored) as Model;
}
