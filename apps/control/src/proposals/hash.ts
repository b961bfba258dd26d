// What an approval binds. In: a proposal's parts. Out: one hash; change any part and it is another.
import { hashOf } from "@plinth/bundle";

export interface BoundParts {
  /** Hash of the bundle that is live; null where nothing is. */
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
