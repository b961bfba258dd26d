// Parses field notation. In: a text `<type>[(args)][?] [modifier ...] [= default]`. Out: its parts with offsets. It
// only knows the grammar: no types, no modifiers, no other fields and entities.
import { longFormOf } from "../../text/long-form.ts";

export interface Part {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The text is without quotes; the offsets include them. */
export interface ArgumentPart extends Part {
  readonly quoted: boolean;
}

export interface TypeNotation {
  readonly name: Part;
  readonly end: number;
  readonly brackets: "()" | "[]" | "{}" | "<>" | null;
  /** The arguments in `()` and `[]`; an empty place (`string(,80)`) is an empty part. */
  readonly args: readonly ArgumentPart[];
  /** The text between `(` and `)`, as written. */
  readonly raw: Part | null;
  readonly members: readonly MemberNotation[];
  readonly of: TypeNotation | null;
}

interface MemberNotation {
  readonly name: Part;
  readonly type: TypeNotation;
  readonly optional: boolean;
}

export interface ModifierNotation {
  readonly name: Part;
  readonly args: readonly ArgumentPart[] | null;
  /** The text in its parentheses, as written: `fill` has an expression there and no arguments. */
  readonly raw: Part | null;
}

export interface FieldNotation {
  readonly type: TypeNotation;
  readonly optional: boolean;
  readonly modifiers: readonly ModifierNotation[];
  readonly default: DefaultNotation | null;
}

/** `text` is as written, `value` is without quotes and escapes. */
export interface DefaultNotation extends Part {
  readonly form: "word" | "quoted" | "brackets";
  readonly value: string;
}

interface NotationProblem {
  readonly message: string;
  readonly hint: string | null;
  readonly start: number;
  readonly end: number;
}

type NotationResult = { readonly notation: FieldNotation } | { readonly problem: NotationProblem };

/** An enum with 200 values of the maximum length fits. */
const NOTATION_LENGTH_MAX = 16_384;
/** `list<object{ a: list<string> }>`: deeper structures need their own entity. */
const TYPE_NESTING_MAX = 4;

interface Cursor {
  readonly text: string;
  at: number;
  problem: NotationProblem | null;
}

/** Parses a notation. It reports only the first problem, because the rest can't be trusted. */
export function parseFieldNotation(text: string): NotationResult {
  const cursor: Cursor = { text, at: 0, problem: null };
  const notation =
    text.length > NOTATION_LENGTH_MAX
      ? fail(
          cursor,
          `The notation of a field can have at most ${NOTATION_LENGTH_MAX} characters.`,
          null,
          0,
          text.length,
        )
      : parseField(cursor);
  if (notation !== null) return { notation };
  return {
    problem: cursor.problem ?? { message: "This notation is not valid.", hint: null, start: 0, end: text.length },
  };
}

function parseField(cursor: Cursor): FieldNotation | null {
  const type = parseType(cursor, 1);
  if (type === null) return null;
  skipBlanks(cursor);
  if (type.brackets !== null && "([".includes(cursor.text.charAt(cursor.at) || " ")) {
    const message = `\`${type.name.text}\` can't have limits in parentheses.`;
    const hint = longFormOf(cursor.text) ?? "Limits are keys of the long form: `{ type: list<string>, max: 5 }`.";
    return fail(cursor, message, hint, cursor.at, cursor.text.length);
  }
  const optional = take(cursor, "?");
  const modifiers: ModifierNotation[] = [];
  for (;;) {
    skipBlanks(cursor);
    const character = cursor.text.charAt(cursor.at);
    if (character === "" || character === "=") break;
    const modifier = parseModifier(cursor);
    if (modifier === null) return null;
    modifiers.push(modifier);
  }
  if (cursor.at >= cursor.text.length) return { type, optional, modifiers, default: null };
  const fallback = parseDefault(cursor.text, cursor.at + 1);
  if (fallback === null) {
    const hint = "Write a text with spaces in quotes.";
    return fail(cursor, "There can be only one default value after `=`.", hint, cursor.at + 1, cursor.text.length);
  }
  return { type, optional, modifiers, default: fallback };
}

function parseType(cursor: Cursor, depth: number): TypeNotation | null {
  const name = takeWord(cursor);
  if (name === null) {
    return fail(
      cursor,
      "The notation of a field must start with its type.",
      "For example `string`, `int?` or `enum[a, b] = a`.",
    );
  }
  skipBlanks(cursor);
  const open = cursor.at;
  const plain = { name, end: name.end, brackets: null, args: [], raw: null, members: [], of: null };
  const bracket = cursor.text.charAt(open);
  if (bracket !== "" && "<{".includes(bracket) && depth >= TYPE_NESTING_MAX) {
    return fail(cursor, `A type can be nested at most ${TYPE_NESTING_MAX} levels deep.`, "Make it an entity instead.");
  }
  if (bracket === "<") {
    cursor.at++;
    const of = parseType(cursor, depth + 1);
    if (of === null) return null;
    if (!take(cursor, ">"))
      return fail(cursor, "`<` has no closing `>`.", "For example `list<string>`.", open, open + 1);
    return { ...plain, end: cursor.at, brackets: "<>", of };
  }
  if (bracket === "{") {
    const members = parseMembers(cursor, depth);
    return members === null ? null : { ...plain, end: cursor.at, brackets: "{}", members };
  }
  if (bracket !== "(" && bracket !== "[") {
    cursor.at = name.end;
    return plain;
  }
  const raw = takeBracketed(cursor);
  if (raw === null) return null;
  const named = /^\s*(?:min|max)\b/.test(raw.text) && name.text !== "computed" ? longFormOf(cursor.text) : null;
  if (named !== null && bracket === "(")
    return fail(cursor, "The arguments in parentheses can't have names.", named, raw.start, raw.end);
  const args = name.text === "computed" ? [] : splitArguments(cursor, raw, name.text === "string");
  if (args === null) return null;
  return { ...plain, end: cursor.at, brackets: bracket === "(" ? "()" : "[]", args, raw };
}

function parseMembers(cursor: Cursor, depth: number): MemberNotation[] | null {
  const open = cursor.at++;
  const members: MemberNotation[] = [];
  const hint = "For example `object{ street: string, zip: string? }`.";
  if (take(cursor, "}")) return members;
  for (;;) {
    const name = takeWord(cursor);
    if (name === null || !take(cursor, ":")) {
      return fail(cursor, "Write the members of an object as `name: type`.", hint, open, open + 1);
    }
    const type = parseType(cursor, depth + 1);
    if (type === null) return null;
    members.push({ name, type, optional: take(cursor, "?") });
    if (take(cursor, "}")) return members;
    if (!take(cursor, ",")) return fail(cursor, "`{` has no closing `}`.", hint, open, open + 1);
  }
}

function parseModifier(cursor: Cursor): ModifierNotation | null {
  const at = cursor.at;
  if (cursor.text.charAt(at) === "?") return fail(cursor, "`?` must come directly after the type.", null, at, at + 1);
  const name = takeWord(cursor);
  if (name === null) {
    const character = cursor.text.charAt(at);
    return fail(
      cursor,
      `\`${character}\` has no meaning here.`,
      "After the type, write `?`, modifiers such as `unique`, and `= default`.",
      at,
      at + 1,
    );
  }
  if (cursor.text.charAt(cursor.at) !== "(") return { name, args: null, raw: null };
  const raw = takeBracketed(cursor);
  if (raw === null) return null;
  const args = name.text === "fill" ? [] : splitArguments(cursor, raw, false);
  return args === null ? null : { name, args, raw };
}

/** The text between the bracket at the cursor and its closing bracket. */
function takeBracketed(cursor: Cursor): Part | null {
  const { text, at } = cursor;
  const close = closingOf(text, at);
  if (close === -1) {
    const open = text.charAt(at);
    return fail(
      cursor,
      `\`${open}\` has no closing \`${closing[open]}\`.`,
      `Add \`${closing[open]}\` at the end.`,
      at,
      at + 1,
    );
  }
  cursor.at = close + 1;
  return { text: text.slice(at + 1, close), start: at + 1, end: close };
}

const closing: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}" };

/** The closing bracket for the one at `open`, ignoring quotes and brackets inside; -1 if there is none. */
function closingOf(text: string, open: number): number {
  const expected: string[] = [];
  for (let i = open; i < text.length; i++) {
    const character = text.charAt(i);
    const close = closing[character];
    if (character === '"' || character === "'") {
      i = endOfQuote(text, i);
      if (i === -1) return -1;
    } else if (close !== undefined) expected.push(close);
    else if (character === "]" || character === ")" || character === "}") {
      if (expected.pop() !== character) return -1;
      if (expected.length === 0) return i;
    }
  }
  return -1;
}

/** The closing quote for the one at `start`; in double quotes a backslash escapes. */
function endOfQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let i = start + 1; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === "\\" && quote === '"') i++;
    else if (character === quote) return i;
  }
  return -1;
}

/** The parts between commas. An empty part is a missing argument, where this is allowed. */
function splitArguments(cursor: Cursor, raw: Part, emptyPlaces: boolean): ArgumentPart[] | null {
  if (raw.text.trim() === "") return [];
  const args: ArgumentPart[] = [];
  let start = raw.start;
  for (let at = raw.start; at <= raw.end; at++) {
    const character = at === raw.end ? "," : cursor.text.charAt(at);
    // Both end inside, because the bracket around them has a closing bracket.
    if (character === '"' || character === "'") at = Math.max(at, endOfQuote(cursor.text, at));
    else if (closing[character] !== undefined) at = Math.max(at, closingOf(cursor.text, at));
    else if (character === ",") {
      const arg = argumentAt(cursor, start, at);
      if (arg === null) return null;
      if (arg.text === "" && !arg.quoted && !emptyPlaces) {
        return fail(cursor, "There is nothing between two commas.", null, start, at);
      }
      args.push(arg);
      start = at + 1;
    }
  }
  return args;
}

function argumentAt(cursor: Cursor, from: number, to: number): ArgumentPart | null {
  const written = cursor.text.slice(from, to);
  const text = written.trim();
  const start = text === "" ? from : from + written.indexOf(text.charAt(0));
  const end = start + text.length;
  const content = unquote(text);
  if (content !== null) return { text: content, start, end, quoted: true };
  if (/["'\s]/.test(text))
    return fail(cursor, "This is not a list of words.", "Separate them with commas.", start, end);
  return { text, start, end, quoted: false };
}

function parseDefault(text: string, from: number): DefaultNotation | null {
  const written = text.slice(from).trim();
  const start = from + text.slice(from).length - text.slice(from).trimStart().length;
  const part = { text: written, start, end: start + written.length };
  if (written === "") return null;
  const value = unquote(written);
  if (value !== null) return { ...part, form: "quoted", value };
  if (/^[[{]/.test(written)) {
    return closingOf(text, start) === part.end - 1 ? { ...part, form: "brackets", value: written } : null;
  }
  return /["'\s]/.test(written) ? null : { ...part, form: "word", value: written };
}

/** The content of a text in quotes; null if it has none. Double quotes escape as in JSON, single quotes by doubling. */
export function unquote(text: string): string | null {
  if (/^'(?:''|[^'])*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (!/^"(?:\\.|[^"\\])*"$/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

function takeWord(cursor: Cursor): Part | null {
  skipBlanks(cursor);
  const word = /[A-Za-z0-9_][A-Za-z0-9_-]*/y;
  word.lastIndex = cursor.at;
  const match = word.exec(cursor.text);
  if (match === null) return null;
  cursor.at = word.lastIndex;
  return { text: match[0], start: match.index, end: cursor.at };
}

function take(cursor: Cursor, character: string): boolean {
  const before = cursor.at;
  skipBlanks(cursor);
  if (cursor.text.charAt(cursor.at) !== character) {
    cursor.at = before;
    return false;
  }
  cursor.at++;
  return true;
}

function skipBlanks(cursor: Cursor): void {
  while (/\s/.test(cursor.text.charAt(cursor.at))) cursor.at++;
}

function fail(
  cursor: Cursor,
  message: string,
  hint: string | null,
  start: number = cursor.at,
  end: number = Math.min(cursor.at + 1, cursor.text.length),
): null {
  cursor.problem ??= { message, hint, start, end };
  return null;
}
