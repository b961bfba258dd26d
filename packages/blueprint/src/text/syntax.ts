// The blueprint's syntax: plain nodes with spans, which `parse.ts` makes from YAML. It doesn't know the meaning of
// keys.

/** Offsets into the blueprint's text (UTF-16 code units), end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ScalarNode {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** The text as written, without quotes; the folded value if it is quoted or a block. */
  readonly text: string;
  readonly style: "plain" | "quoted" | "block";
  /** A YAML mistake was reported here: its content is not what the author meant, so nothing more is reported. */
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

/** A word of the blueprint with its position: a name, a reference to one, a value in a list. */
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
 * The range of a part of a scalar's text in the blueprint. Escapes, folded lines and indentation make the written form
 * longer, so both forms are walked in parallel.
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

/** The position of each word is needed for a scalar with many words. */
const knownPlaces = new WeakMap<ScalarNode, readonly number[]>();

/** An offset in the source for each character of the text, and for its end. */
function placesOf(text: string, source: string, range: Range): number[] {
  const places: number[] = [];
  let at =
    source[range.start] === "|" || source[range.start] === ">" ? source.indexOf("\n", range.start) + 1 : range.start;
  for (const character of text) {
    const found = /\s/.test(character) ? whiteSpaceAt(source, at, range.end) : source.indexOf(character, at);
    // The character of an escape (`\u00e9`) is not in the source: it gets the position of the text before it.
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
