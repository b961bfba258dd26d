// Reads a release from the cell's tables. In: the stored texts. Out: bundle and plan in the newest format. It never
// writes them back: the stored text is the approved one.
import { type Bundle, type MigrationPlan, readStoredBundle, readStoredPlan } from "@plinth/bundle";

/** A newer version of Plinth stored it, or somebody has changed the table by hand. */
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
