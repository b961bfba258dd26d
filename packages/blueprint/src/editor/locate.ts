// Finds the place of a position. In: the text during typing, and an offset. Out: the keys above it, whether it is a key
// or a value, and what is next to it. It works while the YAML is broken.
import { type Cursor, entriesOf, nodeAt, type Sketch, type SketchMap, type SketchPath, sketchText } from "./sketch.ts";

export interface Location extends Omit<Cursor, "path"> {
  /** Keys from the top down; `[]` for a member of a list. */
  readonly path: readonly string[];
  /** The same, with the index in each list. */
  readonly spot: SketchPath;
  /** The text from `start` up to the position. */
  readonly before: string;
  readonly root: SketchMap;
}

/** Null in a comment, and where nothing can be written. */
export function locate(text: string, offset: number): Location | null {
  const { root, cursor } = sketchText(text, offset);
  if (cursor === null) return null;
  const { path: spot, ...rest } = cursor;
  const path = spot.map((one) => (typeof one === "number" ? "[]" : one));
  return { ...rest, path, spot, before: text.slice(cursor.start, offset), root };
}

/** The keys of the map that has this key, without the key itself. */
export function siblingsOf({ root, spot, start }: Location): readonly string[] {
  return entriesOf(nodeAt(root, spot)).flatMap(({ key, at }) => (at === start || at === start - 1 ? [] : [key]));
}

/** The other members of the list that has this value. */
export function othersInList({ root, spot, start }: Location): readonly string[] {
  if (typeof spot.at(-1) !== "number") return [];
  const list = nodeAt(root, spot.slice(0, -1));
  return (list?.kind === "list" ? list.items : []).flatMap((one) =>
    one?.kind === "text" && one.from !== start ? [one.text] : [],
  );
}

/** The map that has the key of this value. */
export function mapAround({ root, spot, place }: Location): Sketch | null {
  if (place === "key") return nodeAt(root, spot);
  const last = spot.findLastIndex((one) => typeof one === "string");
  return last === -1 ? null : nodeAt(root, spot.slice(0, last));
}
