// What a client sees of API keys. Types alone. The key itself is in the answer to its creation and nowhere else.
import type { ApiKeyKind } from "@plinth/bundle";
import type { Mutation, Query } from "../procedure.ts";

export interface KeySummary {
  readonly id: string;
  readonly name: string;
  readonly kind: ApiKeyKind;
  /** The role a secret key acts with; null for what its kind gives. */
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
