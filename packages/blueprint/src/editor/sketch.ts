// Reads YAML during typing. In: the text, and the offset of the cursor. Out: a tree of its keys and values, and the place
// of the cursor in it. It reads by indentation and closes what is open, so one broken line never hides the others. It
// reports nothing.
import { createFlowReader } from "./sketch-flow.ts";
import type {
  Cursor,
  Mark,
  Sketch,
  SketchEntry,
  SketchedText,
  SketchList,
  SketchMap,
  SketchPath,
  SketchText,
} from "./sketch-tree.ts";

interface Frame {
  readonly column: number;
  readonly path: SketchPath;
  readonly node: SketchMap | SketchList;
}

const keyPattern =
  /(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#:[\]{},"'|>&*!%@`](?:[^\n:#]|:(?=[^\s])|(?<!\s)#)*?|)[ \t]*:(?=\s|$)/y;

export function sketchText(text: string, offset = -1): SketchedText {
  const root: SketchMap = { kind: "map", entries: [] };
  const frames: Frame[] = [{ column: 0, path: [], node: root }];
  let cursor: Cursor | null = null;
  const mark: Mark = (found) => {
    cursor = { quote: "", flow: false, colon: false, block: false, column: 0, ...found };
  };
  const readFlow = createFlowReader(text, offset, mark);
  let block: { readonly column: number; readonly node: SketchText; readonly path: SketchPath } | null = null;
  /** A word alone in its place: a key at the same column shows that it is the beginning of a key. */
  let loose: {
    readonly column: number;
    readonly path: SketchPath;
    readonly at: number;
    put(value: Sketch): void;
  } | null = null;
  /** A word that lacks its colon: deeper lines show that it is a key. */
  let unfinished: { readonly frame: Frame; readonly entry: SketchEntry; readonly column: number } | null = null;
  /** A value that can go on in deeper lines. */
  let open: { readonly column: number; readonly node: SketchText; readonly path: SketchPath } | null = null;

  const top = (): Frame => frames[frames.length - 1] ?? { column: 0, path: [], node: root };
  const lastOf = (frame: Frame): { readonly path: SketchPath; readonly isEmpty: boolean; put(value: Sketch): void } => {
    if (frame.node.kind === "list") {
      const { items } = frame.node;
      return {
        path: [...frame.path, items.length - 1],
        isEmpty: items.length > 0 && items[items.length - 1] === null,
        put: (value) => {
          items[items.length - 1] = value;
        },
      };
    }
    const entry = frame.node.entries[frame.node.entries.length - 1];
    return {
      path: [...frame.path, entry?.key ?? "?"],
      isEmpty: entry !== undefined && entry.value === null,
      put: (value) => {
        if (entry !== undefined) entry.value = value;
      },
    };
  };

  let at = 0;
  while (at <= text.length) {
    const found = text.indexOf("\n", at);
    const lineEnd = found === -1 ? text.length : found;
    at = readLine(at, lineEnd) + 1;
  }
  return { root, cursor };

  /** @returns The end of the last line that was read. */
  function readLine(lineStart: number, lineEnd: number): number {
    let at = lineStart;
    while (at < lineEnd && (text[at] === " " || text[at] === "\t")) at++;
    const hasCursor = offset >= lineStart && offset <= lineEnd;
    const isBlank = at === lineEnd;
    const indent = isBlank && hasCursor ? offset - lineStart : at - lineStart;
    if (block !== null) {
      if ((isBlank && !hasCursor) || indent > block.column) {
        block.node.to = lineEnd;
        block.node.text = text.slice(block.node.from, lineEnd);
        if (hasCursor) mark({ path: block.path, place: "value", start: block.node.from, end: lineEnd, block: true });
        return lineEnd;
      }
      block = null;
    }
    if (isBlank) {
      if (hasCursor) markBlank(indent);
      return lineEnd;
    }
    if (text[at] === "#") {
      if (hasCursor && offset < at) markBlank(offset - lineStart);
      return lineEnd;
    }
    const isDash = text[at] === "-" && (at + 1 === lineEnd || text[at + 1] === " ");
    if (open !== null) {
      keyPattern.lastIndex = at;
      if (indent > open.column && !isDash && !keyPattern.test(text)) {
        open.node.to = lineEnd;
        open.node.text += ` ${text.slice(at, lineEnd).trim()}`;
        if (hasCursor && offset >= at)
          mark({ path: open.path, place: "value", start: open.node.from, end: trimmedEnd(open.node.from, lineEnd) });
        return lineEnd;
      }
      open = null;
    }
    while (text[at] === "-" && (at + 1 === lineEnd || text[at + 1] === " ")) {
      openItem(at - lineStart);
      at++;
      while (at < lineEnd && text[at] === " ") at++;
    }
    const column = at - lineStart;
    if (at === lineEnd || text[at] === "#") {
      if (hasCursor && offset > lineStart + top().column && top().node.kind === "list")
        mark({ path: lastOf(top()).path, place: "either", start: offset, end: offset, column: offset - lineStart });
      return lineEnd;
    }
    keyPattern.lastIndex = at;
    const key = keyPattern.exec(text);
    return key === null ? readLoose(at, lineEnd, column, hasCursor) : readEntry(key[0], at, lineEnd, column, hasCursor);
  }

  function readEntry(matched: string, at: number, lineEnd: number, column: number, hasCursor: boolean): number {
    const written = matched.slice(0, -1).trimEnd();
    const quoted = /^["']/.test(written);
    const name = quoted ? written.slice(1, -1) : written;
    const frame = openMap(column);
    const entry: SketchEntry = { key: name, at, value: null };
    if (frame.node.kind === "map") frame.node.entries.push(entry);
    const path = [...frame.path, name];
    const colon = at + matched.length - 1;
    if (hasCursor && offset >= at && offset <= colon)
      mark({
        path: frame.path,
        place: "key",
        start: at + (quoted ? 1 : 0),
        end: at + written.length - (quoted ? 1 : 0),
        colon: true,
        column,
      });
    const put = (value: Sketch): void => {
      entry.value = value;
    };
    return readValue(colon + 1, lineEnd, { path, column, put, hasCursor });
  }

  function readValue(
    after: number,
    lineEnd: number,
    slot: {
      readonly path: SketchPath;
      readonly column: number;
      put(value: Sketch): void;
      readonly hasCursor: boolean;
      readonly place?: Cursor["place"];
      /** The column of the value itself, if it is alone on its line. */
      readonly own?: number;
    },
  ): number {
    const { path, column, hasCursor, place = "value", own = column } = slot;
    let at = after;
    while (at < lineEnd && (text[at] === " " || text[at] === "\t")) at++;
    const isHere = hasCursor && offset >= after;
    if (at === lineEnd || text[at] === "#") {
      if (isHere && offset <= at) mark({ path, place: "value", start: offset, end: offset, column });
      return lineEnd;
    }
    const first = text[at] ?? "";
    if (/[|>]/.test(first) && /^[|>][+\-\d]*[ \t]*(?:#.*)?$/.test(text.slice(at, lineEnd))) {
      const node: SketchText = { kind: "text", text: "", from: Math.min(lineEnd + 1, text.length), to: lineEnd };
      slot.put(node);
      block = { column, node, path };
      return lineEnd;
    }
    // The arguments of a type that is not written yet are not a list.
    if ((first === "{" || first === "[") && offset !== at) {
      const { node, end } = readFlow(at, path, column);
      slot.put(node);
      const next = text.indexOf("\n", Math.max(end, lineEnd));
      if (isHere && offset < at) mark({ path, place: "value", start: offset, end: offset, column });
      return end <= lineEnd ? lineEnd : next === -1 ? text.length : next;
    }
    const isQuote = first === '"' || first === "'";
    const start = isQuote ? at + 1 : at;
    const end = isQuote ? quoteEnd(start, lineEnd, first) : plainEnd(at, lineEnd);
    const node: SketchText = { kind: "text", text: text.slice(start, end).trimEnd(), from: start, to: end };
    slot.put(node);
    if (isHere && offset <= Math.max(end, start)) {
      const [from, to] =
        offset < start ? [offset, isQuote ? offset : trimmedEnd(start, end)] : [start, trimmedEnd(start, end)];
      mark({
        path,
        place,
        start: from,
        end: Math.max(to, offset),
        quote: isQuote ? (first as '"' | "'") : "",
        column: own,
      });
    }
    if (!isQuote) open = { column, node, path };
    return lineEnd;
  }

  /** A line without a key: a value, the beginning of a key, or something broken. */
  function readLoose(at: number, lineEnd: number, column: number, hasCursor: boolean): number {
    while (frames.length > 1 && top().column > column) frames.pop();
    const frame = top();
    const last = lastOf(frame);
    if (last.isEmpty && (frame.column < column || frame.node.kind === "list")) {
      loose = { column, at, path: last.path, put: last.put };
      return readValue(at, lineEnd, { ...last, column: frame.column, hasCursor, place: "either", own: column });
    }
    if (frame.node.kind === "map" && frame.column === column) {
      const word = /[^\s#]*/.exec(text.slice(at, lineEnd))?.[0] ?? "";
      unfinished = { frame, entry: { key: word, at, value: null }, column };
      if (hasCursor && offset >= at && offset <= at + word.length)
        mark({ path: frame.path, place: "key", start: at, end: at + word.length, column });
    }
    return lineEnd;
  }

  function markBlank(column: number): void {
    for (let index = frames.length - 1; index >= 0; index--) {
      const frame = frames[index];
      if (frame === undefined || frame.column > column) continue;
      const spot = { start: offset, end: offset, column };
      const last = lastOf(frame);
      if (frame.column < column) {
        if (last.isEmpty) mark({ path: last.path, place: "either", ...spot });
        return;
      }
      if (frame.node.kind === "map") {
        mark({ path: frame.path, place: "key", ...spot });
        return;
      }
    }
  }

  function finishKey(column: number): void {
    if (unfinished !== null && unfinished.column < column && unfinished.frame === top()) {
      const { node } = unfinished.frame;
      if (node.kind === "map") node.entries.push(unfinished.entry);
    }
    unfinished = null;
    if (loose === null || loose.column >= column) return;
    // The first key of a map lacks its colon.
    const key = /[^\s#]*/.exec(text.slice(loose.at, loose.at + 200))?.[0] ?? "";
    const node: SketchMap = { kind: "map", entries: [{ key, at: loose.at, value: null }] };
    loose.put(node);
    frames.push({ column: loose.column, path: loose.path, node });
    loose = null;
  }

  function openItem(column: number): void {
    while (frames.length > 1 && top().column > column) frames.pop();
    finishKey(column);
    loose = null;
    const frame = top();
    if (frame.node.kind === "list" && frame.column === column) {
      frame.node.items.push(null);
      return;
    }
    const list: SketchList = { kind: "list", items: [null] };
    const last = lastOf(frame);
    if (last.isEmpty) last.put(list);
    frames.push({ column, path: last.path, node: list });
  }

  function openMap(column: number): Frame {
    while (frames.length > 1 && top().column > column) frames.pop();
    const above = top();
    while (frames.length > 1 && (top().column > column || (top().column === column && top().node.kind === "list")))
      frames.pop();
    finishKey(column);
    const frame = top();
    const started = loose;
    loose = null;
    if (frame.node.kind === "map" && frame.column === column) return frame;
    const last = lastOf(frame);
    const opened: Frame = { column, path: last.path, node: { kind: "map", entries: [] } };
    // A line that only looks like a member of a list doesn't hide the keys below it.
    const isAfterList = above.node.kind === "list" && above.column === column;
    if (last.isEmpty || isAfterList || started?.column === column) last.put(opened.node);
    frames.push(opened);
    return opened;
  }

  function plainEnd(from: number, lineEnd: number): number {
    const comment = text.slice(from, lineEnd).search(/\s#/);
    return comment === -1 ? lineEnd : from + comment;
  }

  function quoteEnd(from: number, lineEnd: number, quote: string): number {
    for (let at = from; at < lineEnd; at++) {
      if (text[at] === "\\" && quote === '"') at++;
      else if (text[at] === quote) return at;
    }
    return lineEnd;
  }

  function trimmedEnd(from: number, to: number): number {
    return from + text.slice(from, to).trimEnd().length;
  }
}
