// Limits for invitations, for wrong tokens, and for changes of memberships. In: a clock. Out: limits in memory. Each is
// counted before the work.
import { type AttemptLimit, createAttemptLimit } from "../../identity/attempt-limit.ts";

export interface OrganizationLimits {
  /** Changes by one user. After each of them, every replica looks up the project's credentials again. */
  readonly changes: AttemptLimit;
  /** Invitations that one user creates. */
  readonly invitations: AttemptLimit;
  /** Invalid tokens, from one user. */
  readonly wrongTokens: AttemptLimit;
  /** Invalid tokens that this cell never created, from one network at one project, whoever sends them. */
  readonly wrongTokensOfNetwork: AttemptLimit;
}

/** @param clock Monotonic milliseconds. */
export function createOrganizationLimits(clock: () => number): OrganizationLimits {
  return {
    changes: createAttemptLimit({ attemptsMax: 120, windowMs: 10 * 60_000, clock }),
    invitations: createAttemptLimit({ attemptsMax: 50, windowMs: 60 * 60_000, clock }),
    wrongTokens: createAttemptLimit({ attemptsMax: 20, windowMs: 15 * 60_000, clock }),
    wrongTokensOfNetwork: createAttemptLimit({ attemptsMax: 100, windowMs: 15 * 60_000, clock }),
  };
}
