// Access tokens of a person. In: the purpose of a token. Out: the token, once; afterwards only its name. A token has all rights
// of its person in the control API, or those of a program. It can't create or approve tokens, so a stolen one can be revoked.
import { newId } from "@plinth/bundle";
import { notFound, refuse } from "../failure.ts";
import type { Person } from "../people/auth.ts";
import type { AccessToken, CreatedAccessToken } from "./api.ts";
import { newAccessToken, storedForm } from "./secret.ts";
import type { NewAccessToken, TokenStore } from "./store.ts";

export interface TokenService {
  list(by: Person): Promise<readonly AccessToken[]>;
  create(by: Person, wanted: WantedToken): Promise<CreatedAccessToken>;
  revoke(by: Person, tokenId: string): Promise<{ revoked: true }>;
  /** Ends all sign-ins of the command line. */
  revokeLogins(personId: string): Promise<void>;
  /** The person of a token. Null if it is unknown, revoked or expired. */
  use(token: string): Promise<{ readonly tokenId: string; readonly person: Person } | null>;
}

export interface WantedToken {
  readonly name: string;
  readonly days: number;
  readonly kind: "personal" | "program";
}

/** For one person: a script that creates a token each time must not fill the table. */
const TOKENS_MAX = 100;
const DAY_MS = 24 * 3600 * 1000;

export function createTokenService(store: TokenStore): TokenService {
  return {
    list: (by) => store.list(by.id),

    create: async (by, { name, days, kind }) => {
      const token = newAccessToken();
      const wanted: NewAccessToken = {
        id: newId("tok"),
        personId: by.id,
        name,
        kind,
        tokenHash: storedForm(token),
        expiresAt: new Date(Date.now() + days * DAY_MS),
      };
      const made = await store.insert(wanted, TOKENS_MAX);
      if (made === null) {
        throw refuse("CONFLICT", `You have ${TOKENS_MAX} access tokens. Revoke one that you don't need any more.`);
      }
      return { ...made, token };
    },

    revoke: async (by, tokenId) => {
      if (!(await store.revoke(by.id, tokenId))) throw notFound("access token");
      return { revoked: true };
    },

    revokeLogins: (personId) => store.revokeLogins(personId),
    use: (token) => store.use(storedForm(token)),
  };
}
