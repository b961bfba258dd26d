// Who of the console acts on a project's data. In: control's signed assertion. Out: an operator of one project, or a Fault.
// It never believes an assertion that lives longer than a minute, and never one for another project than the path names.
import { isProjectId, type ProjectId } from "@plinth/bundle";
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
  readonly secret: string;
}): Authenticator {
  return {
    async authenticate(headers) {
      const { projectId, email, readOnly } = await readAssertion(headers["plinth-assertion"], options.secret);
      if (headers["plinth-project"] !== projectId) throw new Fault("project_mismatch");
      const release = await options.registry.get(projectId);
      const roles = expandRoles(release?.bundle ?? null, ["admin"]);
      return { projectId, principal: { kind: "operator", email, roles, readOnly } };
    },
  };
}

interface Assertion {
  readonly projectId: ProjectId;
  readonly email: string;
  readonly readOnly: boolean;
}

async function readAssertion(token: string | string[] | undefined, secret: string): Promise<Assertion> {
  if (typeof token !== "string") throw new Fault("unauthenticated", { detail: "Plinth-Assertion is missing." });
  const { payload } = await jwtVerify(token, Buffer.from(secret), {
    algorithms: ["HS256"],
    requiredClaims: ["exp", "sub", "role", "prj"],
  }).catch((cause: unknown) => {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion is not valid.", cause });
  });
  const { sub, exp = Number.POSITIVE_INFINITY, prj, role } = payload;
  if (exp - Date.now() / 1000 > SECONDS_MAX + SKEW_SECONDS) {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion lives too long." });
  }
  const named = typeof sub === "string" && sub !== "" && typeof prj === "string" && isProjectId(prj);
  if (!named || (role !== "operator" && role !== "viewer")) {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion names nobody who may act." });
  }
  return { projectId: prj, email: sub, readOnly: role === "viewer" };
}
