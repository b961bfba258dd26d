// What control says of a call, signed: on whose behalf it is made. In: a token and the call that it came with. Out: what it
// says, or a Fault. It never accepts one twice, one that lives longer than a minute, or one for another cell or another call.
import type { KeyObject } from "node:crypto";
import { type ControlPublicKeys, isProjectId, type ProjectId } from "@plinth/bundle";
import { ASSERTION_ALGORITHM, ASSERTION_SECONDS_MAX, type AssertionClaims } from "@plinth/bundle/cell";
import { orUnavailable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { type JWTPayload, jwtVerify } from "jose";
import type { Pool } from "pg";
import type { SignedCall } from "../identity/authenticator.ts";

/** Control's clock may run ahead of ours by this much. */
const SKEW_SECONDS = 5;
/** Kept beyond the expiry: longer than the clocks of two replicas may differ, and the lives of two assertions. */
const KEPT_MINUTES = 10;

export interface AssertionTrust {
  readonly cellId: string;
  readonly controlKeys: ControlPublicKeys;
  /** Remembers which assertions have served, for every process of the cell and across restarts. */
  readonly pool: Pool;
}

export interface Assertion {
  readonly projectId: ProjectId;
  readonly subject: string;
  readonly role: string;
}

/**
 * Reads an assertion that came with a call, and uses it up.
 * @throws Fault `unauthenticated` (also where it was signed for another call, or has served), `unavailable`.
 */
export async function acceptAssertion(
  token: string | string[] | undefined,
  { cellId, controlKeys, pool }: AssertionTrust,
  call: SignedCall,
): Promise<Assertion> {
  if (typeof token !== "string") throw refused("is missing");
  const keyOf = ({ kid = "" }: { readonly kid?: string }): KeyObject => {
    const key = controlKeys.get(kid);
    if (key === undefined) throw new Error("The key is not one of control's.");
    return key;
  };
  const { payload } = await jwtVerify(token, keyOf, {
    algorithms: [ASSERTION_ALGORITHM],
    audience: cellId,
    requiredClaims: ["exp", "sub", "role", "prj", "jti"],
  }).catch((cause: unknown) => {
    throw refused("is not valid", cause);
  });
  const { sub, exp = Number.POSITIVE_INFINITY, prj, role, jti = "" } = payload;
  if (exp - Date.now() / 1000 > ASSERTION_SECONDS_MAX + SKEW_SECONDS) throw refused("lives too long");
  const named = typeof sub === "string" && sub !== "" && typeof prj === "string" && isProjectId(prj);
  if (!named || typeof role !== "string") throw refused("names nobody who may act");
  if (!isFor(payload, call)) throw refused("is for something else");
  if (!(await orUnavailable(useUp(pool, jti, exp)))) throw refused("was used already");
  return { projectId: prj, subject: sub, role };
}

/**
 * Control names method, target and body together. An older control names the body of what is measured, and nothing of the
 * other calls; since a claim can't be taken away from what is signed, that opens nothing of a control which names them.
 */
function isFor({ htm, target, body, role }: JWTPayload & Partial<AssertionClaims>, call: SignedCall): boolean {
  const ofOlderControl = htm === undefined && target === undefined;
  if (ofOlderControl && body === undefined) return role !== "measure";
  return body === call.bodyHash && (ofOlderControl || (htm === call.method && target === call.target));
}

/** False where it has served before. What has expired everywhere is forgotten on the way. */
async function useUp(pool: Pool, id: string, expiresAt: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `WITH expired AS (
       DELETE FROM plinth.used_assertions WHERE id IN (
         SELECT id FROM plinth.used_assertions WHERE expires_at < to_timestamp($2) - interval '${KEPT_MINUTES} minutes'
         LIMIT 100 FOR UPDATE SKIP LOCKED))
     INSERT INTO plinth.used_assertions (id, expires_at) VALUES ($1, to_timestamp($2)) ON CONFLICT DO NOTHING`,
    [id, expiresAt],
  );
  return rowCount === 1;
}

function refused(what: string, cause?: unknown): Fault {
  return new Fault("unauthenticated", { detail: `Plinth-Assertion ${what}.`, cause });
}
