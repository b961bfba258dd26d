// Access tokens, and programs that wait to be signed in, as clients see them. Types only. Times are RFC 3339 UTC.
import type { Mutation, Query } from "../procedure.ts";

/**
 * `login`: `plinth login` created it. `personal`: a person created it, for a script or for CI. `program`: a person created it, for an
 * AI or another program; it only reads blueprints, checks, proposes and follows.
 */
export type AccessTokenKind = "login" | "personal" | "program";

export interface AccessToken {
  readonly id: string;
  readonly name: string;
  readonly kind: AccessTokenKind;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Accurate to the minute. Null if it has not been used. */
  readonly lastUsedAt: string | null;
}

export interface CreatedAccessToken extends AccessToken {
  /** Shown only here. */
  readonly token: string;
}

/** A program that waits for a person's approval. */
export interface DeviceRequest {
  /** As shown in the terminal: `BCDF-GHJK`. */
  readonly userCode: string;
  /** The name that the machine sent. */
  readonly deviceName: string;
  /** The address of the request. */
  readonly address: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export type AccessTokenProcedures = {
  /** The caller's own that have not expired, newest first. */
  list: Query<void, readonly AccessToken[]>;
  /** Only with a session of the console, because a token can't create another. */
  create: Mutation<{ name: string; days: number; kind?: "personal" | "program" | undefined }, CreatedAccessToken>;
  /** Only with a session of the console. */
  revoke: Mutation<{ tokenId: string }, { revoked: true }>;
  /** Revokes the token that the call itself carries. */
  revokeOwn: Mutation<void, { revoked: true }>;
};

export type DeviceProcedures = {
  /** A mutation, so that the code is never part of an address and never logged with one. It changes nothing. */
  open: Mutation<{ userCode: string }, DeviceRequest>;
  /** Only with a session of the console. */
  approve: Mutation<{ userCode: string }, { approved: true }>;
  deny: Mutation<{ userCode: string }, { denied: true }>;
};
