// What control says of a call, signed: for whom or for what it is. In: a token. Out: its words, or a Fault.
// It never believes one that lives longer than a minute, or that is for another cell.
import { createHash, type KeyObject } from "node:crypto";
import { type ControlPublicKeys, isProjectId, type ProjectId } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import { jwtVerify } from "jose";

const SECONDS_MAX = 60;
/** Control's clock may run ahead of ours by this much. */
export const SKEW_SECONDS = 5;

export interface AssertionTrust {
  readonly cellId: string;
  readonly controlKeys: ControlPublicKeys;
}

export interface Assertion {
  readonly id: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly projectId: ProjectId;
  readonly subject: string;
  readonly role: string;
  /** SHA-256 in hexadecimal, where it is for one body alone. */
  readonly bodyHash: string | null;
}

/** @throws Fault `unauthenticated`. */
export async function readAssertion(
  token: string | string[] | undefined,
  { cellId, controlKeys }: AssertionTrust,
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
  const { sub, exp = Number.POSITIVE_INFINITY, prj, role, jti = "", body } = payload;
  if (exp - Date.now() / 1000 > SECONDS_MAX + SKEW_SECONDS) {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion lives too long." });
  }
  const named = typeof sub === "string" && sub !== "" && typeof prj === "string" && isProjectId(prj);
  if (!named || typeof role !== "string") {
    throw new Fault("unauthenticated", { detail: "Plinth-Assertion names nobody who may act." });
  }
  const bodyHash = typeof body === "string" ? body : null;
  return { id: jti, expiresAt: exp, projectId: prj, subject: sub, role, bodyHash };
}

/** For work that runs SQL of control's making: the secret alone must not be enough. @throws Fault `unauthenticated`. */
export async function requireSignedBody(
  token: string | string[] | undefined,
  trust: AssertionTrust,
  { role, projectId, body }: { readonly role: string; readonly projectId: ProjectId; readonly body: string },
): Promise<void> {
  const assertion = await readAssertion(token, trust);
  const hash = createHash("sha256").update(body).digest("hex");
  if (assertion.role === role && assertion.projectId === projectId && assertion.bodyHash === hash) return;
  throw new Fault("unauthenticated", { detail: "Plinth-Assertion is for something else." });
}
