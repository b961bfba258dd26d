// Upgrades stored bundles and plans. In: a stored bundle or plan of an older version. Out: the same in the newest
// format. It never changes what is stored: hashes and approvals are computed over the original bytes.
import { FORMAT_VERSION } from "../bundle.ts";
import { upgradeBundleFrom1, upgradePlanFrom1 } from "./from-format-1.ts";
import { upgradeBundleFrom2, upgradePlanFrom2 } from "./from-format-2.ts";

interface Upgrade {
  readonly bundle: (stored: unknown) => unknown;
  readonly plan: (stored: unknown) => unknown;
}

/** One for each earlier format, in order: the first converts format 1 to format 2. */
export const upgrades: readonly Upgrade[] = [
  { bundle: upgradeBundleFrom1, plan: upgradePlanFrom1 },
  { bundle: upgradeBundleFrom2, plan: upgradePlanFrom2 },
];

/** Null if it has no format, or one that this version can't read. */
export function formatOf(bundle: unknown): number | null {
  const format = (bundle as { readonly format?: unknown } | null | undefined)?.format;
  return typeof format === "number" && Number.isInteger(format) && format >= 1 && format <= FORMAT_VERSION
    ? format
    : null;
}

export function upgradeBundle(bundle: unknown, format: number): unknown {
  return upgrades.slice(format - 1).reduce((data, upgrade) => upgrade.bundle(data), bundle);
}

/** @param format The format of the bundle that the plan leads to: a plan has none of its own. */
export function upgradePlan(plan: unknown, format: number): unknown {
  return upgrades.slice(format - 1).reduce((data, upgrade) => upgrade.plan(data), plan);
}
