// Hashes of what an approval binds. In: plain data. Out: SHA-256 as hex, the same for the same data whatever the key order.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Approval } from "./bundle.ts";

/** SHA-256 (hex) of the data's canonical JSON (keys sorted, no white space; RFC 8785 in spirit). */
export function hashOf(data: unknown): string {
  return createHash("sha256").update(canonicalJson(data)).digest("hex");
}

/** Completes an approval with the cell's signature. */
export function signApproval(approval: Omit<Approval, "signature">, secret: string): Approval {
  return { ...approval, signature: signatureOf(approval, secret) };
}

/** Whether an approval was signed with this secret; constant time. */
export function approvalIsSigned(approval: Approval, secret: string): boolean {
  const { signature, ...rest } = approval;
  const expected = Buffer.from(signatureOf(rest, secret));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function signatureOf(approval: Omit<Approval, "signature">, secret: string): string {
  return createHmac("sha256", secret).update(canonicalJson(approval)).digest("hex");
}

function canonicalJson(data: unknown): string {
  return JSON.stringify(data, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
