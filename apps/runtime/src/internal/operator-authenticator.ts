// Who of the console acts on a project's data. In: control's signed assertion. Out: an operator of one project, or a Fault.
// It never believes an assertion that lives longer than a minute or that was used before, nor one for another cell or another
// project than the path names.
import type { KeyObject } from "node:crypto";
import { type ControlPublicKeys, isProjectId, type ProjectId } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import { jwtVerify } from "jose";
import type { Authenticator, ReleaseRegistry } from "../http/contracts.ts";
import { expandRoles } from "../identity/roles.ts";

const SECONDS_MAX = 60;
/** Control's clock may run ahead of ours by this much. */
const SKEW_SECONDS = 5;

/** The internal listener names the project of the path in `Plinth-Project`, over whatever the caller sent there. */
export function createOperatorAuthenticator(options: {
  readonly registry: ReleaseRegistry;
  readonly cellId: string;
  readonly controlKeys: ControlPublicKeys;
}): Authenticator {
  const used = createUsedIds();
  return {
    async authenticate(headers) {
      const assertion = await readAssertion(headers["plinth-assertion"], options);
      const { projectId, email, readOnly } = assertion;
      if (headers["plinth-project"] !== projectId) throw new Fault("project_mismatch");
      if (!used.add(assertion.id, assertion.expiresAt)) {
        throw new Fault("unauthenticated", { detail: "Plinth-Assertion was used already." });
      }
      const release = await options.registry.get(projectId);
      const roles = expandRoles(release, ["admin"]);
      return { projectId, principal: { kind: "operator", email, roles, readOnly } };
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

interface Assertion {
  readonly id: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly projectId: ProjectId;
  readonly email: string;
  readonly readOnly: boolean;
}

async function readAssertion(
  token: string | string[] | undefined,
  { cellId, controlKeys }: { readonly cellId: string; readonly controlKeys: ControlPublicKeys },
): Promise<Assertion> {
  if (typeof token !== "string") throw new Fault("unauthenticated", { detail: "Plinth-Assertion is missing." });
  const keyOf = ({ kid = "" }: { readonly kid?: string }): KeyObject => {
    const key = controlKeys.get(kid);
    if (key === undefined) throw new Error("The key is not one of control's.");
    return key;
  };
  const { payload } = await jwtVerify(token, keyOf, {
    algorithms: ["EdDSA"],
    audience: cellId,
    requiredClaims: ["exp", "sub", "role", "prj", "jti"],
  }).catch((cause: unknown) => {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion is not valid.", cause });
  });
  const { sub, exp = Number.POSITIVE_INFINITY, prj, role, jti = "" } = payload;
  if (exp - Date.now() / 1000 > SECONDS_MAX + SKEW_SECONDS) {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion lives too long." });
  }
  const named = typeof sub === "string" && sub !== "" && typeof prj === "string" && isProjectId(prj);
  if (!named || (role !== "operator" && role !== "viewer")) {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion names nobody who may act." });
  }
  return { id: jti, expiresAt: exp, projectId: prj, email: sub, readOnly: role === "viewer" };
}
