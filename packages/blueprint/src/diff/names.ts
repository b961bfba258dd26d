// What names of a model become in the words of another. Types alone.
import type { Expression } from "@plinth/expression";

export interface Names {
  readonly entity: (old: string) => string;
  /** By the entity's old name. */
  readonly field: (entity: string, old: string) => string;
}

/** A rule that stands on an entity (by its old name), in the new words. */
export type Rename = (rule: Expression, entity: string) => Expression;
