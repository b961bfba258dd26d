// Stage 1: who calls, and in which project. In: the request. Out: project and principal.
// It never looks at the path: the project is found from the credential alone.
import type { Authenticator, Caller, Incoming } from "../contracts.ts";

export function authenticate(authenticator: Authenticator, incoming: Incoming): Promise<Caller> {
  return authenticator.authenticate(incoming.headers, incoming);
}
