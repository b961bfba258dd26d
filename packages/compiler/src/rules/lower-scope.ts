// What lowering an expression needs to know about its surroundings. Only types.
import type { Catalog } from "../sql/catalog.ts";
import type { Looks } from "./looks.ts";

/** The surroundings of an expression. */
export interface LowerScope {
  /** The entity of `record`, `old`, `new` and `input`. */
  readonly entity: string;
  readonly catalog: Catalog;
  /** How a row's own column is written; the default is the placeholders `{record}`, `{old}`, `{new}`. */
  readonly column?: (row: string, column: string) => string;
  /** Whether it is in a constraint, which can't contain a sub-select. */
  readonly isConstraint?: true;
  /** Whether the record is one that is read, `{row}`: a write can also change its pairs. */
  readonly isRead?: true;
  /** How a field at the end of a path is written, if tables or columns have other names than in the catalog. */
  readonly path?: (path: readonly string[]) => string;
  /** The variable of each enclosing `each`, with its alias and entity. */
  readonly variables?: ReadonlyMap<string, Variable>;
  /** Records which other rows the expression reads. */
  readonly looks?: Looks;
}

export interface Variable {
  readonly alias: string;
  readonly entity: string;
}
