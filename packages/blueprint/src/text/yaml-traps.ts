// Recognizes common YAML mistakes. In: a text that is not YAML, and the position of the error. Out: the mistake, and
// the range to blank so that the rest can be read with unchanged offsets. It only looks at the line with the error.
import { isScalar, type YAMLMap, type YAMLParseError } from "yaml";
import type { DiagnosticCode } from "./diagnostic.ts";
import { longFormOf } from "./long-form.ts";
import type { Range } from "./syntax.ts";

export interface Trap {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint: string;
  readonly range: Range;
}

/** No person writes a longer line by hand. */
const LINE_LENGTH_MAX = 2_000;

const inQuotesOrBlock = "Put the whole value in quotes, or after `|` on separate lines.";

/** The mistake behind one YAML error, or null if it is unknown. */
export function trapBehind(error: YAMLParseError, source: string): Trap | null {
  const at = Math.min(error.pos[0], source.length);
  const template = templateAt(source, at);
  if (template !== null) return template;
  const split = flowSplitAt(source, at);
  if (split !== null) return split;
  const start = source.lastIndexOf("\n", at - 1) + 1;
  const newline = source.indexOf("\n", at);
  const end = newline === -1 ? source.length : newline;
  if (end - start > LINE_LENGTH_MAX) return null;
  const line = source.slice(start, end);
  const comment = commentAbove(source, start, line);
  if (comment !== null) return comment;
  const match = /^([ ]*(?:- +)*(?:[A-Za-z_][\w.-]*:[ ]+)?)(\S.*?)\s*$/.exec(line);
  const [, before, value] = match ?? [];
  if (before === undefined || value === undefined || before.trim() === "") return null;
  const range = { start: start + before.length, end: start + before.length + value.length };
  return trapIn(value, range) ?? trapInFlow(line, start, at);
}

/** A value inside braces or brackets: the text between the commas around the error. */
function trapInFlow(line: string, start: number, at: number): Trap | null {
  const column = Math.min(Math.max(at - start, 0), line.length);
  const before = line.slice(0, column);
  const first = Math.max(...["{", "[", ","].map((mark) => before.lastIndexOf(mark))) + 1;
  if (first === 0) return null;
  const length = line.slice(column).search(/[,}\]]/);
  const entry = line.slice(first, length === -1 ? line.length : column + length);
  const [, key = "", value] = /^(\s*(?:[A-Za-z_][\w.-]*:[ ]+)?)(\S.*?)\s*$/.exec(entry) ?? [];
  if (value === undefined || /^[{[]/.test(value)) return null;
  const from = start + first + key.length;
  return trapIn(value, { start: from, end: from + value.length });
}

/** In YAML, a comment ends a rule of several lines; the next line of the rule is then in the place of a key. */
function commentAbove(source: string, start: number, line: string): Trap | null {
  if (start === 0 || !/^\s+(?:&&|\|\||[=!<>]=|[<>+*/])\s/.test(line)) return null;
  const above = source.lastIndexOf("\n", start - 2) + 1;
  const found = / #.*$/.exec(source.slice(above, start - 1));
  if (found === null || start - above > LINE_LENGTH_MAX) return null;
  return {
    code: "yaml_comment_in_rule",
    message: "In YAML, ` #` starts a comment, so the rule ends before it.",
    hint: "Move the comment to the line above the rule, or write the whole rule after `|`.",
    range: { start: above + found.index + 1, end: above + found.index + found[0].length },
  };
}

function trapIn(value: string, range: Range): Trap | null {
  const first = value.charAt(0);
  if (first === '"' || first === "'") {
    return {
      code: "yaml_quote",
      message: `In YAML, a value that starts with ${first} ends at the next ${first}.`,
      hint: inQuotesOrBlock,
      range,
    };
  }
  if (first === "*")
    return {
      code: "yaml_alias",
      message: "In YAML, `*` at the start of a value is an alias.",
      hint: inQuotesOrBlock,
      range,
    };
  if (first === "&")
    return {
      code: "yaml_anchor",
      message: "In YAML, `&` at the start of a value is an anchor.",
      hint: inQuotesOrBlock,
      range,
    };
  if (first === "!")
    return {
      code: "yaml_tag",
      message: "In YAML, `!` at the start of a value is a tag.",
      hint: inQuotesOrBlock,
      range,
    };
  if (first === "@" || first === "`")
    return {
      code: "yaml_reserved",
      message: `YAML reserves ${first === "@" ? "`@`" : "a backtick"} at the start of a value.`,
      hint: inQuotesOrBlock,
      range,
    };
  if (/^[^{["'].*\?.*:(\s|$)/.test(value)) {
    return {
      code: "yaml_question",
      message: "YAML reads `? :` in a plain value as a key and its value.",
      hint: inQuotesOrBlock,
      range,
    };
  }
  if (/^[^{["'].*:(\s|$)/.test(value)) {
    return {
      code: "yaml_colon",
      message: "YAML reads a colon and a space in a plain value as a key and its value.",
      hint: longFormOf(value) ?? inQuotesOrBlock,
      range,
    };
  }
  return null;
}

/**
 * `{ carrier: enum[ups, usps] }`, `{ address: object{ street: string } }`, `{ sizes: list<int> = [1, 2] }`: in a flow
 * map the bracket can't follow the word, and the commas split the entries.
 */
function flowSplitAt(source: string, at: number): Trap | null {
  const open = source[at];
  if (open !== "[" && open !== "{") return null;
  if (!/(?:\w|\bin[ ]+|=[ ]*)$/.test(source.slice(Math.max(0, at - 20), at))) return null;
  const newline = source.indexOf("\n", at);
  const rest = source.slice(at, Math.min(newline === -1 ? source.length : newline, at + LINE_LENGTH_MAX));
  const length = closingIn(rest);
  if (length === 0) return null;
  // `>`, `?` and a default after the bracket belong to it.
  const end = at + length + (/^[^,{}[\]]*/.exec(rest.slice(length))?.[0].trimEnd().length ?? 0);
  let start = at;
  while (start > 0 && !/[,[{\n]/.test(source.charAt(start - 1)) && source.slice(start - 2, start) !== ": ") start--;
  while (source[start] === " ") start++;
  return {
    code: "yaml_flow_split",
    message: `Inside brackets or braces, the commas of \`${source.slice(start, end)}\` split it into several entries.`,
    hint: "Put the value in quotes, or write the map on several lines.",
    range: { start, end },
  };
}

/** `{ note: ${{ record.id }} }`: inside braces or brackets of YAML, the braces of the template belong to it. */
function templateAt(source: string, at: number): Trap | null {
  if (!source.startsWith("{{", at) || source[at - 1] !== "$") return null;
  const length = closingIn(source.slice(at, at + LINE_LENGTH_MAX));
  if (length === 0) return null;
  return {
    code: "yaml_template",
    message: "Inside braces or brackets, YAML reads `${{` as the start of a map.",
    hint: 'Put the whole value in quotes: `"${{ ... }}"`.',
    range: { start: at - 1, end: at + length },
  };
}

/** The length of the bracketed text at the start, including brackets; 0 if it is not closed on its line. */
function closingIn(rest: string): number {
  let depth = 0;
  for (let index = 0; index < rest.length; index++) {
    const character = rest.charAt(index);
    if (character === "[" || character === "{") depth++;
    if ((character === "]" || character === "}") && --depth === 0) return index + 1;
  }
  return 0;
}

/**
 * `{ price: decimal(10,2) }` is valid YAML with two entries: `price: decimal(10` and `2)`. Returns the range of each
 * split call, by the pair in which it starts, and "rest" for the other pairs.
 */
export function splitCalls(map: YAMLMap.Parsed, source: string): ReadonlyMap<unknown, Range | "rest"> {
  const found = new Map<unknown, Range | "rest">();
  if (source[map.range[0]] !== "{") return found;
  for (const [index, pair] of map.items.entries()) {
    if (!isScalar(pair.value) || pair.value.type !== "PLAIN" || openParentheses(pair.value.source) <= 0) continue;
    const rest = map.items.slice(index + 1);
    const bare = rest.findIndex((one) => one.value !== null && one.value.range[1] > one.value.range[0]);
    const closing = rest
      .slice(0, bare === -1 ? rest.length : bare)
      .findIndex((one) => isScalar(one.key) && openParentheses(one.key.source) < 0);
    const last = rest[closing];
    if (last === undefined) continue;
    found.set(pair, { start: pair.value.range[0], end: last.key.range[1] });
    for (const one of rest.slice(0, closing + 1)) found.set(one, "rest");
  }
  return found;
}

function openParentheses(text = ""): number {
  return text.split("(").length - text.split(")").length;
}

/** The text, with the range replaced by one harmless quoted scalar of the same length. */
export function blank(source: string, range: Range): string {
  const length = range.end - range.start;
  return source.slice(0, range.start) + (length < 2 ? "_" : `"${"_".repeat(length - 2)}"`) + source.slice(range.end);
}
