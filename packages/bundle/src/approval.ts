// Approvals, signed by control. In: an approval, and control's keys. Out: its signature, or what is wrong with it. A
// signature is valid for one cell, one project and one release, and only for minutes.
import { createHmac, sign, timingSafeEqual, verify } from "node:crypto";
import type { ControlPublicKeys, ControlSigner } from "./control-keys.ts";
import { canonicalJson } from "./hash.ts";

interface Agreed {
  /** The project and the release of the approval; it is valid for no other. */
  readonly projectId: string;
  readonly releaseId: string;
  /** Hash of the bundle that must be active now; null for a first release. */
  readonly baseHash: string | null;
  readonly bundleHash: string;
  readonly planHash: string;
  /** The consents by name, in addition to the plan itself: `destructive listing.price`. Sorted. */
  readonly consents: readonly string[];
  readonly approvedBy: string;
  /** RFC 3339 UTC. */
  readonly approvedAt: string;
}

export interface UnsignedApproval extends Agreed {
  /** The cell of the approval. */
  readonly cell: string;
  /** The name of the project after the release. */
  readonly name: string;
}

export interface Approval extends UnsignedApproval {
  readonly scheme: "ed25519";
  /** When control signed it, and when it expires; RFC 3339 UTC. */
  readonly signedAt: string;
  readonly expiresAt: string;
  readonly keyId: string;
  /** Ed25519 (base64url) of the other members' canonical JSON. */
  readonly signature: string;
}

/**
 * The signature from the time before cells had control's public key. It is only valid for releases that a cell has
 * already stored.
 */
export interface LegacyApproval extends Agreed {
  readonly scheme?: undefined;
  /** HMAC-SHA-256 (hex) of the other members, keyed by the cell's secret. */
  readonly signature: string;
}

/** The time that a publication can take, including a slow cell and two different clocks. */
const LIFETIME_MS = 10 * 60_000;
const SKEW_MS = 60_000;

/** @param now Milliseconds since 1970. */
export function signApproval(approval: UnsignedApproval, signer: ControlSigner, now: number): Approval {
  const unsigned = {
    ...approval,
    scheme: "ed25519" as const,
    signedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + LIFETIME_MS).toISOString(),
    keyId: signer.keyId,
  };
  const signature = sign(null, Buffer.from(canonicalJson(unsigned)), signer.privateKey).toString("base64url");
  return { ...unsigned, signature };
}

/** Whether a cell can use it. @param now Milliseconds since 1970. @returns null, or what is wrong with it. */
export function approvalProblem(
  approval: Approval,
  expected: { readonly cell: string; readonly keys: ControlPublicKeys; readonly now: number },
): string | null {
  const { signature, ...rest } = approval;
  const key = expected.keys.get(approval.keyId);
  const signed = Buffer.from(canonicalJson(rest));
  if (key === undefined || !verify(null, signed, key, Buffer.from(signature, "base64url"))) {
    return "The approval is not signed by control.";
  }
  if (approval.cell !== expected.cell) return "The approval is for another cell.";
  const [signedAt, expiresAt] = [Date.parse(approval.signedAt), Date.parse(approval.expiresAt)];
  if (signedAt > expected.now + SKEW_MS || expiresAt - signedAt > LIFETIME_MS)
    return "The approval is valid for too long.";
  return expiresAt < expected.now ? "The approval has expired." : null;
}

export function isLegacy(approval: Approval | LegacyApproval): approval is LegacyApproval {
  return approval.scheme === undefined;
}

/** Whether an old approval was signed with this secret; constant time. */
export function legacyApprovalIsSigned({ signature, ...rest }: LegacyApproval, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(canonicalJson(rest)).digest();
  const given = Buffer.from(signature, "hex");
  return expected.length === given.length && timingSafeEqual(expected, given);
}
