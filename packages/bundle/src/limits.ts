// The most that an operator allows a project's API, unless told otherwise. Out: limits, for control and for a cell alike.
// They differ in what they do with it: control refuses a blueprint that asks for more, a cell serves no more.
import type { BundleLimits } from "./bundle.ts";

export const defaultLimitsMax: BundleLimits = {
  requestsPerSecond: 1_000,
  burst: 2_000,
  bodyBytesMax: 4 * 1_048_576,
  pageMax: 200,
  statementMsMax: 10_000,
};

/** Milliseconds that one call of another service may take, unless the operator says otherwise. */
export const defaultCallMsMax = 60_000;
