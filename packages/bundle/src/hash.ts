// Hashes for approvals. In: plain data. Out: SHA-256 as hex, independent of the key order.
import { createHash } from "node:crypto";

/** SHA-256 (hex) of the data's canonical JSON. */
export function hashOf(data: unknown): string {
  return createHash("sha256").update(canonicalJson(data)).digest("hex");
}

/** Sorted keys, no white space; similar to RFC 8785. */
export function canonicalJson(data: unknown): string {
  return JSON.stringify(data, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
