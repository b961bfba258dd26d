// Finds the path of a position. In: the text during typing, and an offset. Out: the parent keys, and whether it is a
// key or a value. It only uses indentation, so it works while the YAML is broken.

export interface Location {
  /** Keys from the top down; `[]` for a member of a list. */
  readonly path: readonly string[];
  /** At a key: the part that is written. At a value: the whole value up to the end of the line. */
  readonly place: "key" | "value";
  /** The text from `start` up to the position. */
  readonly before: string;
  readonly start: number;
  /** The end of the word or value at the position. */
  readonly end: number;
}

interface Line {
  readonly indent: number;
  /** How many list members start on this line before the key. */
  readonly dashes: number;
  readonly key: string | null;
}

const keyLine = /^(\s*)((?:- +)*)(?:("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:[\]{},"'][^:#]*?)\s*:(?=\s|$))?/;

export function locate(text: string, offset: number): Location {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const lineEnd = text.indexOf("\n", offset);
  const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd);
  const column = offset - lineStart;
  const flow = locateInFlow(line, column);
  const parsed = readLine(line);
  const colon = parsed.key === null ? -1 : line.indexOf(":", parsed.indent);
  const above = pathAbove(text.slice(0, lineStart), parsed);
  const list = Array.from({ length: parsed.dashes }, () => "[]");
  if (colon !== -1 && column > colon) {
    const path = [...above, ...list, parsed.key ?? ""];
    if (flow !== null)
      return { ...flow, path: [...path, ...flow.path], start: lineStart + flow.start, end: lineStart + flow.end };
    const from = colon + 1 + (/^\s*/.exec(line.slice(colon + 1))?.[0].length ?? 0);
    const start = Math.min(from, column);
    return {
      path,
      place: "value",
      before: line.slice(start, column),
      start: lineStart + start,
      end: lineStart + line.trimEnd().length,
    };
  }
  const start = Math.min(parsed.indent + (/^(?:- +)*/.exec(line.slice(leading(line)))?.[0].length ?? 0), column);
  if (flow !== null)
    return {
      ...flow,
      path: [...above, ...list, ...flow.path],
      start: lineStart + flow.start,
      end: lineStart + flow.end,
    };
  const end = colon === -1 ? line.trimEnd().length : colon;
  return {
    path: [...above, ...list],
    place: "key",
    before: line.slice(start, column),
    start: lineStart + start,
    end: lineStart + Math.max(end, start),
  };
}

function leading(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

function readLine(line: string): Line {
  const match = keyLine.exec(line);
  const dashes = (match?.[2]?.match(/-/g) ?? []).length;
  const key = match?.[3];
  return { indent: match?.[1]?.length ?? 0, dashes, key: key === undefined ? null : key.replace(/^["']|["']$/g, "") };
}

/** The nearest lines above with less indentation, each the parent of the previous one. */
function pathAbove(text: string, line: Line): string[] {
  const lines = text.split("\n");
  const path: string[] = [];
  let indent = line.indent;
  // Under `key:`, a list can have the same indentation as the key.
  let asList = line.dashes > 0;
  for (let at = lines.length - 1; at >= 0; at--) {
    const candidate = lines[at] ?? "";
    if (/^\s*(?:#|$)/.test(candidate)) continue;
    const parent = readLine(candidate);
    const keyColumn = parent.indent + 2 * parent.dashes;
    const isParent = keyColumn < indent || (asList && parent.dashes === 0 && keyColumn === indent);
    if (!isParent) {
      // A sibling key within the same member of a list: the member starts on a line with a dash.
      if (parent.dashes > 0 && parent.indent < indent && keyColumn === indent) {
        path.unshift(...Array.from({ length: parent.dashes }, () => "[]"));
        indent = parent.indent;
        asList = true;
      }
      continue;
    }
    if (parent.key === null && parent.dashes === 0) continue;
    path.unshift(...Array.from({ length: parent.dashes }, () => "[]"), ...(parent.key === null ? [] : [parent.key]));
    indent = parent.indent;
    asList = parent.dashes > 0;
    if (indent === 0 && !asList) break;
  }
  return path;
}

/** Inside `{ ... }` or `[ ... ]` on one line. */
function locateInFlow(line: string, column: number): Location | null {
  const open: { readonly kind: "{" | "["; from: number; key: string | null }[] = [];
  let quote = "";
  for (let i = 0; i < column; i++) {
    const character = line.charAt(i);
    const top = open[open.length - 1];
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (line.startsWith("${{", i)) {
      // A template that opens is not a map.
      const end = line.indexOf("}}", i);
      i = end === -1 ? column : end + 1;
    } else if (character === '"' || (character === "'" && /[\s{[,:]/.test(line.charAt(i - 1)))) quote = character;
    else if ((character === "{" || character === "[") && startsFlow(line, i))
      open.push({ kind: character, from: i + 1, key: null });
    else if ((character === "}" || character === "]") && top !== undefined) open.pop();
    else if (character === "," && top !== undefined) {
      top.from = i + 1;
      top.key = null;
    } else if (character === ":" && top?.kind === "{" && /\s|$/.test(line.charAt(i + 1))) {
      top.key = line
        .slice(top.from, i)
        .trim()
        .replace(/^["']|["']$/g, "");
      top.from = i + 1;
    }
  }
  const top = open[open.length - 1];
  if (top === undefined) return null;
  const path = open.flatMap((one) => (one.kind === "[" ? ["[]"] : one.key === null ? [] : [one.key]));
  const start = Math.min(top.from + (/^\s*/.exec(line.slice(top.from))?.[0].length ?? 0), column);
  const rest = /^[^,}\]]*/.exec(line.slice(column))?.[0].trimEnd() ?? "";
  const place = top.kind === "{" && top.key === null ? "key" : "value";
  return { path, place, before: line.slice(start, column), start, end: column + rest.length };
}

/** The start of a value; a bracket after a word belongs to a notation (`enum[a, b]`) or a rule (`x in [a]`). */
function startsFlow(line: string, at: number): boolean {
  return /(?:^|[:[{,]|(?:^|\s)-)\s*$/.test(line.slice(0, at));
}
