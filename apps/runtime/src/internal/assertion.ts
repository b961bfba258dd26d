// Who of the console acts on a project's data. In: control's signed assertion. Out: an operator, or a Fault.
// It never believes an assertion that lives longer than a minute or names another project.
import type { Bundle } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import { jwtVerify } from "jose";
import type { OperatorPrincipal } from "../http/contracts.ts";
import { expandRoles } from "../identity/roles.ts";

const SECONDS_MAX = 60;

/** @throws Fault unauthenticated, project_mismatch. */
export async function readAssertion(
  token: string | string[] | undefined,
  secret: string,
  projectId: string,
  bundle: Bundle,
): Promise<OperatorPrincipal> {
  if (typeof token !== "string") throw new Fault("unauthenticated", { detail: "Plinth-Assertion is missing." });
  const now = Math.floor(Date.now() / 1000);
  const { payload } = await jwtVerify(token, Buffer.from(secret), {
    algorithms: ["HS256"],
    requiredClaims: ["exp", "sub", "role", "prj"],
  }).catch((cause: unknown) => {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion is not valid.", cause });
  });
  const { sub, exp, prj, role } = payload;
  if (typeof sub !== "string" || sub === "" || (role !== "operator" && role !== "viewer")) {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion names nobody who may act." });
  }
  if (exp === undefined || exp - now > SECONDS_MAX) {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion lives too long." });
  }
  if (prj !== projectId) throw new Fault("project_mismatch");
  return { kind: "operator", email: sub, roles: expandRoles(bundle, ["admin"]), readOnly: role === "viewer" };
}
