// Reads stored models. In: a model's JSON and its version. Out: a model of the current version. It never reads a text:
// today's language may refuse the text of a stored model.
import type { Model } from "./model.ts";

/** Raised with each change of the model's shape; `stored-model.test.ts` fails if this is forgotten. */
export const MODEL_VERSION = 1;

/** One for each earlier version, in order: the first converts version 1 to version 2. */
export const modelUpgrades: readonly ((stored: unknown) => unknown)[] = [];

/** Null if its version is newer than this one. */
export function readStoredModel(stored: unknown, version: number): Model | null {
  if (version < 1 || version > MODEL_VERSION) return null;
  return modelUpgrades.slice(version - 1).reduce((model, upgrade) => upgrade(model), stored) as Model;
}
