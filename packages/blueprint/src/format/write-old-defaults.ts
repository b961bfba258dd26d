// Upgrades texts of an earlier language version. In: a text. Out: the same text with an old default written out: an
// optional reference was emptied when its target was deleted; now the delete is refused by default. Nothing else in the
// text changes, including comments and layout.
import { parseFieldNotation } from "../declarations/notation/parse-notation.ts";
import { parseSyntax } from "../text/parse.ts";
import { createReport } from "../text/report.ts";
import { entryOf, type MapEntry, type MapNode, type Node, rangeWithin } from "../text/syntax.ts";

interface Insertion {
  /** Offset into the text. */
  readonly at: number;
  readonly words: string;
}

const references: readonly string[] = ["ref", "user_ref", "org_ref"];

/** The unchanged text if it doesn't use the old default, or can't be read. */
export function writeOldDefaults(text: string): string {
  const found = insertionsIn(text);
  const written = [...found]
    .sort((a, b) => b.at - a.at)
    .reduce((now, { at, words }) => `${now.slice(0, at)}${words}${now.slice(at)}`, text);
  // If a change has no good place, the text stays as it is.
  return found.length > 0 && insertionsIn(written).length === 0 ? written : text;
}

function insertionsIn(text: string): readonly Insertion[] {
  const root = parseSyntax(text, createReport(text));
  if (root?.kind !== "map") return [];
  return fieldMapsOf(root).flatMap(({ entries }) =>
    entries.flatMap(({ value }) => {
      const insertion = value.kind === "map" ? inLongForm(value, text) : inShortForm(value, text);
      return insertion === null ? [] : [insertion];
    }),
  );
}

function fieldMapsOf(root: MapNode): readonly MapNode[] {
  const bodies = mapAt(root, "entities")?.entries ?? [];
  const own = bodies.flatMap(({ value }) => (value.kind === "map" ? [mapAt(value, "fields") ?? value] : []));
  const profile = mapAt(root, "users");
  const ofUsers = profile === null ? null : mapAt(profile, "fields");
  return ofUsers === null ? own : [...own, ofUsers];
}

function mapAt(map: MapNode, key: string): MapNode | null {
  const value = entryOf(map, key)?.value;
  return value?.kind === "map" ? value : null;
}

function inShortForm(value: Node, source: string): Insertion | null {
  if (value.kind !== "scalar") return null;
  const read = parseFieldNotation(value.text);
  if (!("notation" in read)) return null;
  const { type, optional, modifiers } = read.notation;
  if (!optional || !references.includes(type.name.text)) return null;
  if (modifiers.some(({ name }) => name.text === "on_delete")) return null;
  const mark = value.text.indexOf("?", type.end);
  return { at: rangeWithin(value, source, mark, mark + 1).end, words: " on_delete(set_null)" };
}

function inLongForm(map: MapNode, source: string): Insertion | null {
  const type = entryOf(map, "type");
  if (type?.value.kind !== "scalar" || entryOf(map, "on_delete") !== undefined) return null;
  const read = parseFieldNotation(type.value.text);
  if (!("notation" in read) || !references.includes(read.notation.type.name.text)) return null;
  const said = entryOf(map, "optional")?.value;
  if (!read.notation.optional && !(said?.kind === "scalar" && said.value === true)) return null;
  return { at: type.value.range.end, words: `${betweenEntries(map, type, source)}on_delete: set_null` };
}

/** A comma inside braces; otherwise a line with the same indentation. */
function betweenEntries(map: MapNode, { key }: MapEntry, source: string): string {
  if (source.charAt(map.range.start) === "{") return ", ";
  const line = source.lastIndexOf("\n", key.range.start) + 1;
  return `\n${" ".repeat(key.range.start - line)}`;
}
