// Computes the hash of a row without a database. In: values as texts. Out: the same number as `rowHash` in Postgres (../source-sql.ts
// and apps/runtime/src/transfers/canonical.ts).
import { createHash } from "node:crypto";

export function hashOf(values: readonly (string | null)[]): bigint {
  const digest = createHash("md5").update(rowText(values)).digest("hex");
  return BigInt(`0x${digest.slice(0, 15)}`);
}

/** The text form of a row in Postgres: record_out in src/backend/utils/adt/rowtypes.c. */
function rowText(values: readonly (string | null)[]): string {
  return `(${values.map((value) => (value === null ? "" : memberText(value))).join(",")})`;
}

function memberText(value: string): string {
  return value === "" || /["\\(),\t\n\v\f\r ]/.test(value) ? `"${value.replace(/["\\]/g, "$&$&")}"` : value;
}
