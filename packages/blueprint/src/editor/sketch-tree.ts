// The tree of half-typed YAML: its keys and values, the place of the cursor in it, and how to look things up. It has no
// errors: what could not be read is missing.

export type Sketch = SketchMap | SketchList | SketchText;
export interface SketchMap {
  readonly kind: "map";
  readonly entries: SketchEntry[];
}
export interface SketchEntry {
  readonly key: string;
  readonly at: number;
  value: Sketch | null;
}
export interface SketchList {
  readonly kind: "list";
  readonly items: (Sketch | null)[];
}
export interface SketchText {
  readonly kind: "text";
  text: string;
  readonly from: number;
  to: number;
}

/** Keys from the top down, and the index in each list. */
export type SketchPath = readonly (string | number)[];

export interface Cursor {
  /** To the map of a key, or to a value. */
  readonly path: SketchPath;
  /** `either`: alone on its line, so it can still become a key or a value. */
  readonly place: "key" | "value" | "either";
  /** The start and the end of the key or value, without quotes. */
  readonly start: number;
  readonly end: number;
  readonly quote: "" | '"' | "'";
  /** Whether it is between brackets. */
  readonly flow: boolean;
  /** Whether a key has its colon. */
  readonly colon: boolean;
  /** Whether it is a text of several lines (`|` or `>`). */
  readonly block: boolean;
  /** The column of a key, or of the key of a value. */
  readonly column: number;
}

export interface SketchedText {
  readonly root: SketchMap;
  /** Null in a comment, in the indentation, or after a value. */
  readonly cursor: Cursor | null;
}

export type Mark = (
  cursor: Pick<Cursor, "path" | "place" | "start" | "end"> & Partial<Omit<Cursor, "path" | "place" | "start" | "end">>,
) => void;

/** Null if the tree has nothing there. */
export function nodeAt(root: SketchMap, path: SketchPath): Sketch | null {
  let node: Sketch | null = root;
  for (const name of path) {
    if (node === null) return null;
    if (typeof name === "number") node = node.kind === "list" ? (node.items[name] ?? null) : null;
    else node = valueAt(node, name);
  }
  return node;
}

export function valueAt(node: Sketch | null, key: string): Sketch | null {
  return node?.kind === "map" ? (node.entries.findLast((one) => one.key === key)?.value ?? null) : null;
}

export function textOf(node: Sketch | null): string | null {
  return node?.kind === "text" ? node.text : null;
}

/** One text, or a list of texts. */
export function textsOf(node: Sketch | null): readonly string[] {
  if (node?.kind === "text") return [node.text];
  return node?.kind === "list" ? node.items.flatMap((one) => textOf(one) ?? []) : [];
}

export function entriesOf(node: Sketch | null): readonly SketchEntry[] {
  return node?.kind === "map" ? node.entries : [];
}
