// The text of a value for comparisons between two databases. In: a column and its type. Out: SQL of a text that is the
// same on both sides. The source of an import uses the same texts (apps/cli/src/import/data/canonical.ts). A checksum
// is the sum of their hashes.
import type { BundleField } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";

/** @param row The alias of the row. */
export function canonicalText(row: string, { sqlType, column }: Pick<BundleField, "sqlType" | "column">): string {
  const value = `${row}.${quoteIdentifier(column ?? "")}`;
  // 1.50 and 1.5 are one number.
  return /^numeric(?:\(|$)/.test(sqlType) && !sqlType.endsWith("[]") ? `trim_scale(${value})::text` : `${value}::text`;
}

/**
 * A whole number from 60 bits of a hash over these texts: the same in every version of Postgres, and on every machine.
 */
export function rowHash(texts: readonly string[]): string {
  return `('x' || left(md5(row(${texts.join(", ")})::text), 15))::bit(60)::bigint`;
}
