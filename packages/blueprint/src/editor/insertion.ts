// Makes the text that a suggestion inserts: a key with the skeleton of its value, a value with quotes where YAML needs
// them. In: a suggestion and its place. Out: the suggestion as it is inserted.
import type { Shape } from "../language/shape.ts";
import type { Location } from "./locate.ts";
import { opened } from "./shape-at.ts";
import type { Suggestion } from "./suggestion.ts";

/** The key with the beginning of its value: brackets, or the next line. */
export function withValue(key: Suggestion, value: Shape, location: Location, text: string): Suggestion {
  if (location.colon) return key;
  const [first] = opened(value);
  const isMap = first !== undefined && (first.kind === "map" || first.kind === "names" || first.kind === "field");
  const isList = first?.kind === "list";
  if (hasValueBelow(location, text)) return { ...key, insert: `${key.insert}:` };
  if (first?.kind === "field") return { ...key, insert: `${key.insert}: ` };
  if (location.flow || !isAloneOnLine(location, text)) {
    if (!isMap && !isList) return { ...key, insert: `${key.insert}: ` };
    const [open, close] = isMap ? ["{ ", " }"] : ["[", "]"];
    const from = key.insert.length + 2 + open.length;
    return { ...key, insert: `${key.insert}: ${open}${close}`, select: { from, to: from } };
  }
  if (isMap) return { ...key, insert: `${key.insert}:\n${" ".repeat(location.column + 2)}` };
  if (!isList) return { ...key, insert: `${key.insert}: ` };
  const isOfMaps = opened(first.of).some((one) => one.kind === "map");
  if (isOfMaps) return { ...key, insert: `${key.insert}:\n${" ".repeat(location.column + 2)}- ` };
  const from = key.insert.length + 3;
  return { ...key, insert: `${key.insert}: []`, select: { from, to: from } };
}

function isAloneOnLine({ end }: Location, text: string): boolean {
  return /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 200));
}

/** Whether the lines below are deeper, so the key gets them as its value. */
function hasValueBelow({ end, column, flow }: Location, text: string): boolean {
  if (flow) return false;
  const below = /^[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\n)*( *)(-?)\S/.exec(text.slice(end));
  if (below === null) return false;
  const indent = below[1]?.length ?? 0;
  return indent > column || (indent === column && below[2] === "-" && isAloneInMap(end, text, column));
}

/** Whether the key itself is not a member of a list, so a list at its column is its value. */
function isAloneInMap(end: number, text: string, column: number): boolean {
  const lineStart = text.lastIndexOf("\n", end - 1) + 1;
  return /^ *$/.test(text.slice(lineStart, lineStart + column));
}

/** Quotes around the value if it would be something else in YAML. Null if it can't be written here. */
export function asValue(
  suggestion: Suggestion,
  { from, to }: { readonly from: number; readonly to: number },
  location: Location,
  text: string,
): Suggestion | null {
  const { insert, select } = suggestion;
  const isStart = from === location.start;
  // `key:` needs a blank before its value.
  if (isStart && location.before === "" && text[from - 1] === ":") return moved(suggestion, " ", insert, "");
  if (location.quote !== "")
    return insert.includes(location.quote) ? quotesEscaped(suggestion, location.quote) : suggestion;
  if (location.block) return suggestion;
  const isSplit = location.flow && /[[\]{},]/.test(insert);
  const isOther = /:(?:\s|$)|\s#/.test(insert);
  if (!isSplit && !isOther) return suggestion;
  const isWhole = isStart && text.slice(to, Math.max(to, location.end)).trim() === "";
  if (!isWhole || insert.includes('"')) return null;
  return moved({ ...suggestion, select }, '"', insert, '"');
}

function moved(suggestion: Suggestion, before: string, insert: string, after: string): Suggestion {
  const { select } = suggestion;
  return {
    ...suggestion,
    insert: `${before}${insert}${after}`,
    ...(select === undefined ? {} : { select: { from: select.from + before.length, to: select.to + before.length } }),
  };
}

function quotesEscaped(suggestion: Suggestion, quote: string): Suggestion | null {
  const escaped = quote === '"' ? '\\"' : "''";
  return suggestion.select === undefined
    ? { ...suggestion, insert: suggestion.insert.replaceAll(quote, escaped) }
    : null;
}
