// The hash that an approval is for. In: a proposal's parts. Out: one hash. A change of any part changes the hash.
import { hashOf } from "@plinth/bundle";

export interface BoundParts {
  /** The hash of the live bundle. Null if nothing is live. */
  readonly base: string | null;
  readonly text: string;
  readonly diff: unknown;
  readonly plan: unknown;
  readonly refused: unknown;
  readonly bundle: unknown;
  readonly author: string;
  readonly consents: readonly string[];
  readonly losses: readonly string[];
}

export function proposalHash(parts: BoundParts): string {
  const { base, text, diff, plan, refused, bundle, author, consents, losses } = parts;
  return hashOf({ base, text, diff, plan, refused, bundle, author, consents, losses });
}
