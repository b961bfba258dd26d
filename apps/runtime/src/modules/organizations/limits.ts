// How often one may invite, and try tokens. In: a clock. Out: limits in memory, each counted before the work.
import { type AttemptLimit, createAttemptLimit } from "../../identity/attempt-limit.ts";

export interface OrganizationLimits {
  /** Invitations that one user makes. */
  readonly invitations: AttemptLimit;
  /** Tokens that fit nothing, from one user. */
  readonly wrongTokens: AttemptLimit;
  /** Tokens that fit nothing, from one network at one project, whoever sends them. */
  readonly wrongTokensOfNetwork: AttemptLimit;
}

/** @param clock Monotonic milliseconds. */
export function createOrganizationLimits(clock: () => number): OrganizationLimits {
  return {
    invitations: createAttemptLimit({ attemptsMax: 50, windowMs: 60 * 60_000, clock }),
    wrongTokens: createAttemptLimit({ attemptsMax: 20, windowMs: 15 * 60_000, clock }),
    wrongTokensOfNetwork: createAttemptLimit({ attemptsMax: 100, windowMs: 15 * 60_000, clock }),
  };
}
