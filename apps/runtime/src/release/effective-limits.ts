// What a release may do here. In: a bundle's limits, and the most that this cell's operator allows. Out: the lower of each.
// A cell never takes a bundle's word for it: one that was published before the operator lowered a limit keeps to it, too.
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
