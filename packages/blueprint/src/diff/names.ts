// How names of one model translate to another. Only types.
import type { Expression } from "@plinth/expression";

export interface Names {
  readonly entity: (old: string) => string;
  /** By the entity's old name. */
  readonly field: (entity: string, old: string) => string;
}

/** A rule of an entity (given by its old name), in the new words. */
export type Rename = (rule: Expression, entity: string) => Expression;
