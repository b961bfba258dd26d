// Finds out who in the console acts on a project's data. In: control's signed assertion. Out: an operator of one
// project, or a Fault. It never accepts an assertion for another project than the path names. `assertion.ts` makes the
// other checks.
import { ASSERTION_HEADER } from "@plinth/bundle/cell";
import { Fault } from "@plinth/service";
import type { Authenticator } from "../identity/authenticator.ts";
import { expandRoles } from "../identity/roles.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { type AssertionTrust, acceptAssertion } from "./assertion.ts";

/** The internal listener sets `Plinth-Project` to the project in the path, whatever the caller sent there. */
export function createOperatorAuthenticator(
  options: AssertionTrust & { readonly registry: ReleaseRegistry },
): Authenticator {
  return {
    async authenticate(headers, { call }) {
      if (call === undefined) throw new Error("The assertion doesn't say which call it is for.");
      const { projectId, subject: email, role } = await acceptAssertion(headers[ASSERTION_HEADER], options, call);
      if (role !== "operator" && role !== "viewer") {
        throw new Fault("unauthenticated", { detail: "Plinth-Assertion doesn't name a caller that can act here." });
      }
      if (headers["plinth-project"] !== projectId) throw new Fault("project_mismatch");
      const release = await options.registry.get(projectId);
      const roles = expandRoles(release, ["admin"]);
      return { projectId, principal: { kind: "operator", email, roles, readOnly: role === "viewer" } };
    },
  };
}
