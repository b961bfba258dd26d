// Hashes of what an approval binds. In: plain data. Out: SHA-256 as hex, the same for the same data whatever the key order.
import { createHash } from "node:crypto";

/** SHA-256 (hex) of the data's canonical JSON. */
export function hashOf(data: unknown): string {
  return createHash("sha256").update(canonicalJson(data)).digest("hex");
}

/** Keys sorted, no white space; RFC 8785 in spirit. */
export function canonicalJson(data: unknown): string {
  return JSON.stringify(data, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
