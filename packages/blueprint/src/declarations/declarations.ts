// What a blueprint declares, read from its syntax but not yet checked against itself: names are still words with places.
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
  /** Of the section `search`. */
  readonly searchLanguage: Word | null;
  /** From entities and from the top level, in the order of the text. */
  readonly views: readonly ViewDeclaration[];
  /** Null where there are none. */
  readonly tests: TestsDeclaration | null;
  /** The sections that run in the background, as they stand: `background/` reads and checks them in one. */
  readonly background: ReadonlyMap<string, Node>;
  /** Top-level keys that stand in the blueprint. */
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
  /** One for each field that has any. */
  readonly transitions: readonly TransitionsDeclaration[];
}

export interface TransitionsDeclaration {
  readonly field: Word;
  readonly initial: Word | null;
  readonly edges: readonly EdgeDeclaration[];
  /** False where an edge could not be read. */
  readonly complete: boolean;
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
  /** Any of these lets in, unless any of `deny` holds. */
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

/** A list that is served under a name of its own. */
export interface ViewDeclaration {
  readonly name: Word;
  readonly of: Word;
  /** Any of these lets a record in; none: all do. */
  readonly where: readonly RuleDeclaration[];
  /** Fields, `-` before one that descends. */
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
