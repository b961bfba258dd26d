// In: the notation of a field, `<type>[(args)][?] [modifier ...] [= default]`. Out: its parts with offsets.
// It knows the grammar and which types and modifiers exist; it never looks at other fields or entities.

export interface Part {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface FieldNotation {
  readonly type: Part;
  /** Values of `enum[...]`, or the arguments in parentheses. */
  readonly args: readonly Part[];
  readonly brackets: "[]" | "()" | null;
  readonly optional: boolean;
  readonly modifiers: readonly { readonly name: Part; readonly args: readonly Part[] | null }[];
  readonly default: DefaultNotation | null;
}

/** A quoted default is a text; a plain one is read by the field's type. */
export interface DefaultNotation extends Part {
  readonly quoted: boolean;
  /** The text without quotes and escapes. */
  readonly value: string;
}

export type NotationResult =
  | { readonly notation: FieldNotation }
  | {
      readonly problem: {
        readonly message: string;
        readonly hint: string | null;
        readonly start: number;
        readonly end: number;
      };
    };

export const servedTypes: readonly string[] = [
  "string",
  "text",
  "email",
  "int",
  "bool",
  "datetime",
  "uuid",
  "enum",
  "user_ref",
  "ref",
  "file",
];

/** Types of the language that nothing serves yet. */
export const laterTypes: readonly string[] = [
  "markdown",
  "slug",
  "url",
  "phone",
  "color",
  "bigint",
  "float",
  "decimal",
  "money",
  "percent",
  "date",
  "time",
  "duration",
  "timezone",
  "enum_set",
  "country",
  "currency",
  "locale",
  "json",
  "object",
  "list",
  "i18n",
  "point",
  "vector",
  "image",
  "org_ref",
  "refs",
  "secret",
  "sequence",
  "computed",
];

export const servedModifiers: readonly string[] = ["unique"];
export const laterModifiers: readonly string[] = [
  "index",
  "immutable",
  "readonly",
  "internal",
  "pii",
  "searchable",
  "was",
  "deprecated",
];

const token =
  /\s*(?:([A-Za-z0-9_][A-Za-z0-9_-]*)|("(?:\\.|[^"\\])*"|'(?:''|[^'])*')|([[\](){}<>,?=])|([^\s[\](){}<>,?="']+))/y;

interface Token extends Part {
  readonly kind: "word" | "quoted" | "mark" | "other";
}

/** Parses a notation. Only the first problem is told: what follows it can't be trusted. */
export function parseFieldNotation(text: string): NotationResult {
  const cut = splitDefault(text);
  const tokens = tokenize(cut.head);
  let next = 0;
  const peek = (): Token | undefined => tokens[next];
  const end = { start: cut.head.trimEnd().length, end: cut.head.trimEnd().length };
  const wrong = (
    message: string,
    hint: string | null,
    at: { start: number; end: number } = peek() ?? end,
  ): NotationResult => ({
    problem: { message, hint, start: at.start, end: at.end },
  });

  const type = peek();
  if (type?.kind !== "word")
    return wrong("A field begins with its type.", "For example `string`, `int?` or `enum[a, b] = a`.");
  next++;
  let args: readonly Part[] = [];
  let brackets: "[]" | "()" | null = null;
  const open = peek();
  if (open !== undefined && (open.text === "[" || open.text === "(" || open.text === "{" || open.text === "<")) {
    const list = listFrom(tokens, next);
    if (list === null)
      return wrong(`\`${open.text}\` is not closed, or what it holds is not a list of words.`, null, open);
    if (open.text === "[" || open.text === "(") brackets = open.text === "[" ? "[]" : "()";
    args = list.items;
    next = list.next;
  }
  const optional = peek()?.text === "?";
  if (optional) next++;
  const modifiers: { name: Part; args: readonly Part[] | null }[] = [];
  for (let name = peek(); name !== undefined; name = peek()) {
    if (name.text === "?") return wrong("`?` stands right behind the type.", null);
    if (name.kind !== "word")
      return wrong(
        `\`${name.text}\` has no meaning here.`,
        "Behind the type stand `?`, modifiers such as `unique`, and `= default`.",
      );
    next++;
    const list = peek()?.text === "(" ? listFrom(tokens, next) : undefined;
    if (list === null) return wrong("`(` is not closed.", null);
    if (list !== undefined) next = list.next;
    modifiers.push({ name, args: list?.items ?? null });
  }
  const fallback = cut.tail === null ? null : parseDefault(text, cut.tail);
  if (cut.tail !== null && fallback === null) {
    return wrong("Behind `=` stands one default value.", "A text with blanks is written in quotes.", {
      start: cut.tail,
      end: text.length,
    });
  }
  return { notation: { type, args, brackets, optional, modifiers, default: fallback } };
}

/** Splits at the first `=` outside quotes and brackets. `tail` is the offset behind it. */
function splitDefault(text: string): { head: string; tail: number | null } {
  let quote: string | null = null;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (quote !== null) {
      if (character === "\\" && quote === '"') i++;
      else if (character === quote) quote = null;
    } else if (character === '"' || character === "'") quote = character;
    else if ("[({<".includes(character)) depth++;
    else if ("])}>".includes(character)) depth--;
    else if (character === "=" && depth === 0) return { head: text.slice(0, i), tail: i + 1 };
  }
  return { head: text, tail: null };
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [whole, word, quoted, mark, other] = match;
    const content = word ?? quoted ?? mark ?? other ?? "";
    const end = match.index + whole.length;
    const kind = word !== undefined ? "word" : quoted !== undefined ? "quoted" : mark !== undefined ? "mark" : "other";
    tokens.push({ kind, text: content, start: end - content.length, end });
  }
  return tokens;
}

const closing: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}", "<": ">" };

/** Items between brackets, parted by commas. Null where a bracket or a comma is out of place. */
function listFrom(tokens: readonly Token[], from: number): { items: Part[]; next: number } | null {
  const close = closing[tokens[from]?.text ?? ""];
  const items: Part[] = [];
  for (let i = from + 1; i < tokens.length; i++) {
    const one = tokens[i];
    if (one === undefined) return null;
    if (one.text === close && items.length === 0) return { items, next: i + 1 };
    if (one.kind === "mark") return null;
    items.push(one.kind === "quoted" ? { ...one, text: unquote(one.text) ?? one.text } : one);
    const behind = tokens[i + 1];
    if (behind?.text === close) return { items, next: i + 2 };
    if (behind?.text !== ",") return null;
    i++;
  }
  return null;
}

function parseDefault(text: string, from: number): DefaultNotation | null {
  const written = text.slice(from).trim();
  const start = from + text.slice(from).length - text.slice(from).trimStart().length;
  const part = { text: written, start, end: start + written.length };
  if (written === "") return null;
  const value = unquote(written);
  if (value !== null) return { ...part, quoted: true, value };
  return /["'\s]/.test(written) ? null : { ...part, quoted: false, value: written };
}

/** The content of a text in quotes; null where it is none. Double quotes escape as in JSON, single ones by doubling. */
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
