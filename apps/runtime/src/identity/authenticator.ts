// The interface that turns the credentials of a request into a caller. Types only: the public API and the console's API
// each have an implementation.
import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../project/principal.ts";

/** A call as control signs it. */
export interface SignedCall {
  readonly method: string;
  /** Path and query string as sent. */
  readonly target: string;
  /** SHA-256 of the body in hexadecimal; of zero bytes if there is none. */
  readonly bodyHash: string;
}

export interface Peer {
  readonly ip: string;
  /** Only on the internal listener. */
  readonly call?: SignedCall;
}

export interface Authenticator {
  /** @throws Fault `unauthenticated`, `project_mismatch`, `bad_request` (the host), `unavailable`. */
  authenticate(headers: IncomingHttpHeaders, peer: Peer): Promise<Caller>;
}
