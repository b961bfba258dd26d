// Finds wrong indentation. In: a text that is not YAML, and the position of the error. Out: the line with the wrong
// indentation, and the column where it would fit; null if the cause is something else. It only looks at the lines
// above.
import type { YAMLParseError } from "yaml";
import type { Range } from "./syntax.ts";

export interface WrongIndentation {
  readonly range: Range;
  readonly message: string;
  readonly hint: string;
}

/** More lines than a blueprint written by a person has above one of its own. */
const LINES_MAX = 20_000;

/** The parser loses track at such a line, so its later errors follow from this one. */
export function indentationBehind({ code, pos }: YAMLParseError, source: string): WrongIndentation | null {
  const at = source.slice(0, pos[0]).split("\n").length - 1;
  if (at > LINES_MAX) return null;
  const lines = source.split("\n");
  if (code === "TAB_AS_INDENT") return tabIn(lines, at);
  if (code === "BAD_INDENT" || code === "MISSING_CHAR") return misplaced(lines, at);
  if (code !== "BLOCK_AS_IMPLICIT_KEY") return null;
  const next = lines.findIndex((line, index) => index > at && !isBare(line));
  return next === -1 ? null : misplaced(lines, next);
}

function tabIn(lines: readonly string[], at: number): WrongIndentation | null {
  const before = /^ *\t/.exec(lines[at] ?? "")?.[0];
  if (before === undefined) return null;
  const start = startOf(lines, at) + before.length - 1;
  const others = lines.filter((line) => /^ *\t/.test(line)).length - 1;
  const more =
    others === 0 ? "" : ` So is the indentation of ${others === 1 ? "one more line" : `${others} more lines`}.`;
  return {
    range: { start, end: start + 1 },
    message: `This line is indented with a tab, but YAML only allows spaces.${more}`,
    hint: "Replace each tab at the start of a line with spaces.",
  };
}

function misplaced(lines: readonly string[], at: number): WrongIndentation | null {
  const line = lines[at] ?? "";
  const indent = indentOf(line);
  const columns = columnsAbove(lines, at);
  if (columns.length === 0 || columns.includes(indent)) return null;
  // If two are equally near, the deeper one: most lines continue the line above.
  const fitting = columns.reduce((best, one) => (Math.abs(one - indent) <= Math.abs(best - indent) ? one : best));
  const start = startOf(lines, at) + indent;
  const word = /^[^\s:]+/.exec(line.slice(indent))?.[0] ?? "";
  return {
    range: { start, end: start + word.length },
    message: `The indentation of this line doesn't match the lines above: it starts in column ${indent + 1}, but column ${fitting + 1} is expected.`,
    hint: `Indent it by ${fitting === 1 ? "1 space" : `${fitting} spaces`}, like the other lines of its group.`,
  };
}

/** The columns of lines above that the line could continue, the outermost first. */
function columnsAbove(lines: readonly string[], end: number): readonly number[] {
  const columns: number[] = [];
  for (const line of lines.slice(0, end)) {
    if (isBare(line)) continue;
    const indent = indentOf(line);
    while ((columns.at(-1) ?? -1) >= indent) columns.pop();
    columns.push(indent);
    const inList = /^(?:- +)+/.exec(line.slice(indent))?.[0].length ?? 0;
    if (inList > 0) columns.push(indent + inList);
  }
  return columns;
}

function isBare(line: string): boolean {
  return /^\s*(?:#|$)/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function startOf(lines: readonly string[], at: number): number {
  return lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0);
}
