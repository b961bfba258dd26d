// Explains YAML errors. In: a text that is not YAML, and the position of the parser's error. Out: what its author
// probably did wrong, in plain words; otherwise the parser's own message. It looks at lines and brackets, never at the
// meaning of keys.
import type { YAMLParseError } from "yaml";
import type { Range } from "./syntax.ts";
import { indentationBehind } from "./yaml-indentation.ts";

export interface YamlProblem {
  readonly range: Range;
  readonly message: string;
  readonly hint: string;
  /** Later errors follow from this one. */
  readonly last: boolean;
}

/** Text that is often pasted along with a blueprint; the whole text is searched for it. */
const pasted: readonly { readonly line: RegExp; readonly message: string; readonly hint: string }[] = [
  {
    line: /^(?:<{7}|>{7}|={7})(?: .*)?$/m,
    message: "The text contains an unresolved merge conflict.",
    hint: "Keep one of the two versions, and delete the lines with `<<<<<<<`, `=======` and `>>>>>>>`.",
  },
  {
    line: /^\s*(?:```|~~~).*$/m,
    message: "This line is Markdown, not YAML.",
    hint: "Delete the lines that start with three backticks.",
  },
  { line: /^\s*\/[/*].*$/m, message: "This is not a comment in YAML.", hint: "Start a comment with `#`." },
];

export function explainYamlError(error: YAMLParseError, source: string): YamlProblem {
  return (
    foundIn(source) ??
    openQuote(error, source) ??
    openBracket(error, source) ??
    indented(error, source) ??
    missingColon(error, source) ?? {
      range: { start: error.pos[0], end: error.pos[1] },
      message: `This is not YAML: ${lowerFirst(error.message)}.`,
      hint: "Check this line and the one above it: colons, quotes, brackets and indentation.",
      last: false,
    }
  );
}

function foundIn(source: string): YamlProblem | null {
  for (const { line, message, hint } of pasted) {
    const match = line.exec(source);
    if (match === null) continue;
    const start = match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0);
    return { range: { start, end: match.index + match[0].length }, message, hint, last: true };
  }
  return null;
}

function indented(error: YAMLParseError, source: string): YamlProblem | null {
  const wrong = indentationBehind(error, source);
  return wrong === null ? null : { ...wrong, last: true };
}

/** The parser fails at the end of the text, but the quote was opened long before. */
function openQuote({ message }: YAMLParseError, source: string): YamlProblem | null {
  const quote = /Missing closing (["'])/.exec(message)?.[1];
  if (quote === undefined) return null;
  let start = 0;
  for (const line of source.split("\n")) {
    const at = line.search(new RegExp(`(?:[:,\\[{]|-) *${quote}`));
    if (at !== -1 && line.split(quote).length % 2 === 0) {
      const from = start + line.indexOf(quote, at);
      const range = { start: from, end: start + line.trimEnd().length };
      return {
        range,
        message: `A text that starts with ${quote} has no closing ${quote}.`,
        hint: `Add ${quote} at the end.`,
        last: true,
      };
    }
    start += line.length + 1;
  }
  return null;
}

const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** The last open bracket at the parser's error. */
function openBracket({ code, message, pos }: YAMLParseError, source: string): YamlProblem | null {
  if (!/flow (?:map|sequence|collection)/i.test(message) || !/end with|expected/i.test(message)) return null;
  if (code !== "BAD_INDENT" && code !== "MISSING_CHAR") return null;
  const open: number[] = [];
  for (const { 0: mark, index } of source.slice(0, pos[0]).matchAll(/"[^"\n]*"|'[^'\n]*'|#.*|[[\]{}]/g)) {
    if (mark === "{" || mark === "[") open.push(index);
    else if (mark === "}" || mark === "]") open.pop();
  }
  const start = open.at(-1);
  if (start === undefined) return null;
  const bracket = source[start] ?? "";
  const range = { start, end: start + 1 };
  return {
    range,
    message: `\`${bracket}\` has no closing \`${closing[bracket]}\`.`,
    hint: `Add \`${closing[bracket]}\` at the end.`,
    last: true,
  };
}

function missingColon({ code, message, pos }: YAMLParseError, source: string): YamlProblem | null {
  const isKey = code === "MULTILINE_IMPLICIT_KEY" || /implicit (?:map )?keys? need/i.test(message);
  if (!isKey) return null;
  const from = source.lastIndexOf("\n", pos[0] - 1) + 1;
  const newline = source.indexOf("\n", from);
  const line = source.slice(from, newline === -1 ? source.length : newline);
  const [, indent = "", key, value = ""] = /^(\s*(?:- +)*)([A-Za-z_][\w.-]*)(?:[ \t]+(\S.*?))?\s*$/.exec(line) ?? [];
  if (key === undefined || value.startsWith(":")) return null;
  const start = from + indent.length;
  const range = { start, end: start + line.trim().length };
  return {
    range,
    message: "This line has no colon.",
    hint: `Write \`${key}:${value === "" ? "" : ` ${value.slice(0, 80)}`}\`.`,
    last: true,
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
}
