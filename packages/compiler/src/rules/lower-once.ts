// Lets a value that is needed several times stand once in the text. In: values, and what is made of their names. Out: SQL.
import type { LowerScope } from "./lower-scope.ts";

/**
 * `offset 0` keeps the plan from writing a value out again: else nesting would double it every time. A constraint takes no
 * sub-select, so there it is written out; `check/entities/row-expressions.ts` of the blueprint bounds how deep.
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
