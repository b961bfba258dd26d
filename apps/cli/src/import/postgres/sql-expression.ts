// Parses an expression as Postgres prints it: a check, a policy, a generated column. In: its text. Out: a tree, or null if it
// contains unsupported syntax (a subquery, CASE, an operator of an extension). It never guesses.

export type SqlNode =
  | { readonly kind: "column"; readonly name: string }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "null" }
  | { readonly kind: "cast"; readonly type: string; readonly of: SqlNode }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly SqlNode[] }
  | { readonly kind: "array"; readonly items: readonly SqlNode[] }
  | { readonly kind: "binary"; readonly operator: string; readonly left: SqlNode; readonly right: SqlNode }
  | { readonly kind: "any" | "all"; readonly operator: string; readonly left: SqlNode; readonly right: SqlNode }
  | { readonly kind: "not" | "negative"; readonly of: SqlNode }
  | { readonly kind: "is_null"; readonly of: SqlNode; readonly negated: boolean };

export function parseSql(text: string): SqlNode | null {
  const tokens = tokensOf(text);
  if (tokens === null) return null;
  const reader = { tokens, at: 0 };
  try {
    const node = disjunction(reader);
    return reader.at === tokens.length ? node : null;
  } catch (error) {
    if (error instanceof Unread) return null;
    throw error;
  }
}

/** The names of its columns. */
export function columnsIn(node: SqlNode): readonly string[] {
  switch (node.kind) {
    case "column":
      return [node.name];
    case "cast":
    case "not":
    case "negative":
    case "is_null":
      return columnsIn(node.of);
    case "call":
      return node.args.flatMap(columnsIn);
    case "array":
      return node.items.flatMap(columnsIn);
    case "binary":
    case "any":
    case "all":
      return [...columnsIn(node.left), ...columnsIn(node.right)];
    default:
      return [];
  }
}

class Unread extends Error {}

interface Token {
  readonly kind: "word" | "name" | "text" | "number" | "sign";
  readonly text: string;
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
}

const lexeme =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")+")|(?<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?<word>[A-Za-z_][\w$]*)|(?<sign>::|<=|>=|<>|!=|!~~\*|!~~|!~\*|!~|~~\*|~~|~\*|~|[-+*/%<>=()[\],.]))/iy;

function tokensOf(text: string): readonly Token[] | null {
  const tokens: Token[] = [];
  const trimmed = text.trim();
  lexeme.lastIndex = 0;
  while (lexeme.lastIndex < trimmed.length) {
    const { groups } = lexeme.exec(trimmed) ?? {};
    if (groups === undefined) return null;
    for (const kind of ["text", "name", "number", "word", "sign"] as const) {
      const found = groups[kind];
      if (found === undefined) continue;
      if (kind === "text") tokens.push({ kind, text: found.slice(1, -1).replaceAll("''", "'") });
      else if (kind === "name") tokens.push({ kind, text: found.slice(1, -1).replaceAll('""', '"') });
      else tokens.push({ kind, text: kind === "word" ? found.toLowerCase() : found });
    }
  }
  return tokens;
}

function peek({ tokens, at }: Reader, offset = 0): Token | undefined {
  return tokens[at + offset];
}

function isSign(reader: Reader, text: string, offset = 0): boolean {
  const token = peek(reader, offset);
  return token?.kind === "sign" && token.text === text;
}

function isWord(reader: Reader, text: string, offset = 0): boolean {
  const token = peek(reader, offset);
  return token?.kind === "word" && token.text === text;
}

function take(reader: Reader, text: string): boolean {
  if (!isSign(reader, text) && !isWord(reader, text)) return false;
  reader.at++;
  return true;
}

function need(reader: Reader, text: string): void {
  if (!take(reader, text)) throw new Unread();
}

function disjunction(reader: Reader): SqlNode {
  let left = conjunction(reader);
  while (take(reader, "or")) left = { kind: "binary", operator: "or", left, right: conjunction(reader) };
  return left;
}

function conjunction(reader: Reader): SqlNode {
  let left = negation(reader);
  while (take(reader, "and")) left = { kind: "binary", operator: "and", left, right: negation(reader) };
  return left;
}

function negation(reader: Reader): SqlNode {
  return take(reader, "not") ? { kind: "not", of: negation(reader) } : comparison(reader);
}

const comparing = ["=", "<>", "!=", "<", "<=", ">", ">=", "~~", "!~~", "~", "!~"];

function comparison(reader: Reader): SqlNode {
  let left = sum(reader);
  for (;;) {
    const token = peek(reader);
    if (token?.kind === "word" && token.text === "is") {
      reader.at++;
      const negated = take(reader, "not");
      const truth = ["true", "false"].find((word) => take(reader, word));
      if (truth === undefined) {
        need(reader, "null");
        left = { kind: "is_null", of: left, negated };
      } else left = isTruth(left, truth === "true", negated);
    } else if (token?.kind === "sign" && comparing.includes(token.text)) {
      reader.at++;
      left = compared(reader, token.text === "!=" ? "<>" : token.text, left);
    } else return left;
  }
}

/** `x IS TRUE` is never unknown: x has a value, and it is true. */
function isTruth(of: SqlNode, value: boolean, negated: boolean): SqlNode {
  const wanted: SqlNode = value === negated ? { kind: "not", of } : of;
  const known: SqlNode = { kind: "is_null", of, negated: !negated };
  return { kind: "binary", operator: negated ? "or" : "and", left: known, right: wanted };
}

function compared(reader: Reader, operator: string, left: SqlNode): SqlNode {
  for (const kind of ["any", "all"] as const) {
    if (!isWord(reader, kind) || !isSign(reader, "(", 1)) continue;
    reader.at += 2;
    const right = disjunction(reader);
    need(reader, ")");
    return { kind, operator, left, right };
  }
  return { kind: "binary", operator, left, right: sum(reader) };
}

function sum(reader: Reader): SqlNode {
  let left = product(reader);
  for (;;) {
    const operator = ["+", "-"].find((sign) => isSign(reader, sign));
    if (operator === undefined) return left;
    reader.at++;
    left = { kind: "binary", operator, left, right: product(reader) };
  }
}

function product(reader: Reader): SqlNode {
  let left = unary(reader);
  for (;;) {
    const operator = ["*", "/", "%"].find((sign) => isSign(reader, sign));
    if (operator === undefined) return left;
    reader.at++;
    left = { kind: "binary", operator, left, right: unary(reader) };
  }
}

function unary(reader: Reader): SqlNode {
  if (take(reader, "-")) return { kind: "negative", of: unary(reader) };
  let node = primary(reader);
  while (take(reader, "::")) node = { kind: "cast", type: typeName(reader), of: node };
  return node;
}

/** `character varying(10)[]`, `public.mood`, `timestamp with time zone`. */
function typeName(reader: Reader): string {
  const words: string[] = [];
  for (let token = peek(reader); token?.kind === "word" || token?.kind === "name"; token = peek(reader)) {
    const follows = ["varying", "precision", "with", "without", "time", "zone"].includes(token.text);
    if (words.length > 0 && !follows) break;
    words.push(token.text);
    reader.at++;
    if (take(reader, ".")) words.length = 0;
  }
  if (words.length === 0) throw new Unread();
  if (take(reader, "(")) while (!take(reader, ")")) if (reader.at++ >= reader.tokens.length) throw new Unread();
  while (take(reader, "[")) {
    need(reader, "]");
    words.push("[]");
  }
  return words.join(" ");
}

const unreadWords = [
  "case",
  "select",
  "exists",
  "in",
  "like",
  "ilike",
  "between",
  "similar",
  "collate",
  "distinct",
  "row",
];

function primary(reader: Reader): SqlNode {
  const token = peek(reader);
  if (token === undefined) throw new Unread();
  reader.at++;
  switch (token.kind) {
    case "text":
      return { kind: "text", value: token.text };
    case "number":
      return { kind: "number", text: token.text };
    case "name":
      return named(reader, token.text);
    case "sign":
      return token.text === "(" ? bracketed(reader) : refuse();
    case "word":
      return word(reader, token.text);
  }
}

function refuse(): never {
  throw new Unread();
}

/** Postgres prints `(SELECT auth.uid() AS uid)` for a subquery without a table. */
function bracketed(reader: Reader): SqlNode {
  const isSelect = take(reader, "select");
  const node = disjunction(reader);
  if (isSelect && take(reader, "as")) reader.at++;
  need(reader, ")");
  return node;
}

function word(reader: Reader, text: string): SqlNode {
  if (text === "true" || text === "false") return { kind: "bool", value: text === "true" };
  if (text === "null") return { kind: "null" };
  if (text === "current_date" || text === "current_timestamp") return { kind: "call", name: text, args: [] };
  if (text === "array" && take(reader, "[")) return { kind: "array", items: list(reader, "]") };
  if (unreadWords.includes(text)) throw new Unread();
  return named(reader, text);
}

function named(reader: Reader, first: string): SqlNode {
  const names = [first];
  while (take(reader, ".")) {
    const next = peek(reader);
    if (next?.kind !== "word" && next?.kind !== "name") throw new Unread();
    names.push(next.text);
    reader.at++;
  }
  if (take(reader, "(")) return { kind: "call", name: names.join("."), args: list(reader, ")") };
  return { kind: "column", name: names.at(-1) ?? first };
}

function list(reader: Reader, end: string): SqlNode[] {
  const items: SqlNode[] = [];
  if (take(reader, end)) return items;
  do items.push(disjunction(reader));
  while (take(reader, ","));
  need(reader, end);
  return items;
}
