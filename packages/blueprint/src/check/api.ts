// In: the section `api`. Out: the limits of the project's public API, each with a value within sane bounds.
import type { ApiLimits } from "../model.ts";

export const apiDefaults: ApiLimits = {
  requestsPerSecond: 100,
  burst: 200,
  bodyBytesMax: 1_048_576,
  pageMax: 100,
  statementMsMax: 2_000,
};
