// The declarations of a blueprint, read from its syntax but not checked yet: names are words with positions.
import type { RuleSource } from "@plinth/expression";
import type { Node, Range, ScalarNode, Word } from "../text/syntax.ts";
import type { EntityOptions, FieldDeclaration } from "./entity-declaration.ts";
import type { TestsDeclaration } from "./test-declaration.ts";

export type { FieldDeclaration };

export interface Declarations {
  readonly project: Word | null;
  readonly modules: readonly Word[];
  readonly roles: readonly RoleDeclaration[];
  readonly entities: readonly EntityDeclaration[];
  /** From entities and from the top level, in the order of the text. */
  readonly permissions: readonly PermissionDeclaration[];
  readonly namedRules: readonly NamedRuleDeclaration[];
  readonly userFields: readonly FieldDeclaration[];
  readonly api: readonly ApiDeclaration[];
  /** From the section `search`. */
  readonly searchLanguage: Word | null;
  /** From entities and from the top level, in the order of the text. */
  readonly views: readonly ViewDeclaration[];
  /** Null if there are none. */
  readonly tests: TestsDeclaration | null;
  /** The background sections as syntax: `background/` reads and checks them together. */
  readonly background: ReadonlyMap<string, Node>;
  /** The top-level keys of the blueprint. */
  readonly sections: readonly Word[];
}

export interface RoleDeclaration {
  readonly name: Word;
  readonly inherits: readonly Word[];
  readonly label: string | null;
  readonly help: string | null;
}

export interface EntityDeclaration {
  readonly name: Word;
  readonly fields: readonly FieldDeclaration[];
  readonly options: EntityOptions;
  /** One for each field with transitions. */
  readonly transitions: readonly TransitionsDeclaration[];
}

export interface TransitionsDeclaration {
  readonly field: Word;
  readonly initial: Word | null;
  readonly edges: readonly EdgeDeclaration[];
  /** False if a transition could not be read. */
  readonly complete: boolean;
}

export interface EdgeDeclaration {
  readonly name: Word;
  readonly from: readonly Word[];
  readonly to: Word | null;
  /** Null if the permissions decide who can take the transition. */
  readonly roles: readonly Word[] | null;
  readonly when: readonly RuleDeclaration[] | null;
  readonly require: readonly Word[];
  readonly emit: Word | null;
  /** The keys in the text, even if their values could not be read. */
  readonly keys: readonly string[];
}

export interface PermissionDeclaration {
  readonly entity: Word;
  readonly role: Word;
  readonly operation: Word;
  /** One of these must be true, and none of `deny`. */
  readonly rules: readonly RuleDeclaration[];
  readonly deny: readonly RuleDeclaration[];
  readonly fields: { readonly words: readonly Word[]; readonly range: Range } | null;
  readonly set: readonly SetDeclaration[];
  readonly limit: { readonly value: number; readonly range: Range } | null;
  readonly place: "entity" | "top";
  readonly range: Range;
}

export interface SetDeclaration {
  readonly field: Word;
  readonly value: RuleDeclaration;
}

/** A list with its own name. */
export interface ViewDeclaration {
  readonly name: Word;
  readonly of: Word;
  /** One of these must be true for a record; without any, all records are in the view. */
  readonly where: readonly RuleDeclaration[];
  /** Fields, with `-` for descending order. */
  readonly sort: readonly Word[];
  readonly limit: { readonly value: number; readonly range: Range } | null;
}

/** A rule with a name, under `rules`. */
export interface NamedRuleDeclaration {
  readonly name: Word;
  readonly rule: RuleDeclaration;
}

export interface RuleDeclaration {
  readonly source: RuleSource;
  readonly scalar: ScalarNode;
}

export interface ApiDeclaration {
  readonly key: "requests_per_second" | "burst" | "body_max" | "page_max" | "statement_timeout";
  readonly value: ScalarNode;
}
