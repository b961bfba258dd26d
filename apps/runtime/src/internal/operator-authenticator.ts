// Who of the console acts on a project's data. In: control's signed assertion. Out: an operator of one project, or a Fault.
// It never believes an assertion that lives longer than a minute or that was used before, nor one for another cell or another
// project than the path names.
import { Fault } from "@plinth/service";
import type { Authenticator } from "../identity/authenticator.ts";
import { expandRoles } from "../identity/roles.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { type AssertionTrust, readAssertion, SKEW_SECONDS } from "./assertion.ts";

/** The internal listener names the project of the path in `Plinth-Project`, over whatever the caller sent there. */
export function createOperatorAuthenticator(
  options: AssertionTrust & { readonly registry: ReleaseRegistry },
): Authenticator {
  const used = createUsedIds();
  return {
    async authenticate(headers) {
      const assertion = await readAssertion(headers["plinth-assertion"], options);
      const { projectId, subject: email, role } = assertion;
      if (role !== "operator" && role !== "viewer") {
        throw new Fault("unauthenticated", { detail: "Plinth-Assertion names nobody who may act." });
      }
      if (headers["plinth-project"] !== projectId) throw new Fault("project_mismatch");
      if (!used.add(assertion.id, assertion.expiresAt)) {
        throw new Fault("unauthenticated", { detail: "Plinth-Assertion was used already." });
      }
      const release = await options.registry.get(projectId);
      const roles = expandRoles(release, ["admin"]);
      return { projectId, principal: { kind: "operator", email, roles, readOnly: role === "viewer" } };
    },
  };
}

/** Ids of the assertions that still live. Control alone can make one, so they are as many as its calls in a minute. */
function createUsedIds(): { readonly add: (id: string, expiresAt: number) => boolean } {
  const used = new Map<string, number>();
  return {
    add: (id, expiresAt) => {
      const now = Date.now() / 1000;
      // In the order in which they came, which is about that in which they expire.
      for (const [known, end] of used) {
        if (end + SKEW_SECONDS > now) break;
        used.delete(known);
      }
      if (used.has(id)) return false;
      used.set(id, expiresAt);
      return true;
    },
  };
}
