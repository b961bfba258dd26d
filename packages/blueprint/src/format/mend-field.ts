// Fixes a field whose change existing records prevent, with the smallest edit of the text. In: a text, a field and the
// words to insert. Out: the text with this one edit; comments and layout stay the same. Null if the field is missing,
// or is written in a form without a place for them. The check of the new text decides whether the value suits the
// field.
import { parseFieldNotation } from "../declarations/notation/parse-notation.ts";
import { parseSyntax } from "../text/parse.ts";
import { createReport } from "../text/report.ts";
import { entryOf, type MapEntry, type MapNode, rangeWithin, type ScalarNode } from "../text/syntax.ts";

export type FieldMend =
  | { readonly kind: "optional" }
  /** In the form of a blueprint: `draft`, `0.00`, `"none"`. */
  | { readonly kind: "default"; readonly value: string }
  | { readonly kind: "fill"; readonly expression: string }
  /** In the form of the live text. */
  | { readonly kind: "as_in"; readonly text: string };

export interface FieldPath {
  readonly entity: string;
  readonly field: string;
}

export function mendField(text: string, path: FieldPath, mend: FieldMend): string | null {
  const entry = fieldIn(text, path);
  if (entry === null) return null;
  if (mend.kind === "as_in") {
    const other = fieldIn(mend.text, path);
    if (other === null) return null;
    const written = mend.text.slice(other.value.range.start, other.value.range.end);
    // For several lines: the indentation of the two texts can differ.
    return written.includes("\n") ? null : replaced(text, entry.value.range, written);
  }
  if (entry.value.kind === "map") return inLongForm(text, entry.value, mend);
  return entry.value.kind === "scalar" ? inShortForm(text, entry.value, mend) : null;
}

type Written = Exclude<FieldMend, { kind: "as_in" }>;

function inShortForm(text: string, value: ScalarNode, mend: Written): string | null {
  const read = parseFieldNotation(value.text);
  if (!("notation" in read)) return null;
  const { type, optional, modifiers, default: given } = read.notation;
  const insert = (at: number, words: string): string => {
    const end = rangeWithin(value, text, at - 1, at).end;
    return `${text.slice(0, end)}${words}${text.slice(end)}`;
  };
  const afterType = optional ? value.text.indexOf("?", type.end) + 1 : type.end;
  switch (mend.kind) {
    case "optional":
      return optional ? null : insert(type.end, "?");
    case "fill":
      return modifiers.some(({ name }) => name.text === "fill") ? null : insert(afterType, ` fill(${mend.expression})`);
    case "default":
      return given === null ? insert(value.text.trimEnd().length, ` = ${mend.value}`) : null;
  }
}

function inLongForm(text: string, map: MapNode, mend: Written): string | null {
  const last = map.entries.at(-1);
  if (last === undefined || entryOf(map, mend.kind) !== undefined) return null;
  const words =
    mend.kind === "optional"
      ? "optional: true"
      : `${mend.kind}: ${mend.kind === "fill" ? JSON.stringify(mend.expression) : mend.value}`;
  const end = last.value.range.end;
  return `${text.slice(0, end)}${betweenEntries(map, last, text)}${words}${text.slice(end)}`;
}

/** A comma in braces, otherwise a line with the same indentation. */
function betweenEntries(map: MapNode, { key }: MapEntry, text: string): string {
  if (text.charAt(map.range.start) === "{") return ", ";
  const line = text.lastIndexOf("\n", key.range.start) + 1;
  return `\n${" ".repeat(key.range.start - line)}`;
}

function replaced(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  words: string,
): string {
  return `${text.slice(0, start)}${words}${text.slice(end)}`;
}

/** For `user`, the profile's fields. */
function fieldIn(text: string, { entity, field }: FieldPath): MapEntry | null {
  const root = parseSyntax(text, createReport(text));
  if (root?.kind !== "map") return null;
  const body = entity === "user" ? mapAt(root, "users") : mapAt(mapAt(root, "entities"), entity);
  return entryOf(mapAt(body, "fields") ?? body ?? root, field) ?? null;
}

function mapAt(map: MapNode | null, key: string): MapNode | null {
  const value = map === null ? undefined : entryOf(map, key)?.value;
  return value?.kind === "map" ? value : null;
}
