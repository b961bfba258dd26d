// What turns the credentials of a request into a caller. Types alone: the public API and the console's have one each.
import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../project/principal.ts";

/** A call as control signs it. */
export interface SignedCall {
  readonly method: string;
  /** Path and query string as they were sent. */
  readonly target: string;
  /** SHA-256 of the body in hexadecimal, of no bytes where there is none. */
  readonly bodyHash: string;
}

export interface Peer {
  readonly ip: string;
  /** On the internal listener alone. */
  readonly call?: SignedCall;
}

export interface Authenticator {
  /** @throws Fault `unauthenticated`, `project_mismatch`, `bad_request` (the host), `unavailable`. */
  authenticate(headers: IncomingHttpHeaders, peer: Peer): Promise<Caller>;
}
