// Control's signed statement about a call: on whose behalf it is made. In: a token and its call. Out: the statement, or
// a Fault. It never accepts a token twice, one that is valid for longer than a minute, or one for another cell or
// another call.
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
/**
 * Used assertions are remembered beyond their expiry: longer than the clocks of two replicas may differ, plus the lives
 * of two assertions.
 */
const KEPT_MINUTES = 10;

export interface AssertionTrust {
  readonly cellId: string;
  readonly controlKeys: ControlPublicKeys;
  /** Remembers used assertions, for every process of the cell and across restarts. */
  readonly pool: Pool;
}

export interface Assertion {
  readonly projectId: ProjectId;
  readonly subject: string;
  readonly role: string;
}

/**
 * Reads the assertion of a call, and marks it as used. @throws Fault `unauthenticated` (also if it was signed for
 * another call, or already used), `unavailable`.
 */
export async function acceptAssertion(
  token: string | string[] | undefined,
  { cellId, controlKeys, pool }: AssertionTrust,
  call: SignedCall,
): Promise<Assertion> {
  if (typeof token !== "string") throw refused("is missing");
  const keyOf = ({ kid = "" }: { readonly kid?: string }): KeyObject => {
    const key = controlKeys.get(kid);
    if (key === undefined) throw new Error("The key is not one of control's keys.");
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
  if (exp - Date.now() / 1000 > ASSERTION_SECONDS_MAX + SKEW_SECONDS) throw refused("is valid for too long");
  const named = typeof sub === "string" && sub !== "" && typeof prj === "string" && isProjectId(prj);
  if (!named || typeof role !== "string") throw refused("doesn't name a caller that can act here");
  if (!isFor(payload, call)) throw refused("is for another call");
  if (!(await orUnavailable(useUp(pool, jti, exp)))) throw refused("is already used");
  return { projectId: prj, subject: sub, role };
}

/**
 * Control names method, target and body together. An older control only names the body of measured plans. Accepting
 * that is safe, because nobody can remove a claim from a signed assertion of a newer control.
 */
function isFor({ htm, target, body, role }: JWTPayload & Partial<AssertionClaims>, call: SignedCall): boolean {
  const ofOlderControl = htm === undefined && target === undefined;
  if (ofOlderControl && body === undefined) return role !== "measure";
  return body === call.bodyHash && (ofOlderControl || (htm === call.method && target === call.target));
}

/** False if it was already used. It also deletes entries that have expired everywhere. */
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
