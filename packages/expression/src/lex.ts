// The lexer. In: the text of an expression. Out: its next token, or `Unreadable` with the position and a hint. It reads
// each character once, and doesn't know the meaning of words.
import type { Located } from "./syntax.ts";

export interface Token extends Located {
  readonly kind: "name" | "number" | "text" | "bytes" | "sign" | "end";
  /** The name, the number's digits, the text's value, or the sign. */
  readonly text: string;
}

/** Thrown only inside the parser: the rest of the text can't be parsed. */
export class Unreadable extends Error {
  readonly start: number;
  readonly end: number;
  readonly hint: string | null;
  readonly tooLarge: boolean;

  constructor(at: Located, message: string, hint: string | null = null, tooLarge = false) {
    super(message);
    this.start = at.start;
    this.end = at.end;
    this.hint = hint;
    this.tooLarge = tooLarge;
  }
}

const doubleSigns: readonly string[] = ["==", "!=", "<=", ">=", "&&", "||"];
const singleSigns = "<>+-*/%!()[]{}.,:?";
const simpleEscapes: Readonly<Record<string, string>> = {
  "\\": "\\",
  "?": "?",
  '"': '"',
  "'": "'",
  "`": "`",
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The token at `from`, or after the spaces and comments there. */
export function nextToken(source: string, from: number): Token {
  const start = skipBlanks(source, from);
  const first = source[start];
  if (first === undefined) return { kind: "end", text: "", start, end: start };
  if (first === '"' || first === "'") return textAt(source, start, start, "");
  const second = source[start + 1];
  if ((second === '"' || second === "'") && "rRbB".includes(first)) {
    return textAt(source, start, start + 1, first.toLowerCase());
  }
  if (isNameStart(first)) return nameAt(source, start);
  if (isDigit(first)) return numberAt(source, start);
  if (doubleSigns.includes(first + (second ?? ""))) return sign(source, start, 2);
  if (singleSigns.includes(first)) return sign(source, start, 1);
  throw unexpected(source, start);
}

function skipBlanks(source: string, from: number): number {
  let at = from;
  for (;;) {
    const one = source[at];
    if (one === " " || one === "\t" || one === "\n" || one === "\r") at++;
    else if (one === "/" && source[at + 1] === "/") {
      while (at < source.length && source[at] !== "\n") at++;
    } else return at;
  }
}

function unexpected(source: string, start: number): Unreadable {
  const point = source.codePointAt(start) ?? 0;
  const found = String.fromCodePoint(point);
  const at = { start, end: start + found.length };
  if (found === "=") return new Unreadable(at, "`=` is not an operator in rules.", "Compare with `==`.");
  if (found === "&" || found === "|") {
    return new Unreadable(at, `\`${found}\` is not an operator in rules.`, `Write \`${found}${found}\`.`);
  }
  if ("“”„‘’‚«»´`".includes(found)) {
    return new Unreadable(at, `\`${found}\` is not a valid quotation mark.`, 'Write straight quotes: `"text"`.');
  }
  if (found === "$") {
    return new Unreadable(at, "`$` has no meaning in a rule.", "Write only the name, without `${{ }}`.");
  }
  const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  const isSeen = point > 127 && found.trim() !== "" && source.isWellFormed();
  const hint = isSeen
    ? `Names use only the letters a to z, but this is ${code}.`
    : point > 127 || point < 33
      ? `This is ${code}. Remove it.`
      : null;
  return new Unreadable(at, `The expression has an unexpected \`${isSeen || point < 128 ? found : code}\`.`, hint);
}

function sign(source: string, start: number, length: number): Token {
  return { kind: "sign", text: source.slice(start, start + length), start, end: start + length };
}

function nameAt(source: string, start: number): Token {
  let end = start;
  while (end < source.length && (isNameStart(source[end] ?? "") || isDigit(source[end] ?? ""))) end++;
  return { kind: "name", text: source.slice(start, end), start, end };
}

function numberAt(source: string, start: number): Token {
  const isHex = source[start] === "0" && (source[start + 1] === "x" || source[start + 1] === "X");
  let end = isHex ? start + 2 : digitsFrom(source, start);
  if (isHex) {
    while (isHexDigit(source[end])) end++;
    if (end === start + 2) throw new Unreadable({ start, end }, "There is no number after `0x`.");
  } else {
    if (source[end] === "." && isDigit(source[end + 1] ?? "")) end = digitsFrom(source, end + 1);
    if (source[end] === "e" || source[end] === "E") {
      const from = source[end + 1] === "-" || source[end + 1] === "+" ? end + 2 : end + 1;
      const last = digitsFrom(source, from);
      if (last === from) throw new Unreadable({ start, end: from }, "The exponent of this number is missing.");
      end = last;
    }
  }
  const next = source[end] ?? "";
  if (next !== "u" && next !== "U" && isNameStart(next)) {
    throw new Unreadable(
      { start, end: end + 1 },
      "A name can't start with a digit.",
      'Write a text in quotes: `"1h"`.',
    );
  }
  const text = source.slice(start, end);
  const unsigned = next === "u" || next === "U";
  return {
    kind: "number",
    text: unsigned ? `${text}u` : isHex ? String(BigInt(text)) : text,
    start,
    end: unsigned ? end + 1 : end,
  };
}

function digitsFrom(source: string, from: number): number {
  let at = from;
  while (isDigit(source[at] ?? "")) at++;
  return at;
}

/** A text, from its prefix (`r` for raw, `b` for bytes) to its closing quote. */
function textAt(source: string, start: number, quoteAt: number, prefix: string): Token {
  const quote = source[quoteAt] ?? "";
  const isTriple = source.startsWith(quote.repeat(3), quoteAt);
  const fence = isTriple ? quote.repeat(3) : quote;
  const parts: string[] = [];
  let at = quoteAt + fence.length;
  let from = at;
  while (!source.startsWith(fence, at)) {
    const one = source[at];
    if (one === undefined || (!isTriple && (one === "\n" || one === "\r"))) {
      throw new Unreadable({ start, end: at }, "This text has no closing quotation mark.");
    }
    if (one === "\\" && prefix !== "r") {
      parts.push(source.slice(from, at));
      const escaped = escapeAt(source, at, prefix === "b");
      parts.push(escaped.text);
      at = escaped.end;
      from = at;
    } else at += one === "\\" && source[at + 1] !== undefined ? 2 : 1;
  }
  parts.push(source.slice(from, at));
  return { kind: prefix === "b" ? "bytes" : "text", text: parts.join(""), start, end: at + fence.length };
}

function escapeAt(source: string, start: number, bytes: boolean): { text: string; end: number } {
  const letter = source[start + 1] ?? "";
  const simple = Object.hasOwn(simpleEscapes, letter) ? simpleEscapes[letter] : undefined;
  if (simple !== undefined) return { text: simple, end: start + 2 };
  const octal = letter >= "0" && letter <= "3";
  const lengths: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };
  const length = octal ? 3 : Object.hasOwn(lengths, letter) ? (lengths[letter] ?? 0) : 0;
  const from = octal ? start + 1 : start + 2;
  const digits = source.slice(from, from + length);
  let valid = length > 0 && digits.length === length && !(bytes && letter.toLowerCase() === "u");
  for (const digit of digits) if (octal ? digit < "0" || digit > "7" : !isHexDigit(digit)) valid = false;
  const point = valid ? Number.parseInt(digits, octal ? 8 : 16) : -1;
  if (point < 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
    const at = { start, end: Math.min(start + 2, source.length) };
    throw new Unreadable(
      at,
      `\`\\${letter}\` is not a valid escape sequence.`,
      'Write a backslash as `\\\\`, or use a raw text: `r"\\d+"`.',
    );
  }
  return { text: String.fromCodePoint(point), end: from + length };
}

function isNameStart(one: string): boolean {
  return (one >= "a" && one <= "z") || (one >= "A" && one <= "Z") || one === "_";
}

function isDigit(one: string): boolean {
  return one >= "0" && one <= "9";
}

function isHexDigit(one: string | undefined): boolean {
  return one !== undefined && (isDigit(one) || (one >= "a" && one <= "f") || (one >= "A" && one <= "F"));
}
