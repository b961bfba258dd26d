// What a blueprint declares, read from its syntax but not yet checked against itself: names are still words with places.
import type { RuleSource } from "@plinth/expression";
import type { DefaultNotation } from "./field-type.ts";
import type { Range, ScalarNode, Word } from "./syntax.ts";

export interface Declarations {
  readonly project: Word | null;
  readonly modules: readonly Word[];
  readonly roles: readonly RoleDeclaration[];
  readonly entities: readonly EntityDeclaration[];
  /** From entities and from the top level, in the order of the text. */
  readonly permissions: readonly PermissionDeclaration[];
  /** Top-level keys that stand in the blueprint. */
  readonly sections: readonly Word[];
}

export interface RoleDeclaration {
  readonly name: Word;
  readonly inherits: readonly Word[];
}

export interface EntityDeclaration {
  readonly name: Word;
  readonly fields: readonly FieldDeclaration[];
  readonly plural: Word | null;
  readonly uniques: readonly (readonly Word[])[];
  /** One for each field that has any. */
  readonly transitions: readonly TransitionsDeclaration[];
}

export interface FieldDeclaration {
  readonly name: Word;
  /** Null where its notation could not be read; the problem is reported, the name still counts as known. */
  readonly type: TypeDeclaration | null;
  readonly optional: boolean;
  readonly default: DefaultDeclaration | null;
  /** `unique` alone is the field itself; `unique(a, b)` the field with these. */
  readonly uniqueWith: readonly (readonly Word[])[];
}

export interface TypeDeclaration {
  readonly name: Word;
  readonly args: readonly Word[];
  readonly brackets: "[]" | "()" | null;
  /** `max` of a string, where given. */
  readonly max: { readonly value: number; readonly range: Range } | null;
}

/** A YAML number or boolean keeps its type; a text comes with whether it was in quotes. */
export type DefaultDeclaration =
  | { readonly form: "notation"; readonly notation: DefaultNotation; readonly range: Range }
  | { readonly form: "value"; readonly scalar: ScalarNode; readonly range: Range };

export interface TransitionsDeclaration {
  readonly field: Word;
  readonly initial: Word | null;
  readonly edges: readonly EdgeDeclaration[];
}

export interface EdgeDeclaration {
  readonly name: Word;
  readonly from: readonly Word[];
  readonly to: Word | null;
  /** Null where the edge leaves it to the permissions who may take it. */
  readonly roles: readonly Word[] | null;
  readonly when: readonly RuleDeclaration[] | null;
  readonly require: readonly Word[];
  readonly emit: Word | null;
  /** The keys that stand there, whether or not their values could be read. */
  readonly keys: readonly string[];
}

export interface PermissionDeclaration {
  readonly entity: Word;
  readonly role: Word;
  readonly operation: Word;
  readonly rules: readonly RuleDeclaration[];
  readonly place: "entity" | "top";
  readonly range: Range;
}

export interface RuleDeclaration {
  readonly source: RuleSource;
  readonly scalar: ScalarNode;
}
