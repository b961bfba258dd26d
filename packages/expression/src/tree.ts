// The typed expression tree: what a rule becomes once it is parsed and checked.
// It is plain data (JSON), made by `check`, lowered to SQL by the compiler and evaluated by `evaluate`.

/** The static type of an expression. `null` is the type of the literal alone; every field may be null. */
export type Type =
  | { readonly kind: "bool" }
  | { readonly kind: "int" }
  | { readonly kind: "float" }
  | { readonly kind: "text" }
  | { readonly kind: "uuid" }
  | { readonly kind: "datetime" }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly of: Type }
  | { readonly kind: "null" };

/**
 * The row that a field is read from. A read or delete rule sees `record`, a create rule `new`,
 * an update rule `old` and `new` (bare names are already split into both by the checker).
 */
export type RowName = "record" | "old" | "new";

export type Operator = "&&" | "||" | "!" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in";

export type Expression =
  | { readonly kind: "literal"; readonly type: Type; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly type: Type; readonly items: readonly Expression[] }
  /**
   * A field of a row. `path` has one name for a field of the row itself; each further name is a field
   * of the record that the one before refers to (`["listing_id", "created_by"]`).
   */
  | { readonly kind: "field"; readonly type: Type; readonly row: RowName; readonly path: readonly string[] }
  /** A property of the signed-in user; null where nobody is signed in (`roles`: the empty list). */
  | { readonly kind: "user"; readonly type: Type; readonly name: "id" | "email" | "roles" }
  /** `!` has one argument, `&&` and `||` two or more, the others two. The type is always bool. */
  | {
      readonly kind: "operation";
      readonly type: Type;
      readonly operator: Operator;
      readonly args: readonly Expression[];
    };
