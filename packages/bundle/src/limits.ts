// The default limits of an operator for a project's API. Out: limits, for control and for a cell. Control refuses a
// blueprint that asks for more, and a cell serves no more.
import type { BundleLimits } from "./bundle.ts";

export const defaultLimitsMax: BundleLimits = {
  requestsPerSecond: 1_000,
  burst: 2_000,
  bodyBytesMax: 4 * 1_048_576,
  pageMax: 200,
  statementMsMax: 10_000,
};

/** The default maximum time of one call to another service, in milliseconds. */
export const defaultCallMsMax = 60_000;
