// What a client sees of access tokens, and of programs that wait to be signed in. Types alone. Times are RFC 3339 UTC.
import type { Mutation, Query } from "../procedure.ts";

/** `login`: the command line got it by `plinth login`. `personal`: a person made it, for a script or for CI. */
export type AccessTokenKind = "login" | "personal";

export interface AccessToken {
  readonly id: string;
  readonly name: string;
  readonly kind: AccessTokenKind;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** To the minute; null where it has not been used. */
  readonly lastUsedAt: string | null;
}

export interface CreatedAccessToken extends AccessToken {
  /** Shown this once. */
  readonly token: string;
}

/** A program that waits for a person's approval. */
export interface DeviceRequest {
  /** As the person reads it in the terminal: `BCDF-GHJK`. */
  readonly userCode: string;
  /** The name that the machine gave itself. */
  readonly deviceName: string;
  /** Where the request came from. */
  readonly address: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export type AccessTokenProcedures = {
  /** The caller's own that have not expired, the newest first. */
  list: Query<void, readonly AccessToken[]>;
  /** Only with a session of the console: a token makes no other. */
  create: Mutation<{ name: string; days: number }, CreatedAccessToken>;
  /** Only with a session of the console. */
  revoke: Mutation<{ tokenId: string }, { revoked: true }>;
  /** Revokes the token that the call itself carries. */
  revokeOwn: Mutation<void, { revoked: true }>;
};

export type DeviceProcedures = {
  /** A mutation, so that the code is in no address and no log of addresses. It changes nothing. */
  open: Mutation<{ userCode: string }, DeviceRequest>;
  /** Only with a session of the console. */
  approve: Mutation<{ userCode: string }, { approved: true }>;
  deny: Mutation<{ userCode: string }, { denied: true }>;
};
