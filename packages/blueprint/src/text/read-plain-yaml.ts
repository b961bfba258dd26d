// A fast reader for plain YAML. In: the text of a blueprint. Out: its syntax, if it only uses plain YAML, as nearly
// every blueprint does: keys that are words, one-line values, brackets that are closed on their line, blocks of text.
// Null if there is any doubt: then `parse.ts` uses a full YAML parser, which takes ten times as long. It never reports
// problems, and never differs from that parser.
import type { ListNode, MapEntry, MapNode, Node, Range, ScalarNode } from "./syntax.ts";

/** Texts up to this size can't exceed the limits of `parse.ts`. */
const STEPS_MAX = 60_000;
const LENGTH_MAX = 262_144;
const NESTING_MAX = 30;

/** `transition:publish` is a key with one word. */
const keyAt = /[A-Za-z_](?:[\w./@-]|:(?=\w))*(?=:(?:[ \n]|$))/y;
const plainStart = /[A-Za-z0-9_($./+<=~^\\;\u00a0-\uffff]|-(?=[\w.])/y;
const plainInFlow = /(?:[^,[\]{}\n#:]|:(?=[^ ,[\]{}\n]))+/y;
const quotedAt = /"([^"\\\n]*)"|'([^'\n]*)'(?!')/y;
const lineRest = /[^\n]*/y;
const doubtful = /[^\n\u0020-\u007e\u00a0-\ufefe\uff00-\uffff]/;

export function readPlainYaml(source: string): MapNode | null {
  if (source.length > LENGTH_MAX || doubtful.test(source)) return null;
  let at = 0;
  let steps = 0;
  let depth = 0;

  const match = (pattern: RegExp, from = at): RegExpExecArray | null => {
    pattern.lastIndex = from;
    return pattern.exec(source);
  };

  function skipSpaces(): void {
    while (source[at] === " ") at++;
  }

  /** Skips to the next line that isn't empty. Returns its indentation, -1 at the end of the text. */
  function nextLine(): number {
    for (;;) {
      steps++;
      const start = at;
      skipSpaces();
      if (at >= source.length) return -1;
      if (source[at] !== "\n" && source[at] !== "#") {
        const indent = at - start;
        at = start;
        return indent;
      }
      toNextLine();
    }
  }

  function toNextLine(): void {
    const end = source.indexOf("\n", at);
    at = end === -1 ? source.length : end + 1;
  }

  /** After a value: nothing, or a comment. */
  function endLine(): boolean {
    const start = at;
    skipSpaces();
    const fits = at >= source.length || source[at] === "\n" || (source[at] === "#" && at > start);
    toNextLine();
    return fits;
  }

  /** A map or list whose lines start at this column; the first of them starts here. */
  function readBlock(column: number, parent: number): Node | null {
    if (++depth > NESTING_MAX || ++steps > STEPS_MAX) return null;
    const node = isDash()
      ? readList(column)
      : match(keyAt) !== null
        ? readMap(column)
        : source[at] === "|" || source[at] === ">"
          ? null
          : readInline(parent);
    depth--;
    return node;
  }

  function isDash(): boolean {
    return source[at] === "-" && source[at + 1] === " ";
  }

  function readMap(column: number): MapNode | null {
    const start = at;
    const entries: MapEntry[] = [];
    const seen = new Set<string>();
    for (;;) {
      const key = readKey(seen);
      if (key === null) return null;
      const value = readValue(column);
      if (value === null) return null;
      entries.push({ key, value });
      const indent = nextLine();
      if (indent > column) return null;
      if (indent < column) return { kind: "map", entries, range: { start, end: value.range.end } };
      at += indent;
    }
  }

  /** The position is after the colon then. */
  function readKey(seen: Set<string>): ScalarNode | null {
    const text = match(keyAt)?.[0];
    if (text === undefined || text.length > 200 || seen.has(text) || ++steps > STEPS_MAX) return null;
    seen.add(text);
    const key = plain(text, { start: at, end: at + text.length });
    at += text.length + 1;
    return key;
  }

  function readValue(column: number): Node | null {
    skipSpaces();
    const behind = at;
    if (at < source.length && source[at] !== "\n" && (source[at] !== "#" || source[at - 1] !== " ")) {
      return source[at] === "|" || source[at] === ">" ? readBlockScalar(column) : readInline(column);
    }
    toNextLine();
    const indent = nextLine();
    const start = at;
    at += Math.max(indent, 0);
    if (indent > column) return readBlock(indent, column);
    if (indent === column && isDash()) return readList(indent);
    at = start;
    return plain("", { start: behind, end: behind });
  }

  function readList(column: number): ListNode | null {
    const start = at;
    const items: Node[] = [];
    for (;;) {
      if (!isDash() || ++steps > STEPS_MAX) return null;
      at++;
      skipSpaces();
      const lineStart = source.lastIndexOf("\n", at) + 1;
      if (at >= source.length || source[at] === "\n" || source[at] === "#") return null;
      const item = source[at] === "|" || source[at] === ">" ? null : readBlock(at - lineStart, column);
      if (item === null) return null;
      items.push(item);
      const before = at;
      const indent = nextLine();
      if (indent > column) return null;
      at += Math.max(indent, 0);
      // A list can start at the column of its key: the line after it then belongs to the map.
      if (indent < column || !isDash()) {
        at = before;
        return { kind: "list", items, range: { start, end: item.range.end } };
      }
    }
  }

  /** A value that starts on this line; further lines of a text have more indentation than `parent`. */
  function readInline(parent: number): Node | null {
    const character = source[at];
    if (character === "{" || character === "[" || character === '"' || character === "'") {
      const node = character === '"' || character === "'" ? readQuoted() : readFlow();
      return node !== null && endLine() ? node : null;
    }
    return match(plainStart) === null ? null : readPlain(parent);
  }

  function readPlain(parent: number): ScalarNode | null {
    const start = at;
    const [line = ""] = match(lineRest) ?? [];
    const comment = line.indexOf(" #");
    const first = trimSpaces(comment === -1 ? line : line.slice(0, comment));
    if (isPair(first)) return null;
    const lines = [first];
    let end = start + first.length;
    toNextLine();
    for (;;) {
      const from = at;
      const indent = nextLine();
      if (indent <= parent) break;
      // A comment or an empty line in between, or a possible member of a list.
      if (from !== at || comment !== -1) return null;
      at += indent;
      const more = trimSpaces(match(lineRest)?.[0] ?? "");
      if (isDash() || more === "-" || isPair(more) || more.includes(" #")) return null;
      lines.push(more);
      end = at + more.length;
      toNextLine();
    }
    const range = { start, end };
    if (lines.length === 1) return plain(first, range);
    const node = plain(lines.join(" "), range);
    return typeof node.value === "string" ? node : null;
  }

  /**
   * Lines with the same indentation, of which the last one is terminated; the other parser handles all other options of
   * `|`.
   */
  function readBlockScalar(parent: number): ScalarNode | null {
    const start = at;
    const folded = source[at] === ">";
    const chomps = source[at + 1] === "-";
    at += chomps ? 2 : 1;
    if (source[at] !== "\n") return null;
    at++;
    const lines: string[] = [];
    let column = -1;
    for (;;) {
      const from = at;
      steps++;
      skipSpaces();
      const indent = at - from;
      if (at >= source.length || (lines.length > 0 && indent < column && source[at] !== "\n" && source[at] !== "#")) {
        at = from;
        break;
      }
      if (column === -1) column = indent;
      if (source[at] === "\n" || indent < column || (folded && indent > column)) return null;
      const end = source.indexOf("\n", at);
      if (end === -1) return null;
      lines.push(source.slice(from + column, end));
      at = end + 1;
    }
    if (lines.length === 0 || column <= parent) return null;
    const text = lines.join(folded ? " " : "\n") + (chomps ? "" : "\n");
    return { kind: "scalar", value: text, text, style: "block", broken: false, range: { start, end: at } };
  }

  function readQuoted(): ScalarNode | null {
    const found = match(quotedAt);
    if (found === null) return null;
    const text = found[1] ?? found[2] ?? "";
    const range = { start: at, end: at + found[0].length };
    at = range.end;
    return { kind: "scalar", value: text, text, style: "quoted", broken: false, range };
  }

  function readFlow(): Node | null {
    if (++steps > STEPS_MAX) return null;
    const character = source[at];
    if (character === '"' || character === "'") return readQuoted();
    if (character === "{" || character === "[") {
      if (++depth > NESTING_MAX) return null;
      const node = character === "{" ? readFlowMap() : readFlowList();
      depth--;
      return node;
    }
    if (match(plainStart) === null) return null;
    const text = trimSpaces(match(plainInFlow)?.[0] ?? "");
    // `decimal(10,2)`: the comma splits it, which its author didn't intend.
    if (text === "" || count(text, "(") !== count(text, ")")) return null;
    const range = { start: at, end: at + text.length };
    at = range.end;
    return plain(text, range);
  }

  function readFlowMap(): MapNode | null {
    const start = at++;
    const entries: MapEntry[] = [];
    const seen = new Set<string>();
    skipSpaces();
    if (source[at] !== "}") {
      for (;;) {
        const key = readKey(seen);
        skipSpaces();
        const value = key === null ? null : readFlow();
        if (key === null || value === null) return null;
        entries.push({ key, value });
        skipSpaces();
        if (source[at] === "}") break;
        if (source[at++] !== ",") return null;
        skipSpaces();
      }
    }
    return { kind: "map", entries, range: { start, end: ++at } };
  }

  function readFlowList(): ListNode | null {
    const start = at++;
    const items: Node[] = [];
    skipSpaces();
    if (source[at] !== "]") {
      for (;;) {
        const item = readFlow();
        if (item === null) return null;
        items.push(item);
        skipSpaces();
        if (source[at] === "]") break;
        if (source[at++] !== ",") return null;
        skipSpaces();
      }
    }
    return { kind: "list", items, range: { start, end: ++at } };
  }

  if (nextLine() !== 0 || match(keyAt) === null) return null;
  const root = readBlock(0, -1);
  return root?.kind === "map" && at >= source.length ? root : null;
}

/** A colon that would make a key of the text before it. */
function isPair(line: string): boolean {
  return line.endsWith(":") || line.includes(": ");
}

function trimSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === " ") end--;
  return text.slice(0, end);
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found++;
  return found;
}

/** A word as YAML's core schema reads it. */
function plain(text: string, range: Range): ScalarNode {
  return { kind: "scalar", value: coreValue(text), text, style: "plain", broken: false, range };
}

function coreValue(text: string): ScalarNode["value"] {
  // Only these characters start a value that is not a text; they are checked first, because nearly everything is a
  // text.
  switch (text.charAt(0)) {
    case "":
    case "~":
    case "n":
    case "N":
      return /^(?:~|null|Null|NULL)?$/.test(text) ? null : text;
    case "t":
    case "T":
      return /^(?:true|True|TRUE)$/.test(text) ? true : text;
    case "f":
    case "F":
      return /^(?:false|False|FALSE)$/.test(text) ? false : text;
    default:
      return /^[-+.\d]/.test(text) ? numberIn(text) : text;
  }
}

function numberIn(text: string): number | string {
  if (/^[-+]?\d+$/.test(text)) return Number.parseInt(text, 10);
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return Number.parseFloat(text);
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8);
  if (/^0x[0-9a-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16);
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? Number.NaN : text;
}
