// The parser. In: the text of a CEL expression. Out: a plain syntax tree with offsets into the text, or the problem. It
// never resolves names or types (`check.ts` does), never throws, and refuses a text that is too large before it reads
// it. We wrote our own parser because authors see every limit, offset and hint, and because words that CEL reserves for
// other languages are names here. A test compares it with a full CEL implementation.
import { nextToken, type Token, Unreadable } from "./lex.ts";
import type { Problem } from "./problem.ts";
import type { ArithmeticSign, ComparisonOperator, Located, Syntax } from "./syntax.ts";

/** The maximum length of an expression, in UTF-16 code units. */
export const EXPRESSION_LENGTH_MAX = 4_000;
/** The maximum number of syntax nodes in an expression. An update rule can double them in SQL. */
export const EXPRESSION_NODES_MAX = 400;
const DEPTH_MAX = 40;
const LIST_ITEMS_MAX = 200;

export interface ParsedExpression {
  readonly syntax: Syntax | null;
  readonly problems: readonly Problem[];
}

/** Parses one expression. Where `syntax` is null, `problems` says why. */
export function parseExpression(text: string): ParsedExpression {
  if (text.length > EXPRESSION_LENGTH_MAX) {
    const message = `The expression has ${text.length} characters. The maximum is ${EXPRESSION_LENGTH_MAX}.`;
    return failed({ code: "expression_too_large", message, hint: null, start: 0, end: text.length });
  }
  try {
    return { syntax: new Parser(text).parse(), problems: [] };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const code = error.tooLarge ? "expression_too_large" : "expression_syntax";
    return failed({ code, message: error.message, hint: error.hint, start: error.start, end: error.end });
  }
}

function failed(problem: Problem): ParsedExpression {
  return { syntax: null, problems: [problem] };
}

const EXAMPLE = "For example `user_id == current_user.id && status != draft`.";
const comparisons: readonly string[] = ["==", "!=", "<", "<=", ">", ">="];
const wordOperators: Readonly<Record<string, string>> = { and: "&&", or: "||", not: "!" };

class Parser {
  private readonly text: string;
  private token: Token;
  private depth = 0;
  private nodes = 0;
  private lastStart = 0;
  private lastEnd = 0;

  constructor(text: string) {
    this.text = text;
    this.token = nextToken(text, 0);
  }

  parse(): Syntax {
    const syntax = this.expression();
    if (this.token.kind !== "end") throw this.unexpected();
    return syntax;
  }

  /** `a || b ? c : d` */
  private expression(): Syntax {
    return this.nested(() => {
      const condition = this.logic("||");
      if (!this.takes("?")) return condition;
      const yes = this.expression();
      this.expect(":");
      const no = this.expression();
      return this.node({ kind: "conditional", condition, yes, no, start: condition.start, end: no.end });
    });
  }

  /** `a && b && c` is one node with three operands. As a left-deep tree, it would be nested as deep as it is long. */
  private logic(operator: "&&" | "||"): Syntax {
    const operand = (): Syntax => (operator === "||" ? this.logic("&&") : this.comparison());
    const first = operand();
    const operands = [first];
    while (this.takes(operator)) operands.push(operand());
    const last = operands.at(-1) ?? first;
    if (operands.length === 1) return first;
    return this.node({ kind: "logic", operator, operands, start: first.start, end: last.end });
  }

  private comparison(): Syntax {
    let left = this.sum();
    for (;;) {
      const { kind, text } = this.token;
      const isIn = kind === "name" && text === "in";
      if (!isIn && !(kind === "sign" && comparisons.includes(text))) return left;
      this.advance();
      const right = this.sum();
      const operator = text as ComparisonOperator;
      left = this.node({ kind: "comparison", operator, left, right, start: left.start, end: right.end });
    }
  }

  private sum(): Syntax {
    return this.arithmetic(["+", "-"], () => this.arithmetic(["*", "/", "%"], () => this.unary()));
  }

  private arithmetic(signs: readonly ArithmeticSign[], operand: () => Syntax): Syntax {
    let left = operand();
    for (;;) {
      const operator = signs.find((sign) => this.isSign(sign));
      if (operator === undefined) return left;
      this.advance();
      const right = operand();
      left = this.node({ kind: "arithmetic", operator, left, right, start: left.start, end: right.end });
    }
  }

  private unary(): Syntax {
    const { start } = this.token;
    if (this.isSign("!")) {
      this.advance();
      const operand = this.nested(() => this.unary());
      return this.node({ kind: "not", operand, start, end: operand.end });
    }
    if (!this.isSign("-")) return this.postfix();
    this.advance();
    const operand = this.nested(() => this.unary());
    if (operand.kind !== "number") return this.node({ kind: "negative", operand, start, end: operand.end });
    const text = operand.text.startsWith("-") ? operand.text.slice(1) : `-${operand.text}`;
    return { kind: "number", text, start, end: operand.end };
  }

  private postfix(): Syntax {
    let syntax = this.primary();
    for (;;) {
      if (this.takes(".")) syntax = this.member(syntax);
      else if (this.isSign("[")) {
        const { start } = this.token;
        this.advance();
        this.expression();
        this.expect("]");
        const hint = "Use `in` and `size()` for lists, and `exists` for relations.";
        syntax = this.node({ kind: "unsupported", what: "an index", hint, start, end: this.lastEnd });
      } else if (this.isSign("{") && syntax.kind !== "number") {
        throw this.unexpected();
      } else return syntax;
    }
  }

  private member(object: Syntax): Syntax {
    if (this.isSign("?")) throw this.unexpected();
    const name = this.token;
    if (name.kind !== "name") throw this.unexpected("There is no name after the dot.");
    this.advance();
    if (!this.takes("("))
      return this.node({ kind: "member", object, name: name.text, start: object.start, end: name.end });
    return this.call(object, name);
  }

  private call(receiver: Syntax | null, name: Token): Syntax {
    const args = this.items(")");
    const start = receiver?.start ?? name.start;
    const called = { start: name.start, end: name.end };
    return this.node({ kind: "call", receiver, name: name.text, called, args, start, end: this.lastEnd });
  }

  private primary(): Syntax {
    const token = this.token;
    const at = { start: token.start, end: token.end };
    switch (token.kind) {
      case "name":
        return this.word(token);
      case "number": {
        this.advance();
        return this.node(
          token.text.endsWith("u")
            ? { kind: "unsupported", what: "an unsigned number", hint: "Write the number without `u`.", ...at }
            : { kind: "number", text: token.text, ...at },
        );
      }
      case "text": {
        this.advance();
        if (token.text.isWellFormed() && !token.text.includes("\u0000")) {
          return this.node({ kind: "literal", value: token.text, ...at });
        }
        return this.node({
          kind: "unsupported",
          what: "a text with a NUL character or half of a surrogate pair",
          hint: null,
          ...at,
        });
      }
      case "bytes":
        this.advance();
        return this.node({ kind: "unsupported", what: "bytes", hint: "Write the text without `b`.", ...at });
      case "sign":
        return this.bracketed(token);
      case "end":
        throw this.unexpected();
    }
  }

  private word(token: Token): Syntax {
    const at = { start: token.start, end: token.end };
    if (token.text === "in") throw this.unexpected();
    this.advance();
    if (token.text === "true" || token.text === "false") {
      return this.node({ kind: "literal", value: token.text === "true", ...at });
    }
    if (token.text === "null") return this.node({ kind: "literal", value: null, ...at });
    if (this.takes("(")) return this.call(null, token);
    return this.node({ kind: "name", name: token.text, ...at });
  }

  private bracketed(token: Token): Syntax {
    switch (token.text) {
      case "(": {
        this.advance();
        const inner = this.expression();
        this.expect(")");
        return inner;
      }
      case "[": {
        this.advance();
        const items = this.items("]");
        return this.node({ kind: "list", items, start: token.start, end: this.lastEnd });
      }
      case "{": {
        this.advance();
        this.entries();
        const hint = "Rules don't support maps.";
        return this.node({ kind: "unsupported", what: "a map", hint, start: token.start, end: this.lastEnd });
      }
      default:
        throw this.unexpected();
    }
  }

  /** The members between brackets, with commas. A trailing comma is allowed. */
  private items(close: ")" | "]"): readonly Syntax[] {
    const items: Syntax[] = [];
    while (!this.takes(close)) {
      if (items.length > 0) this.expect(",");
      if (items.length > 0 && this.takes(close)) return items;
      if (items.length >= LIST_ITEMS_MAX) throw this.tooLarge();
      items.push(this.expression());
    }
    return items;
  }

  private entries(): void {
    for (let count = 0; !this.takes("}"); count++) {
      if (count > 0) this.expect(",");
      if (count > 0 && this.takes("}")) return;
      this.expression();
      this.expect(":");
      this.expression();
    }
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > DEPTH_MAX) throw this.tooLarge();
    const result = read();
    this.depth--;
    return result;
  }

  private node(syntax: Syntax): Syntax {
    if (++this.nodes > EXPRESSION_NODES_MAX) throw this.tooLarge();
    return syntax;
  }

  private isSign(text: string): boolean {
    return this.token.kind === "sign" && this.token.text === text;
  }

  private takes(text: string): boolean {
    if (!this.isSign(text)) return false;
    this.advance();
    return true;
  }

  private expect(text: string): void {
    if (!this.takes(text)) throw this.unexpected();
  }

  private advance(): void {
    this.lastStart = this.token.start;
    this.lastEnd = this.token.end;
    this.token = nextToken(this.text, this.token.end);
  }

  private tooLarge(): Unreadable {
    const message = "The expression is too large or too deeply nested.";
    return new Unreadable(this.token, message, "Split it into a list of rules, of which one must be true.", true);
  }

  private unexpected(message?: string): Unreadable {
    const { kind, text, start, end } = this.token;
    const at: Located = { start, end };
    if (kind === "end") return new Unreadable(at, message ?? "The expression ends too early.", EXAMPLE);
    const read = this.text.slice(start, end);
    return new Unreadable(
      at,
      message ?? `The expression has an unexpected \`${read}\`.`,
      this.hintFor(kind, text) ?? EXAMPLE,
    );
  }

  private hintFor(kind: Token["kind"], text: string): string | null {
    if (/\bselect\b/i.test(this.text))
      return "Rules can't contain SQL. Use a relation to look at other records: `items.exists(i, i.open)`.";
    if (kind === "sign") {
      if (text === ">" && this.text[this.token.start - 1] === "<") return "Write `!=` instead of `<>`.";
      return text === "." ? "Write a digit before the decimal point: `0.5`." : null;
    }
    if (this.text.slice(this.lastStart, this.lastEnd).toLowerCase() === "not") return "Write `!` instead of `not`.";
    const word = text.toLowerCase();
    if (word === "not" && /^\s*in\b/i.test(this.text.slice(this.token.end)))
      return "Write `!(a in [b, c])` instead of `a not in (b, c)`.";
    const operator = Object.hasOwn(wordOperators, word) ? wordOperators[word] : undefined;
    if (kind !== "name") return null;
    if (operator !== undefined) return `Write \`${operator}\` instead of \`${text.toLowerCase()}\`.`;
    return word === "is" ? "Write `==`. To test for a value, use `x == null`." : null;
  }
}
