// The plainest value that a column may hold. In: a column and its table's checks. Out: text that Postgres reads.
// What a test row leaves out has it, here as where the blueprint is validated; it is never written into a project's tables.
import type { Check, Column } from "@plinth/bundle";

const AT = "2026-01-01T12:00:00Z";
/** Of a required reference nobody is told: an id that nothing has. */
const NOBODY = "00000000-0000-7000-8000-ffffffffffff";

export function plainValue(column: Column, checks: readonly Check[]): string {
  const own = checks.filter((check) => check.columns.length === 1 && check.columns[0] === column.name);
  for (const { rule } of own) {
    if (rule.kind === "one_of" && rule.values[0] !== undefined) return rule.values[0];
    if (rule.kind === "range" && rule.min !== null && isNumber(column.sqlType)) return rule.min;
  }
  return ofType(column.sqlType);
}

function isNumber(sqlType: string): boolean {
  return /^(smallint|integer|bigint|double precision|numeric)/.test(sqlType);
}

function ofType(sqlType: string): string {
  if (sqlType.endsWith("[]")) return "{}";
  if (isNumber(sqlType)) return "0";
  if (sqlType.startsWith("time(") || sqlType === "time") return "12:00:00";
  if (sqlType.startsWith("vector"))
    return `[${Array.from({ length: Number(/\d+/.exec(sqlType)?.[0] ?? 1) }, () => 0).join(",")}]`;
  switch (sqlType) {
    case "boolean":
      return "f";
    case "uuid":
      return NOBODY;
    case "timestamptz":
      return AT;
    case "date":
      return AT.slice(0, 10);
    case "interval":
      return "1 hour";
    case "jsonb":
      return "{}";
    case "point":
      return "(0,0)";
    default:
      return "x";
  }
}
