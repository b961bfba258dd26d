// What a blueprint declares of an entity beside its permissions and transitions, read from its syntax but not yet checked:
// names are still words with places. Types alone.
import type { Node, Range, Word } from "../text/syntax.ts";

export interface FieldDeclaration {
  readonly name: Word;
  /** Null where its notation could not be read; the problem is reported, the name still counts as known. */
  readonly type: TypeDeclaration | null;
  readonly optional: boolean;
  readonly default: DefaultDeclaration | null;
  /** `unique` alone is the field itself; `unique(a, b)` the field with these. */
  readonly uniqueWith: readonly (readonly Word[])[];
  readonly limits: LimitsDeclaration;
  /** The marks that it bears, each with its place. */
  readonly marks: ReadonlyMap<Mark, Range>;
  /** What stands in the brackets of `searchable(A, fuzzy)`. */
  readonly search: readonly Word[];
  readonly was: Word | null;
  /** What records that stand already get, once. */
  readonly fill: TextDeclaration | null;
  readonly deprecated: Word | null;
  readonly onDelete: Word | null;
  /** What the other side of a reference is called. */
  readonly as: Word | null;
  /** Within what a sequence counts. */
  readonly per: Word | null;
  /** When a sequence numbers its record: `transition:issue`. */
  readonly at: Word | null;
  /** Who may write a profile field, where its user may not. */
  readonly writable: Word | null;
  readonly label: Word | null;
  readonly help: Word | null;
}

/** Modifiers that are there or not. */
export type Mark = "index" | "immutable" | "readonly" | "internal" | "pii" | "searchable";

export interface TypeDeclaration {
  readonly name: Word;
  /** Everything from the name to the closing bracket. */
  readonly range: Range;
  readonly brackets: "()" | "[]" | "{}" | "<>" | null;
  /** Of parentheses and brackets, without quotes; of the long form, what stands under `values`. */
  readonly args: readonly Word[];
  /** What `computed(...)` holds. */
  readonly expression: TextDeclaration | null;
  /** Of `list<T>` and `i18n<T>`. */
  readonly of: TypeDeclaration | null;
  /** Of `object{...}`. */
  readonly members: readonly MemberDeclaration[];
}

export interface MemberDeclaration {
  readonly name: Word;
  readonly type: TypeDeclaration | null;
  readonly optional: boolean;
  readonly limits: LimitsDeclaration;
}

export interface LimitsDeclaration {
  readonly min: Word | null;
  readonly max: Word | null;
  readonly pattern: Word | null;
}

/** A text whose parts can be pointed at. */
export interface TextDeclaration {
  readonly text: string;
  readonly range: Range;
  readonly rangeAt: (start: number, end: number) => Range;
}

/** `words`: a plain text is a word of the language (the short notation), else it is a text (the long form). */
export interface DefaultDeclaration {
  readonly node: Node;
  readonly words: boolean;
  readonly range: Range;
}

/** Options of an entity; each null where it is not given. */
export interface EntityOptions {
  readonly was: Word | null;
  readonly plural: Word | null;
  readonly uniques: readonly (readonly Word[])[];
  readonly indexes: readonly (readonly Word[])[];
  readonly checks: readonly { readonly name: Word; readonly condition: TextDeclaration }[];
  readonly exclusions: readonly ExclusionDeclaration[];
  readonly lock: Word | null;
  readonly orgScoped: Flag | null;
  readonly softDelete: Flag | null;
  readonly retention: Word | null;
  readonly seed: readonly SeedDeclaration[];
  readonly audit: Word | null;
  readonly realtime: Flag | null;
  readonly requireVersion: Flag | null;
  readonly label: Word | null;
  readonly help: Word | null;
}

/** An entry of `exclude`. */
export interface ExclusionDeclaration {
  readonly name: Word;
  readonly same: readonly Word[];
  readonly overlap: readonly Word[];
  readonly where: TextDeclaration | null;
}

export interface Flag {
  readonly value: boolean;
  readonly range: Range;
}

/** A row that other rows may refer to has a name. */
export interface SeedDeclaration {
  readonly name: Word | null;
  readonly values: readonly { readonly field: Word; readonly value: Node }[];
  readonly range: Range;
}
