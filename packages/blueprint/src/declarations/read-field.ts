// Reads one field in the short or long form. In: its syntax. Out: its declaration, the same for both forms. It reads
// the notation; `check/fields/fields.ts` checks type, default and names.

import { suggestFor } from "../text/suggestions.ts";
import {
  entryOf,
  type MapEntry,
  type MapNode,
  type Node,
  type Range,
  type ScalarNode,
  type Word,
  wordOf,
} from "../text/syntax.ts";
import type { DefaultDeclaration, FieldDeclaration, Mark } from "./entity-declaration.ts";
import { expectBoolean, expectText, expectWords, type Reader, refuseKey } from "./expect.ts";
import { refuseForeign } from "./notation/foreign-notation.ts";
import type { ArgumentPart, FieldNotation, ModifierNotation } from "./notation/parse-notation.ts";
import {
  noLimits,
  rangeOf,
  readLimits,
  readLongType,
  readNotation,
  textWithin,
  typeKeys,
  typeOf,
} from "./read-type.ts";
import { readNotationValue } from "./read-value.ts";

const marks: readonly Mark[] = ["index", "immutable", "readonly", "internal", "pii", "searchable"];
/** Modifiers with one argument, in the short form and as keys of the long form. */
const namings = ["was", "deprecated", "on_delete", "as", "per", "at", "writable"] as const;
type Naming = (typeof namings)[number];
const modifierNames: readonly string[] = ["unique", "fill", ...marks, ...namings];

const longKeys: readonly string[] = [
  "type",
  ...typeKeys,
  "optional",
  "default",
  "min",
  "max",
  "pattern",
  ...modifierNames,
  "label",
  "help",
];

/** A declaration while it is read. */
type Draft = { -readonly [Key in keyof FieldDeclaration]: FieldDeclaration[Key] } & {
  marks: Map<Mark, Range>;
  uniqueWith: (readonly Word[])[];
};

function draftOf(name: Word): Draft {
  return {
    name,
    type: null,
    optional: false,
    default: null,
    uniqueWith: [],
    limits: noLimits,
    marks: new Map(),
    search: [],
    was: null,
    fill: null,
    deprecated: null,
    onDelete: null,
    as: null,
    per: null,
    at: null,
    writable: null,
    label: null,
    help: null,
  };
}

export function readField(reader: Reader, entry: MapEntry): FieldDeclaration {
  const draft = draftOf(wordOf(entry.key));
  if (entry.value.kind === "map") return readLongField(reader, draft, entry.value);
  const scalar = expectText(reader, entry.value, `The field \`${draft.name.text}\``, hintForList(entry.value));
  if (scalar !== null && refuseForeign(reader, scalar, modifierNames)) return draft;
  const notation = scalar === null ? null : readNotation(reader, scalar);
  if (scalar === null || notation === null) return draft;
  draft.type = typeOf(notation.type, scalar, reader.source);
  draft.optional = notation.optional;
  draft.default = defaultOf(reader, notation, scalar);
  for (const modifier of notation.modifiers) readModifier(reader, draft, modifier, scalar);
  return draft;
}

/** In TypeScript, `[string]` is a type of lists; in YAML it is a list with one word. */
function hintForList(node: Node): string {
  const [only, second] = node.kind === "list" ? node.items : [];
  const word = only?.kind === "scalar" && second === undefined ? only.text.toLowerCase() : null;
  return word === null ? "For example `string`, `int?` or `enum[a, b] = a`." : `Write \`list<${word}>\`.`;
}

function defaultOf(reader: Reader, notation: FieldNotation, scalar: ScalarNode): DefaultDeclaration | null {
  if (notation.default === null) return null;
  const range = rangeOf(notation.default, scalar, reader.source);
  const node = readNotationValue(notation.default, range);
  if (node !== null) return { node, words: true, range };
  reader.report.add(
    "invalid_default",
    range,
    "The default is not valid.",
    'Write it as JSON: `["a", "b"]`, `{"street": "Main"}`.',
  );
  return null;
}

function readModifier(
  { report, source }: Reader,
  draft: Draft,
  { name, args, raw }: ModifierNotation,
  scalar: ScalarNode,
): void {
  const range = rangeOf(name, scalar, source);
  const word = (part: ArgumentPart): Word => ({ text: part.text, range: rangeOf(part, scalar, source) });
  if (name.text === "unique") {
    draft.uniqueWith.push((args ?? []).map(word));
    return;
  }
  if (name.text === "fill") {
    if (draft.fill !== null) report.add("duplicate_value", range, "`fill` is given twice.", "Remove one of them.");
    else if (raw === null || raw.text.trim() === "")
      report.add("invalid_field", range, "`fill` needs an expression.", "For example `fill(first_name)`.");
    else draft.fill = textWithin(raw, scalar, source);
    return;
  }
  const mark = marks.find((one) => one === name.text);
  const naming = namings.find((one) => one === name.text);
  if (mark === undefined && naming === undefined) {
    const hint = suggestFor(name.text, modifierNames, report) ?? "Write `=` before a default.";
    report.add("unknown_modifier", range, `There is no modifier \`${name.text}\`.`, hint);
    return;
  }
  const twice = mark !== undefined ? draft.marks.has(mark) : naming !== undefined && draft[keyOf(naming)] !== null;
  if (twice) {
    report.add("duplicate_value", range, `\`${name.text}\` is given twice.`, "Remove one of them.");
  } else if (mark !== undefined) {
    if (mark === "searchable") draft.search = (args ?? []).map(word);
    else if (args !== null) report.add("invalid_field", range, `\`${mark}\` can't have arguments.`);
    draft.marks.set(mark, range);
  } else if (naming !== undefined) {
    const argument = args?.length === 1 ? args[0] : undefined;
    if (argument === undefined)
      report.add("invalid_field", range, `\`${naming}\` needs exactly one argument.`, examples[naming]);
    else draft[keyOf(naming)] = word(argument);
  }
}

const examples: Readonly<Record<Naming, string>> = {
  was: "For example `was(old_name)`.",
  deprecated: 'For example `deprecated("Use total instead.")`.',
  on_delete: "For example `on_delete(cascade)`.",
  as: "For example `as(sent_messages)`.",
  per: "Write `per(org)`.",
  at: "For example `at(transition:issue)`.",
  writable: "Write `writable(admin)`.",
};

function keyOf(naming: Naming): "was" | "deprecated" | "onDelete" | "as" | "per" | "at" | "writable" {
  return naming === "on_delete" ? "onDelete" : naming;
}

function readLongField(reader: Reader, draft: Draft, map: MapNode): FieldDeclaration {
  if (refuseNoField(reader, draft.name, map)) return draft;
  for (const entry of map.entries) {
    if (longKeys.includes(entry.key.text)) readLongKey(reader, draft, entry);
    else refuseKey(reader, entry, "a field", longKeys, []);
  }
  draft.limits = readLimits(reader, map);
  const type = entryOf(map, "type");
  if (type === undefined) {
    reader.report.add(
      "missing_key",
      draft.name.range,
      `The field \`${draft.name.text}\` has no \`type\`.`,
      "Write `type: string`, or the short form `string`.",
    );
    return draft;
  }
  const siblings = map.entries.filter((entry) => typeKeys.includes(entry.key.text));
  const read = readLongType(reader, type.value, siblings);
  return { ...draft, type: read.type, optional: draft.optional || read.optional };
}

/** A map without `type` and without any key of a field: options of the entity, or the members of an object. */
function refuseNoField({ report }: Reader, name: Word, map: MapNode): boolean {
  if (map.entries.some(({ key }) => longKeys.includes(key.text))) return false;
  const isOption = name.text === "permissions" || name.text === "transitions" || name.text === "checks";
  const members = map.entries.slice(0, 3).flatMap(({ key, value }) => {
    return value.kind === "scalar" ? [`${key.text}: ${value.text}`] : [];
  });
  if (isOption) {
    const hint = "Indent it less: it belongs next to `fields:`.";
    report.add(
      "fields_missing",
      name.range,
      `\`${name.text}\` is listed among the fields, but it is not a field.`,
      hint,
    );
    return true;
  }
  const example = members.length === 0 ? "street: string" : members.join(", ").slice(0, 80);
  const hint = `Write a field with members as \`${name.text}: "object{ ${example} }"\`.`;
  report.add("missing_key", name.range, `The field \`${name.text}\` has no \`type\`.`, hint);
  return true;
}

function readLongKey(reader: Reader, draft: Draft, { key, value }: MapEntry): void {
  const name = `\`${key.text}\``;
  const mark = marks.find((one) => one === key.text);
  if (mark === "searchable" && !isBoolean(value)) {
    draft.search = expectWords(reader, value, name);
    draft.marks.set(mark, key.range);
    return;
  }
  if (mark !== undefined) {
    if (expectBoolean(reader, value, name) === true) draft.marks.set(mark, key.range);
    return;
  }
  switch (key.text) {
    case "optional":
      draft.optional = expectBoolean(reader, value, name) ?? draft.optional;
      break;
    case "default":
      draft.default = { node: value, words: false, range: value.range };
      break;
    case "unique":
      draft.uniqueWith = readLongUnique(reader, value);
      break;
    case "was":
    case "deprecated":
    case "on_delete":
    case "as":
    case "per":
    case "at":
    case "writable":
      draft[keyOf(key.text)] = textAt(reader, value, name);
      break;
    case "fill": {
      const scalar = expectText(reader, value, name);
      if (scalar !== null)
        draft.fill = textWithin({ text: scalar.text, start: 0, end: scalar.text.length }, scalar, reader.source);
      break;
    }
    case "label":
    case "help":
      draft[key.text] = textAt(reader, value, name);
  }
}

function isBoolean(node: Node): boolean {
  return node.kind === "scalar" && typeof node.value === "boolean";
}

function textAt(reader: Reader, node: Node, what: string): Word | null {
  const scalar = expectText(reader, node, what);
  return scalar === null ? null : wordOf(scalar);
}

/** `[a, b]` is the field with these, `[[a], [b]]` are two constraints, `true` is the field alone. */
function readLongUnique(reader: Reader, node: Node): (readonly Word[])[] {
  if (node.kind === "list" && node.items.some((item) => item.kind === "list")) {
    return node.items.map((item) => expectWords(reader, item, "`unique`"));
  }
  if (node.kind === "list") return [expectWords(reader, node, "`unique`")];
  return expectBoolean(reader, node, "`unique`") === true ? [[]] : [];
}
