// The declaration of an entity without its permissions and transitions, read from its syntax but not checked yet: names
// are words with positions. Only types.
import type { Node, Range, Word } from "../text/syntax.ts";

export interface FieldDeclaration {
  readonly name: Word;
  /** Null if its notation could not be read. The problem is reported, and the name still counts as known. */
  readonly type: TypeDeclaration | null;
  readonly optional: boolean;
  readonly default: DefaultDeclaration | null;
  /** `unique` alone means the field itself; `unique(a, b)` the field together with these. */
  readonly uniqueWith: readonly (readonly Word[])[];
  readonly limits: LimitsDeclaration;
  /** Its modifiers without arguments, each with its position. */
  readonly marks: ReadonlyMap<Mark, Range>;
  /** The words in `searchable(A, fuzzy)`. */
  readonly search: readonly Word[];
  readonly was: Word | null;
  /** The value that existing records get once. */
  readonly fill: TextDeclaration | null;
  readonly deprecated: Word | null;
  readonly onDelete: Word | null;
  /** The name of the back relation of a reference. */
  readonly as: Word | null;
  /** The scope within which a sequence counts. */
  readonly per: Word | null;
  /** When a sequence numbers its record: `transition:issue`. */
  readonly at: Word | null;
  /** Who can write a profile field that its user can't write. */
  readonly writable: Word | null;
  readonly label: Word | null;
  readonly help: Word | null;
}

/** Modifiers without arguments. */
export type Mark = "index" | "immutable" | "readonly" | "internal" | "pii" | "searchable";

export interface TypeDeclaration {
  readonly name: Word;
  /** Everything from the name to the closing bracket. */
  readonly range: Range;
  readonly brackets: "()" | "[]" | "{}" | "<>" | null;
  /** The arguments in parentheses and brackets, without quotes; for the long form, `values`. */
  readonly args: readonly Word[];
  /** The expression of `computed(...)`. */
  readonly expression: TextDeclaration | null;
  /** The type inside `list<T>` and `i18n<T>`. */
  readonly of: TypeDeclaration | null;
  /** The members of `object{...}`. */
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

/** A text whose parts have positions. */
export interface TextDeclaration {
  readonly text: string;
  readonly range: Range;
  readonly rangeAt: (start: number, end: number) => Range;
}

/** `words`: a plain text is a word of the language (the short notation); otherwise it is a text (the long form). */
export interface DefaultDeclaration {
  readonly node: Node;
  readonly words: boolean;
  readonly range: Range;
}

/** Options of an entity; each is null if it is not given. */
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

/** A row with a name can be referred to by others. */
export interface SeedDeclaration {
  readonly name: Word | null;
  readonly values: readonly { readonly field: Word; readonly value: Node }[];
  readonly range: Range;
}
