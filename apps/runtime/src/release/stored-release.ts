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
  return decodedBundle(parsed(stored));
}

function decodedBundle(stored: unknown): Bundle {
  const decoded = readStoredBundle(stored);
  if (decoded.ok) return decoded.value;
  const [first] = decoded.problems;
  throw new UnreadableRelease(first === undefined ? "no bundle" : `${first.path}: ${first.message}`);
}

/**
 * @param bundle The stored bundle that the plan leads to: its format is also that of the plan, and it is parsed once for
 * both. @throws UnreadableRelease
 */
export function releaseOf(bundle: string, plan: string): { readonly bundle: Bundle; readonly plan: MigrationPlan } {
  const stored = parsed(bundle);
  return { bundle: decodedBundle(stored), plan: readStoredPlan(parsed(plan), stored) };
}

function parsed(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch (cause) {
    throw new UnreadableRelease(`no JSON: ${(cause as Error).message}`);
  }
}
