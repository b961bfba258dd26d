// The blueprint's syntax: plain nodes with spans, made from YAML by `parse.ts`. Knows nothing of what the keys mean.

/** Offsets into the blueprint's text (UTF-16 code units), end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ScalarNode {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** The text as written, without quotes; the folded value where it is quoted or a block. */
  readonly text: string;
  readonly style: "plain" | "quoted" | "block";
  /** A trap was reported here: what it holds is not what its author meant, so nothing more is said of it. */
  readonly broken: boolean;
  readonly range: Range;
}

export interface ListNode {
  readonly kind: "list";
  readonly items: readonly Node[];
  readonly range: Range;
}

export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: Node;
}

export interface MapNode {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
  readonly range: Range;
}

export type Node = ScalarNode | ListNode | MapNode;

/** A word of the blueprint with its place: a name, a reference to one, a value of a list. */
export interface Word {
  readonly text: string;
  readonly range: Range;
}

export function wordOf(scalar: ScalarNode): Word {
  return { text: scalar.text, range: scalar.range };
}

export function entryOf(map: MapNode, key: string): MapEntry | undefined {
  return map.entries.find((entry) => entry.key.text === key);
}

/**
 * The range in the blueprint of a part of a scalar's text.
 * Escapes, folded lines and indentation make the written form longer: the two are walked side by side.
 */
export function rangeWithin(scalar: ScalarNode, source: string, start: number, end: number): Range {
  const { range, text } = scalar;
  if (scalar.style === "plain" && range.end - range.start === text.length) {
    return { start: range.start + start, end: range.start + end };
  }
  const places = knownPlaces.get(scalar) ?? placesOf(text, source, range);
  knownPlaces.set(scalar, places);
  const first = places[start] ?? places[text.length] ?? range.start;
  const last = end > start ? (places[end - 1] ?? range.end - 1) + 1 : first;
  return { start: first, end: Math.max(first, last) };
}

/** A scalar of many words is asked for the place of each. */
const knownPlaces = new WeakMap<ScalarNode, readonly number[]>();

/** For each character of the text, and for its end, an offset in the source. */
function placesOf(text: string, source: string, range: Range): number[] {
  const places: number[] = [];
  let at =
    source[range.start] === "|" || source[range.start] === ">" ? source.indexOf("\n", range.start) + 1 : range.start;
  for (const character of text) {
    const found = /\s/.test(character) ? whiteSpaceAt(source, at, range.end) : source.indexOf(character, at);
    // An escape (`\u00e9`) is nowhere to be found as itself: it keeps the place of what stands before.
    const place = found >= at && found < range.end ? found : at;
    for (let i = 0; i < character.length; i++) places.push(place + (found === -1 ? 0 : i));
    at = place + (found >= at && found < range.end ? character.length : 0);
  }
  places.push(Math.min(at, range.end));
  return places;
}

function whiteSpaceAt(source: string, from: number, end: number): number {
  for (let i = from; i < end; i++) if (/\s/.test(source.charAt(i))) return i;
  return -1;
}
