// API keys as clients see them. Types only. Only the answer to the creation contains the key itself.
import type { ApiKeyKind } from "@plinth/bundle";
import type { Mutation, Query } from "../procedure.ts";

export interface KeySummary {
  readonly id: string;
  readonly name: string;
  readonly kind: ApiKeyKind;
  /** The role that a secret key acts with. Null for the default of its kind. */
  readonly role: string | null;
  readonly last4: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface CreatedKey extends KeySummary {
  readonly key: string;
}

export type KeyProcedures = {
  create: Mutation<
    {
      projectId: string;
      name: string;
      kind: ApiKeyKind;
      role?: string | undefined;
      /** RFC 3339, in the future. */
      expiresAt?: string | undefined;
    },
    CreatedKey
  >;
  list: Query<{ projectId: string }, readonly KeySummary[]>;
  revoke: Mutation<{ keyId: string }, KeySummary>;
};
