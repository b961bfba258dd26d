// How often one may invite, try tokens, and change who belongs where. In: a clock. Out: limits in memory, each counted before the work.
import { type AttemptLimit, createAttemptLimit } from "../../identity/attempt-limit.ts";

export interface OrganizationLimits {
  /** Changes by one user: each has every replica look up the project's credentials again. */
  readonly changes: AttemptLimit;
  /** Invitations that one user makes. */
  readonly invitations: AttemptLimit;
  /** Tokens that fit nothing, from one user. */
  readonly wrongTokens: AttemptLimit;
  /** Tokens that fit nothing and that this cell never made, from one network at one project, whoever sends them. */
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
