// The lexical half of a statement's proof. In: SQL text and the tenant's schema. Out: null, or what is not allowed. It
// finds what Postgres can't be asked about without running the text: which functions it calls. It only uses a lexer;
// Postgres checks syntax, tables and columns (prove-statement.ts).
import { allowedFunctions, keywordsBeforeParenthesis, refusedWords } from "./statement-words.ts";

type Token = {
  readonly kind: "word" | "quoted" | "literal" | "parameter" | "symbol";
  /** Words in lower case, quoted identifiers without their quotes. */
  readonly text: string;
};

/** Null if nothing in the text is refused. */
export function refusalOf(text: string, schema: string): string | null {
  const tokens = tokenise(text);
  if (typeof tokens === "string") return tokens;
  for (let i = 0; i < tokens.length; i++) {
    const refusal = refusalAt(tokens, i, schema);
    if (refusal !== null) return refusal;
  }
  return null;
}

/**
 * Names that could be a relation of the catalogues, which search paths always include: all of them start with pg_.
 * Postgres is asked whether one does; an author's field can have the name `pg_rating`.
 */
export function catalogueNames(text: string): readonly string[] {
  const tokens = tokenise(text);
  if (typeof tokens === "string") return [];
  const names = tokens.filter((token, at) => {
    if (!isName(token) || !token.text.startsWith("pg_") || namesColumn(tokens, at)) return false;
    const qualifier = tokens[at - 1]?.text === "." ? tokens[at - 2]?.text : undefined;
    return qualifier === undefined || qualifier === "pg_catalog";
  });
  return [...new Set(names.map((token) => token.text))];
}

/** Where no relation can be: a column alias (`as "pg_class"`), values, and the columns of an insert. */
function namesColumn(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]!.kind !== "quoted") return false;
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (after?.kind === "symbol" && after.text === "=") return true;
  if (before?.kind === "word" && before.text === "as") return true;
  let from = at;
  while (tokens[from]?.kind === "quoted" || (tokens[from]?.kind === "symbol" && tokens[from]?.text === ",")) from--;
  const head = tokens.slice(Math.max(0, from - 5), from).map((token) => token.text);
  return tokens[from]?.text === "(" && (isInsert(head) || isInsert(head.slice(2)));
}

/** `insert into "t_x"."posts"`. */
function isInsert([insert, into, , dot]: readonly string[]): boolean {
  return insert === "insert" && into === "into" && (dot === "." || dot === undefined);
}

function refusalAt(tokens: readonly Token[], at: number, schema: string): string | null {
  const token = tokens[at]!;
  const before = tokens[at - 1];
  if (token.text === ";" && token.kind === "symbol") return "more than one statement";
  if (token.kind === "word" && token.text === "into" && before?.text !== "insert" && before?.text !== "merge") {
    return "SELECT INTO";
  }
  if (token.kind !== "word" && token.kind !== "quoted") return null;
  if (token.kind === "word" && refusedWords.has(token.text)) return `the word ${token.text}`;
  if (tokens[at + 1]?.text !== "(" || tokens[at + 1]?.kind !== "symbol") return null;

  // From here on: a name before a parenthesis, which is a call unless something shows otherwise.
  const qualifier = before?.text === "." && before.kind === "symbol" ? tokens[at - 2] : undefined;
  if (qualifier !== undefined) {
    if (isName(qualifier) && qualifier.text === schema) return null;
    if (isName(qualifier) && qualifier.text === "pg_catalog" && allowedFunctions.has(token.text)) return null;
    return `a call of ${qualifier.text}.${token.text}`;
  }
  if (token.kind === "word" && keywordsBeforeParenthesis.has(token.text)) return null;
  if (allowedFunctions.has(token.text)) return null;
  // `AS name (column, ...)`, `CAST(x AS numeric(12, 2))`, `x::numeric(12, 2)`: none of these is a call.
  if (before?.kind === "word" && before.text === "as") return null;
  if (before?.kind === "symbol" && before.text === "::") return null;
  if (before?.kind === "word" && (before.text === "with" || before.text === "recursive")) return null;
  return `a call of ${token.text}`;
}

function isName(token: Token): boolean {
  return token.kind === "word" || token.kind === "quoted";
}

const blank = /[ \t\n\r\f\v]/;
const wordStart = /[A-Za-z_]/;
const wordRest = /[A-Za-z0-9_$]/;

/** The tokens, or why we would never write such a text. */
function tokenise(text: string): Token[] | string {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    const next = text[at + 1];
    if (blank.test(char)) {
      at++;
    } else if ((char === "-" && next === "-") || (char === "/" && next === "*")) {
      return "a comment";
    } else if (char < " " || char > "~") {
      // Outside quotes we only write ASCII, so that two lexers never disagree about a letter.
      return "a character outside ASCII";
    } else if (char === "'" || char === '"') {
      const end = closing(text, at, char);
      if (end === -1) return "an unterminated quote";
      const inner = text.slice(at + 1, end).replaceAll(char + char, char);
      tokens.push({ kind: char === "'" ? "literal" : "quoted", text: inner });
      at = end + 1;
    } else if (wordStart.test(char)) {
      let end = at + 1;
      while (end < text.length && wordRest.test(text[end]!)) end++;
      const word = text.slice(at, end).toLowerCase();
      // e'..', b'..', x'..', n'..', u&'..' and u&".." have their own escapes; we need none of them.
      if (text[end] === "'" || (word === "u" && text[end] === "&" && /['"]/.test(text[end + 1] ?? ""))) {
        return "a prefixed string";
      }
      tokens.push({ kind: "word", text: word });
      at = end;
    } else if (char === "$") {
      const parameter = /^\$\d+/.exec(text.slice(at, at + 8));
      if (parameter === null) return "a dollar-quoted string";
      tokens.push({ kind: "parameter", text: parameter[0] });
      at += parameter[0].length;
    } else if (/[0-9]/.test(char)) {
      const number = /^[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/.exec(text.slice(at, at + 400))![0];
      at += number.length;
      if (/[0-9A-Za-z_.]/.test(text[at] ?? "")) return "a number that runs into something else";
      tokens.push({ kind: "literal", text: number });
    } else if (char === ":" && next === ":") {
      tokens.push({ kind: "symbol", text: "::" });
      at += 2;
    } else {
      tokens.push({ kind: "symbol", text: char });
      at++;
    }
  }
  return tokens;
}

function closing(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] !== quote) continue;
    if (text[at + 1] === quote) at++;
    else return at;
  }
  return -1;
}
