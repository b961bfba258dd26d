// Parses patterns. In: a pattern in RE2 syntax. Out: its tree, or the first part that our subset doesn't support.
// Unsupported parts mean something else in Postgres or have no time limit: look-around, back-references, word
// boundaries, flags.

/** Code points from `from` to `to`, both included. */
export interface Member {
  readonly from: number;
  readonly to: number;
}

export type PatternNode =
  | { readonly kind: "empty" }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  /** One code point that is among the members, or is not if negated. */
  | { readonly kind: "members"; readonly members: readonly Member[]; readonly negated: boolean }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly items: readonly PatternNode[] }
  /** `max` is null if there is no limit. */
  | { readonly kind: "repeat"; readonly item: PatternNode; readonly min: number; readonly max: number | null };

export interface PatternProblem {
  readonly message: string;
  readonly hint: string | null;
  /** Offsets into the pattern, end exclusive. */
  readonly start: number;
  readonly end: number;
}

export type ParsedPattern = { readonly node: PatternNode } | { readonly problem: PatternProblem };

const PATTERN_LENGTH_MAX = 500;
const DEPTH_MAX = 20;
/** The limit of Postgres is 255. */
const TIMES_MAX = 255;
/** The maximum number of single-character steps after all repetitions are expanded. It limits the time of a match. */
const STEPS_MAX = 1_000;
/** Postgres needs at least quadratic time: 70 ms for this many, five seconds for 700. */
const OPTIONAL_PARTS_MAX = 128;

const digits: readonly Member[] = [{ from: 48, to: 57 }];
const wordCharacters: readonly Member[] = [
  { from: 48, to: 57 },
  { from: 65, to: 90 },
  { from: 95, to: 95 },
  { from: 97, to: 122 },
];
/** In RE2, the vertical tab is not one of them. */
const spaces: readonly Member[] = [
  { from: 9, to: 10 },
  { from: 12, to: 13 },
  { from: 32, to: 32 },
];
const classes: Readonly<Record<string, readonly Member[]>> = { d: digits, w: wordCharacters, s: spaces };
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, f: 12, r: 13 };

export function parsePattern(pattern: string): ParsedPattern {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    const message = `The pattern has ${pattern.length} characters. The maximum is ${PATTERN_LENGTH_MAX}.`;
    return { problem: { message, hint: null, start: 0, end: pattern.length } };
  }
  const parser = new PatternParser(pattern);
  const node = parser.parse();
  return parser.problem === null && node !== null
    ? { node }
    : {
        problem: parser.problem ?? { message: "The pattern is not valid.", hint: null, start: 0, end: pattern.length },
      };
}

/** A method returns null once `problem` is set. */
class PatternParser {
  problem: PatternProblem | null = null;
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  parse(): PatternNode | null {
    if (!this.text.isWellFormed() || this.text.includes("\u0000")) {
      return this.fail(0, this.text.length, "The pattern contains a NUL character or half of a surrogate pair.");
    }
    const node = this.choice(0);
    if (node === null) return null;
    if (this.at < this.text.length)
      return this.fail(this.at, this.at + 1, "This `)` has no opening `(`.", "Write `\\)`.");
    const tooMuch = stepsOf(node) > STEPS_MAX || optionalPartsOf(node) > OPTIONAL_PARTS_MAX;
    return tooMuch ? this.fail(0, this.text.length, "The repetitions in the pattern are too large.") : node;
  }

  private choice(depth: number): PatternNode | null {
    if (depth > DEPTH_MAX) return this.fail(this.at, this.at, "The pattern is nested too deep.");
    const items: PatternNode[] = [];
    do {
      if (items.length > 0) this.at++;
      const item = this.sequence(depth);
      if (item === null) return null;
      items.push(item);
    } while (this.text[this.at] === "|");
    return items.length === 1 ? (items[0] ?? null) : { kind: "choice", items };
  }

  private sequence(depth: number): PatternNode | null {
    const items: PatternNode[] = [];
    while (this.at < this.text.length && this.text[this.at] !== "|" && this.text[this.at] !== ")") {
      const start = this.at;
      const atom = this.atom(depth);
      if (atom === null) return null;
      const item = this.repeated(atom, start);
      if (item === null) return null;
      items.push(item);
    }
    if (items.length === 0) return { kind: "empty" };
    return items.length === 1 ? (items[0] ?? null) : { kind: "sequence", items };
  }

  private atom(depth: number): PatternNode | null {
    const start = this.at;
    const point = this.text.codePointAt(start) ?? 0;
    const character = String.fromCodePoint(point);
    this.at += character.length;
    switch (character) {
      case "(":
        return this.group(start, depth);
      case "[":
        return this.bracket(start);
      case "^":
        return { kind: "start" };
      case "$":
        return { kind: "end" };
      case ".":
        return { kind: "members", members: [{ from: 10, to: 10 }], negated: true };
      case "\\":
        return this.escape(start);
      case "*":
      case "+":
      case "?":
        return this.fail(
          start,
          this.at,
          `There is nothing before \`${character}\` to repeat.`,
          `Write \`\\${character}\`.`,
        );
      case "{":
      case "}":
      case "]":
        return this.fail(
          start,
          this.at,
          `\`${character}\` is not supported without a backslash.`,
          `Write \`\\${character}\`.`,
        );
      default:
        return one(point);
    }
  }

  private group(start: number, depth: number): PatternNode | null {
    if (this.text[this.at] === "?") {
      if (this.text[this.at + 1] !== ":") {
        return this.fail(
          start,
          this.at + 2,
          "Groups can't have flags, names or look-around.",
          "Write `(?:...)` or `(...)`.",
        );
      }
      this.at += 2;
    }
    const node = this.choice(depth + 1);
    if (node === null) return null;
    if (this.text[this.at] !== ")")
      return this.fail(start, start + 1, "This `(` has no closing `)`.", "Write `\\(` for the character.");
    this.at++;
    return node;
  }

  private repeated(atom: PatternNode, start: number): PatternNode | null {
    const times = this.times();
    if (times === undefined) return atom;
    if (times === null) return null;
    if (this.text[this.at] === "?") this.at++;
    const sign = this.text[this.at] ?? "";
    if (sign !== "" && "*+?{".includes(sign))
      return this.fail(this.at, this.at + 1, "A repetition can't directly follow another one.", "Use a group.");
    if (stepsOf(atom) === 0) return this.fail(start, this.at, "There is nothing here to repeat.");
    return { kind: "repeat", item: atom, ...times };
  }

  /** Undefined if nothing is repeated. A `?` after it changes how much matches, never whether, so it is ignored. */
  private times(): { min: number; max: number | null } | undefined | null {
    const start = this.at;
    switch (this.text[start]) {
      case "*":
        this.at++;
        return { min: 0, max: null };
      case "+":
        this.at++;
        return { min: 1, max: null };
      case "?":
        this.at++;
        return { min: 0, max: 1 };
      case "{": {
        const close = this.text.indexOf("}", start);
        const [low = "", high, more] = close === -1 ? [] : this.text.slice(start + 1, close).split(",");
        const min = count(low);
        const max = high === undefined ? min : high === "" ? null : count(high);
        if (min === -1 || max === -1 || more !== undefined) {
          return this.fail(
            start,
            start + 1,
            "This is not a valid repetition.",
            "Write `{2}`, `{2,}` or `{2,5}`. Write `\\{` for the character.",
          );
        }
        if (min > TIMES_MAX || (max !== null && (max > TIMES_MAX || max < min))) {
          return this.fail(
            start,
            close + 1,
            `The second number of a repetition must not be smaller than the first, and both can be at most ${TIMES_MAX}.`,
          );
        }
        this.at = close + 1;
        return { min, max };
      }
      default:
        return undefined;
    }
  }

  private escape(start: number): PatternNode | null {
    const set = this.escaped(start);
    if (set === null) return null;
    return { kind: "members", members: set.members, negated: set.negated };
  }

  /** The character after a backslash. */
  private escaped(start: number): { members: readonly Member[]; negated: boolean } | null {
    const point = this.text.codePointAt(this.at);
    if (point === undefined) return this.fail(start, this.at, "A pattern can't end with a backslash.");
    const character = String.fromCodePoint(point);
    this.at += character.length;
    const known = classes[character.toLowerCase()];
    if (known !== undefined && point < 128) return { members: known, negated: character !== character.toLowerCase() };
    const control = controls[character];
    if (control !== undefined) return { members: [{ from: control, to: control }], negated: false };
    if (character === "A") return this.fail(start, this.at, "`\\A` is not supported.", "Write `^`.");
    if (character === "z") return this.fail(start, this.at, "`\\z` is not supported.", "Write `$`.");
    const isSign = point < 128 && !isWord(point) && point >= 32;
    if (isSign) return { members: [{ from: point, to: point }], negated: false };
    return this.fail(
      start,
      this.at,
      `\`\\${character}\` is not supported in patterns.`,
      "There are `\\d`, `\\w`, `\\s`, `\\n`, `\\t` and signs.",
    );
  }

  private bracket(start: number): PatternNode | null {
    const negated = this.text[this.at] === "^";
    if (negated) this.at++;
    const members: Member[] = [];
    while (this.text[this.at] !== "]" || members.length === 0) {
      if (this.at >= this.text.length)
        return this.fail(start, start + 1, "This `[` has no closing `]`.", "Write `\\[` for the character.");
      if (this.text[this.at] === "[") {
        return this.fail(this.at, this.at + 1, "A `[` inside `[...]` is not supported.", "Write `\\[`.");
      }
      const from = this.bracketMember();
      if (from === null) return null;
      const [only] = from;
      const ranges = this.text[this.at] === "-" && this.text[this.at + 1] !== "]" && this.at + 1 < this.text.length;
      if (!ranges) {
        members.push(...from);
        continue;
      }
      const dash = this.at++;
      const to = this.bracketMember();
      if (to === null) return null;
      const [last] = to;
      if (from.length !== 1 || to.length !== 1 || only === undefined || last === undefined || only.from > last.from) {
        return this.fail(dash, this.at, "This is not a valid range.", "Write `\\-` for the character.");
      }
      members.push({ from: only.from, to: last.to });
    }
    this.at++;
    return { kind: "members", members, negated };
  }

  private bracketMember(): readonly Member[] | null {
    const start = this.at;
    const point = this.text.codePointAt(start) ?? 0;
    this.at += String.fromCodePoint(point).length;
    if (point !== 92) return [{ from: point, to: point }];
    const set = this.escaped(start);
    if (set === null) return null;
    if (set.negated) return this.fail(start, this.at, "A negated class can't be used inside `[...]`.");
    return set.members;
  }

  private fail(start: number, end: number, message: string, hint: string | null = null): null {
    this.problem ??= { message, hint, start, end: Math.min(end, this.text.length) };
    return null;
  }
}

function one(point: number): PatternNode {
  return { kind: "members", members: [{ from: point, to: point }], negated: false };
}

function stepsOf(node: PatternNode): number {
  switch (node.kind) {
    case "empty":
    case "start":
    case "end":
      return 0;
    case "members":
      return 1;
    case "sequence":
    case "choice":
      return node.items.reduce((sum, item) => sum + stepsOf(item), 0);
    case "repeat":
      return stepsOf(node.item) * Math.max(1, node.max ?? node.min);
  }
}

/** Parts in sequence that can each be left out. A repetition of a part that is never empty is one. */
function optionalPartsOf(node: PatternNode): number {
  switch (node.kind) {
    case "empty":
    case "start":
    case "end":
      return 0;
    case "members":
      return 1;
    case "sequence":
    case "choice":
      return node.items.reduce((sum, item) => sum + optionalPartsOf(item), 0);
    case "repeat":
      return optionalPartsOf(node.item) * (canBeEmpty(node.item) ? Math.max(1, node.max ?? node.min) : 1);
  }
}

function canBeEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case "empty":
    case "start":
    case "end":
      return true;
    case "members":
      return false;
    case "sequence":
      return node.items.every(canBeEmpty);
    case "choice":
      return node.items.some(canBeEmpty);
    case "repeat":
      return node.min === 0 || canBeEmpty(node.item);
  }
}

function count(text: string): number {
  if (text === "" || text.length > 4) return -1;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 48 || text.charCodeAt(at) > 57) return -1;
  return Number(text);
}

function isWord(point: number): boolean {
  return wordCharacters.some(({ from, to }) => point >= from && point <= to);
}
