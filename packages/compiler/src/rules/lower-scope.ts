// What the lowering of an expression must know of its surroundings. Types alone.
import type { Catalog } from "../sql/catalog.ts";
import type { Looks } from "./looks.ts";

/** What stands around an expression. */
export interface LowerScope {
  /** The entity of `record`, `old`, `new` and `input`. */
  readonly entity: string;
  readonly catalog: Catalog;
  /** How a row's own column is written; the holes `{record}`, `{old}`, `{new}` unless given. */
  readonly column?: (row: string, column: string) => string;
  /** Whether it stands in a constraint, which takes no sub-select. */
  readonly isConstraint?: true;
  /** Whether the record is one that is read, `{row}`: a write may write its pairs as well. */
  readonly isRead?: true;
  /** How a field at the end of a path is written, where tables or columns have other names than in the catalog. */
  readonly path?: (path: readonly string[]) => string;
  /** Each variable of an `each` around, with its alias and entity. */
  readonly variables?: ReadonlyMap<string, Variable>;
  /** Where it is noted which other rows the expression looks at. */
  readonly looks?: Looks;
}

export interface Variable {
  readonly alias: string;
  readonly entity: string;
}
