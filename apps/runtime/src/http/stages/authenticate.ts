// Stage 1: who calls, and in which project. In: the request. Out: project and principal. It never looks at the path:
// the credential alone names the project.
import type { Authenticator } from "../../identity/authenticator.ts";
import type { Caller } from "../../project/principal.ts";
import type { Head } from "../contracts.ts";

export function authenticate(authenticator: Authenticator, head: Head): Promise<Caller> {
  return authenticator.authenticate(head.headers, head);
}
