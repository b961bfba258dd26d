// Reads `{ ... }` and `[ ... ]` during typing, over several lines too. In: the text and the start of the brackets. Out:
// the tree between them, and where it ends. Brackets that are not closed end before the next line that isn't deeper.
import type { Mark, Sketch, SketchEntry, SketchPath } from "./sketch.ts";

type ReadFlow = (at: number, path: SketchPath, column: number) => { readonly node: Sketch; readonly end: number };

export function createFlowReader(text: string, offset: number, mark: Mark): ReadFlow {
  let at = 0;
  let column = 0;

  return (from, path, outer) => {
    at = from;
    column = outer;
    return { node: readBrackets(path), end: at };
  };

  function readBrackets(path: SketchPath): Sketch {
    const isMap = text[at] === "{";
    at++;
    return isMap ? readMap(path) : readList(path);
  }

  function readMap(path: SketchPath): Sketch {
    const entries: SketchEntry[] = [];
    // After a bracket or a comma: a new key can begin.
    let isFresh = true;
    for (;;) {
      const gap = at;
      const goesOn = skipGap("}");
      if (isFresh) markGap(gap, path, "key");
      if (!goesOn) return { kind: "map", entries };
      if (text[at] === "}" || text[at] === "]") {
        at++;
        return { kind: "map", entries };
      }
      if (text[at] === ",") {
        at++;
        isFresh = true;
        continue;
      }
      readPair(path, entries);
      isFresh = false;
    }
  }

  function readPair(path: SketchPath, entries: SketchEntry[]): void {
    const from = at;
    const quote = quoteAt(at);
    const key = quote === "" ? readPlain(true) : readQuoted();
    const end = quote === "" ? from + key.length : at;
    while (text[at] === " ") at++;
    const colon = text[at] === ":";
    if (offset >= from && offset <= (colon ? at : end)) {
      const inner = quote === "" ? 0 : 1;
      mark({ path, place: "key", start: from + inner, end: Math.max(from + inner, end - inner), colon, flow: true });
    }
    if (!colon) {
      if (at === from) at++;
      return;
    }
    at++;
    const entry: SketchEntry = { key, at: from, value: null };
    entries.push(entry);
    entry.value = readValue([...path, key]);
  }

  function readList(path: SketchPath): Sketch {
    const items: (Sketch | null)[] = [];
    let isFresh = true;
    for (;;) {
      const gap = at;
      const goesOn = skipGap("]");
      if (isFresh) markGap(gap, [...path, items.length], "value");
      if (!goesOn) return { kind: "list", items };
      if (text[at] === "]" || text[at] === "}") {
        at++;
        return { kind: "list", items };
      }
      if (text[at] === ",") {
        at++;
        isFresh = true;
        continue;
      }
      const from = at;
      isFresh = false;
      items.push(readValue([...path, items.length]));
      if (at === from) at++;
    }
  }

  function readValue(path: SketchPath): Sketch | null {
    const gap = at;
    const goesOn = skipGap("}");
    markGap(gap, path, "value");
    if (!goesOn || /[,}\]]/.test(text[at] ?? "")) return null;
    if (text[at] === "{" || text[at] === "[") return readBrackets(path);
    const start = at;
    const quote = quoteAt(at);
    const value = quote === "" ? readPlain(false) : readQuoted();
    const from = quote === "" ? start : start + 1;
    const to = from + value.length;
    const stop = quote === "" ? at : to;
    if (offset >= from && offset <= stop)
      mark({ path, place: "value", start: from, end: Math.max(to, offset), quote, flow: true });
    return { kind: "text", text: value, from, to };
  }

  function markGap(from: number, path: SketchPath, place: "key" | "value"): void {
    // At the start of a word, the cursor belongs to the word.
    const isBeforeWord = offset === at && /[^\s,}\]]/.test(text[at] ?? " ");
    const inComment = /#[^\n]*$/.test(text.slice(from, offset));
    if (offset >= from && offset <= at && !isBeforeWord && !inComment)
      mark({ path, place, start: offset, end: offset, flow: true });
  }

  /** Skips blanks, comments and line ends. @returns false if the brackets end here without being closed. */
  function skipGap(closing: string): boolean {
    for (;;) {
      while (text[at] === " " || text[at] === "\t") at++;
      if (at >= text.length) return false;
      if (text[at] === "#" && /\s/.test(text[at - 1] ?? " ")) {
        const end = text.indexOf("\n", at);
        at = end === -1 ? text.length : end;
      }
      if (text[at] !== "\n") return at < text.length;
      const next = /\n(?:[ \t]*(?:#[^\n]*)?\n)*([ \t]*)/y;
      next.lastIndex = at;
      const found = next.exec(text);
      const indent = found?.[1]?.length ?? 0;
      const after = at + (found?.[0].length ?? 1);
      if (indent <= column && text[after] !== closing && text[after] !== "}" && text[after] !== "]") return false;
      if (after >= text.length) {
        // A cursor on the last line, which is blank, is still between the brackets.
        if (indent > column) at = after;
        return false;
      }
      at = after;
    }
  }

  function quoteAt(index: number): "" | '"' | "'" {
    const one = text[index];
    return one === '"' || one === "'" ? one : "";
  }

  /** Goes to after the closing quote; without one, to the end of the line. */
  function readQuoted(): string {
    const quote = text[at];
    const from = ++at;
    for (; at < text.length && text[at] !== "\n"; at++) {
      if (text[at] === "\\" && quote === '"') at++;
      else if (text[at] === quote) return text.slice(from, at++);
    }
    return text.slice(from, at);
  }

  /** Goes to what ends the word; brackets within it belong to it if they are closed on the line. */
  function readPlain(isKey: boolean): string {
    const from = at;
    for (; at < text.length; at++) {
      const one = text[at] ?? "";
      if (one === "\n" || one === "," || one === "}" || one === "]") break;
      if (one === "#" && /\s/.test(text[at - 1] ?? "")) break;
      if (isKey && one === ":" && /[\s,}\]]/.test(text[at + 1] ?? " ")) break;
      if (one === "{" || one === "[" || one === "(") at = closingOf(at) ?? at;
    }
    return text.slice(from, at).trimEnd();
  }

  function closingOf(from: number): number | null {
    const pairs: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };
    const open: string[] = [];
    for (let index = from; index < text.length && text[index] !== "\n"; index++) {
      const one = text[index] ?? "";
      const closing = pairs[one];
      if (closing !== undefined) open.push(closing);
      else if (one === open[open.length - 1]) {
        open.pop();
        if (open.length === 0) return index;
      }
    }
    return null;
  }
}
