// The syntax of a CEL expression: the result of `parse`, before any name or type is known. Plain data with offsets into
// the text (UTF-16 code units), end exclusive.

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in";
export type ArithmeticSign = "+" | "-" | "*" | "/" | "%";

export interface Located {
  readonly start: number;
  readonly end: number;
}

export type Syntax = Located &
  (
    | { readonly kind: "literal"; readonly value: string | boolean | null }
    /** A number as it was written, including its sign: a float would lose digits. */
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "member"; readonly object: Syntax; readonly name: string }
    | { readonly kind: "list"; readonly items: readonly Syntax[] }
    | { readonly kind: "not"; readonly operand: Syntax }
    | { readonly kind: "negative"; readonly operand: Syntax }
    | { readonly kind: "logic"; readonly operator: "&&" | "||"; readonly operands: readonly Syntax[] }
    | {
        readonly kind: "comparison";
        readonly operator: ComparisonOperator;
        readonly left: Syntax;
        readonly right: Syntax;
      }
    | { readonly kind: "arithmetic"; readonly operator: ArithmeticSign; readonly left: Syntax; readonly right: Syntax }
    | { readonly kind: "conditional"; readonly condition: Syntax; readonly yes: Syntax; readonly no: Syntax }
    /** `name(args)`, or `receiver.name(args)`; `called` is the position of the name. */
    | {
        readonly kind: "call";
        readonly receiver: Syntax | null;
        readonly name: string;
        readonly called: Located;
        readonly args: readonly Syntax[];
      }
    /** Valid CEL that our language doesn't support; `what` is its name in messages. */
    | { readonly kind: "unsupported"; readonly what: string; readonly hint: string | null }
  );
