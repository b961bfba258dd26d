// The declarations of `tests`, read from their syntax but not checked yet: names are words with positions. Only types.
import type { Node, Range, Word } from "../text/syntax.ts";

export interface TestsDeclaration {
  readonly range: Range;
  readonly users: readonly TestUserDeclaration[];
  readonly rows: readonly TestRowDeclaration[];
  readonly expect: readonly ExpectationDeclaration[];
}

export interface TestUserDeclaration {
  readonly name: Word;
  readonly roles: readonly Word[];
  readonly email: Word | null;
  readonly organizations: readonly { readonly organization: Word; readonly role: Word }[];
  readonly profile: readonly ValueDeclaration[];
}

export interface TestRowDeclaration {
  readonly entity: Word;
  readonly name: Word;
  readonly values: readonly ValueDeclaration[];
}

export interface ValueDeclaration {
  readonly field: Word;
  readonly value: Node;
}

export interface ExpectationDeclaration {
  readonly range: Range;
  readonly as: Word;
  readonly asked:
    | { readonly kind: "list"; readonly entity: Word; readonly sees: readonly Word[] }
    | {
        readonly kind: "allow";
        /** `read`, `create`, `update`, `delete`, `restore` or `transition`. */
        readonly operation: Word;
        /** `listing` for a create, `listing.a`, or `listing.a.publish` for a transition. */
        readonly target: Word;
        readonly input: readonly ValueDeclaration[];
        readonly allow: boolean;
      };
}
