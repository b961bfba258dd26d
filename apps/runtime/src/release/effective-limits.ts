// Computes the limits of a release here. In: a bundle's limits, and the upper limits of this cell's operator. Out: the
// lower of each. A cell never trusts the bundle: a bundle that was published before the operator lowered a limit is
// limited too.
import type { Bundle, BundleLimits } from "@plinth/bundle";

export function effectiveLimits({ limits }: Pick<Bundle, "limits">, most: BundleLimits): BundleLimits {
  return {
    requestsPerSecond: Math.min(limits.requestsPerSecond, most.requestsPerSecond),
    burst: Math.min(limits.burst, most.burst),
    bodyBytesMax: Math.min(limits.bodyBytesMax, most.bodyBytesMax),
    pageMax: Math.min(limits.pageMax, most.pageMax),
    statementMsMax: Math.min(limits.statementMsMax, most.statementMsMax),
  };
}
