// A release as it stands in the cell's tables. In: the stored texts. Out: bundle and plan in the newest format.
// It never writes them back: what is stored is what was approved.
import { type Bundle, type MigrationPlan, readStoredBundle, readStoredPlan } from "@plinth/bundle";

/** A newer version of Plinth stored it, or somebody's hand has been in the table. */
export class UnreadableRelease extends Error {
  constructor(problem: string) {
    super(`A stored release can't be read: ${problem}`);
    this.name = "UnreadableRelease";
  }
}

/** @throws UnreadableRelease */
export function bundleOf(stored: string): Bundle {
  const decoded = readStoredBundle(parsed(stored));
  if (decoded.ok) return decoded.value;
  const [first] = decoded.problems;
  throw new UnreadableRelease(first === undefined ? "no bundle" : `${first.path}: ${first.message}`);
}

/** @throws UnreadableRelease */
export function planOf(stored: string, bundle: string): MigrationPlan {
  return readStoredPlan(parsed(stored), parsed(bundle));
}

function parsed(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch (cause) {
    throw new UnreadableRelease(`no JSON: ${(cause as Error).message}`);
  }
}
