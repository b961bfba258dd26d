// Finds what somebody wrote in a change of a blueprint. In: the text before and after. Out: each value that is new, other or gone,
// with its place. Layout, comments and notation don't count: both texts are formatted first. It never says who wrote it.
import { diffIndices } from "node-diff3";
import { parseSyntax } from "../text/parse.ts";
import { createPositions, createReport } from "../text/report.ts";
import type { Node, Range } from "../text/syntax.ts";
import { formatBlueprint } from "./format.ts";

/** A value that the change writes, or removes with its place. */
export interface WrittenPart {
  /** `entities.note.fields.body`; `[]` for an item of a list. */
  readonly place: string;
  /** The place with its value. Equal for equal parts of other changes. */
  readonly key: string;
}

interface Part extends WrittenPart {
  /** Its first and its last line, counted from 0. */
  readonly lines: readonly [number, number];
}

interface Version {
  readonly text: string;
  readonly parts: readonly Part[];
}

const NOTHING: Version = { text: "", parts: [] };

/** @param before Null if nothing was written before. */
export function writtenParts(before: string | null, after: string): readonly WrittenPart[] {
  const { added, removed } = compare(before === null ? NOTHING : versionOf(before), versionOf(after));
  return [...added, ...removed].map(({ place, key }) => ({ place, key }));
}

/**
 * The text after, without the parts that somebody else wrote: these are as they were before. Null if they can't be separated.
 *
 * @param isOther Whether somebody else wrote the part with this key.
 */
export function withoutParts(before: string, after: string, isOther: (key: string) => boolean): string | null {
  const [was, is] = [versionOf(before), versionOf(after)];
  const { added, removed } = compare(was, is);
  const other = { added: added.filter(({ key }) => isOther(key)), removed: removed.filter(({ key }) => isOther(key)) };
  const [old, now] = [linesOf(was.text), linesOf(is.text)];
  const kept: string[] = [];
  let [at, found] = [0, 0];
  for (const { buffer1, buffer2 } of diffIndices(withOwners(old), withOwners(now))) {
    const [from, count] = buffer2;
    kept.push(...now.slice(at, from));
    at = from + count;
    const theirs =
      other.added.filter(({ lines }) => touches(lines, buffer2)).length +
      other.removed.filter(({ lines }) => touches(lines, buffer1)).length;
    found += theirs;
    kept.push(...(theirs > 0 ? old.slice(buffer1[0], buffer1[0] + buffer1[1]) : now.slice(from, at)));
  }
  kept.push(...now.slice(at));
  return found < other.added.length + other.removed.length ? null : kept.join("\n");
}

function versionOf(source: string): Version {
  const formatted = formatBlueprint(source);
  const text = "text" in formatted ? formatted.text : source;
  const root = parseSyntax(text, createReport(text));
  return { text, parts: root === null ? [] : partsIn(root, "", lineFinder(text)) };
}

function partsIn(node: Node, place: string, linesAt: (range: Range) => Part["lines"]): readonly Part[] {
  switch (node.kind) {
    case "scalar":
      return [{ place, key: `${place} = ${JSON.stringify(node.value)}`, lines: linesAt(node.range) }];
    case "list":
      return node.items.flatMap((item) => partsIn(item, `${place}[]`, linesAt));
    case "map":
      return node.entries.flatMap(({ key, value }) =>
        partsIn(value, place === "" ? key.text : `${place}.${key.text}`, linesAt),
      );
  }
}

/** A part that is gone counts only if nothing has taken its place: whoever writes another value has written that. */
function compare(was: Version, is: Version): { readonly added: readonly Part[]; readonly removed: readonly Part[] } {
  const old = new Set(was.parts.map(({ key }) => key));
  const places = new Set(is.parts.map(({ place }) => place));
  return {
    added: is.parts.filter(({ key }) => !old.has(key)),
    removed: was.parts
      .filter(({ place }) => !places.has(place))
      .map((part) => ({ ...part, key: `without ${part.key}` })),
  };
}

function linesOf(text: string): string[] {
  return text.split("\n");
}

/**
 * Each line after the lines that it belongs to. A blueprint repeats lines such as `read: true` a thousand times, and a comparison
 * of equal lines takes the square of that.
 */
function withOwners(lines: readonly string[]): string[] {
  const owners: { readonly indent: number; readonly path: string }[] = [];
  return lines.map((line) => {
    const indent = line.search(/\S/);
    if (indent === -1) return `${owners.at(-1)?.path ?? ""}\n`;
    while ((owners.at(-1)?.indent ?? -1) >= indent) owners.pop();
    const path = `${owners.at(-1)?.path ?? ""}\n${line}`;
    owners.push({ indent, path });
    return path;
  });
}

function touches([first, last]: Part["lines"], [from, count]: readonly [number, number]): boolean {
  return first < from + count && last >= from;
}

function lineFinder(text: string): (range: Range) => Part["lines"] {
  const positionOf = createPositions(text);
  return ({ start, end }) => [positionOf(start).line - 1, positionOf(Math.max(start, end - 1)).line - 1];
}
