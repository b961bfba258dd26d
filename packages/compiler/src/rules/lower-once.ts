// Writes a value once that is needed several times. In: values, and the SQL that uses their names. Out: SQL.
import type { LowerScope } from "./lower-scope.ts";

/**
 * `offset 0` prevents the planner from inlining the value: with nesting, it would double each time. A constraint can't
 * contain a sub-select, so there it is written out; `check/entities/row-expressions.ts` in the blueprint package limits
 * the depth.
 */
export function once(
  { isConstraint }: Pick<LowerScope, "isConstraint">,
  values: readonly [string] | readonly [string, string],
  made: (a: string, b: string) => string,
): string {
  const [a, b] = values;
  if (isConstraint === true) return `(${made(`(${a})`, `(${b ?? ""})`)})`;
  const second = b === undefined ? "" : `, ${b} as _b`;
  return `(select ${made("_v._a", "_v._b")} from (select ${a} as _a${second} offset 0) _v)`;
}
