// What turns the credentials of a request into a caller. Types alone: the public API and the console's have one each.
import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../project/principal.ts";

export interface Authenticator {
  /** @throws Fault `unauthenticated`, `project_mismatch`, `bad_request` (the host), `unavailable`. */
  authenticate(headers: IncomingHttpHeaders, peer: { readonly ip: string }): Promise<Caller>;
}
