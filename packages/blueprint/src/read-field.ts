// In: one entry of an entity's fields, short or long. Out: its declaration, the same for both forms.
// It reads the notation; whether type, default and names fit is checked in `check/fields.ts`.

import { didYouMean } from "@plinth/expression";
import type { DefaultDeclaration, FieldDeclaration, TypeDeclaration } from "./declarations.ts";
import { expectBoolean, expectText, expectWords, notSupportedYet, type Reader, refuseKey } from "./expect.ts";
import { type FieldNotation, laterModifiers, type Part, parseFieldNotation, servedModifiers } from "./field-type.ts";
import {
  type MapEntry,
  type MapNode,
  type Node,
  type Range,
  rangeWithin,
  type ScalarNode,
  type Word,
  wordOf,
} from "./syntax.ts";

const longKeys: readonly string[] = ["type", "optional", "default", "unique", "max"];
const laterLongKeys: readonly string[] = [
  "index",
  "min",
  "pattern",
  "immutable",
  "readonly",
  "internal",
  "pii",
  "searchable",
  "was",
  "deprecated",
  "label",
  "help",
  "on_delete",
  "as",
];

export function readField(reader: Reader, entry: MapEntry): FieldDeclaration {
  const name = wordOf(entry.key);
  if (entry.value.kind === "map") return readLongField(reader, name, entry.value);
  const nothing: FieldDeclaration = { name, type: null, optional: false, default: null, uniqueWith: [] };
  const scalar = expectText(reader, entry.value, `The field \`${name.text}\``);
  if (scalar === null) return nothing;
  const notation = readNotation(reader, scalar);
  if (notation === null) return nothing;
  const fallback = notation.default;
  return {
    name,
    type: typeOf(notation, scalar, reader.source),
    optional: notation.optional,
    default:
      fallback === null
        ? null
        : { form: "notation", notation: fallback, range: rangeOf(fallback, scalar, reader.source) },
    uniqueWith: readModifiers(reader, notation, scalar),
  };
}

function readNotation({ report, source }: Reader, scalar: ScalarNode): FieldNotation | null {
  const result = parseFieldNotation(scalar.text);
  if ("notation" in result) return result.notation;
  const { message, hint, start, end } = result.problem;
  report.add("invalid_field", rangeWithin(scalar, source, start, end), message, hint);
  return null;
}

function typeOf(notation: FieldNotation, scalar: ScalarNode, source: string): TypeDeclaration {
  const word = (part: Part): Word => ({ text: part.text, range: rangeOf(part, scalar, source) });
  return { name: word(notation.type), args: notation.args.map(word), brackets: notation.brackets, max: null };
}

function rangeOf(part: Part, scalar: ScalarNode, source: string): Range {
  return rangeWithin(scalar, source, part.start, part.end);
}

function readModifiers({ report, source }: Reader, notation: FieldNotation, scalar: ScalarNode): Word[][] {
  const uniques: Word[][] = [];
  for (const { name, args } of notation.modifiers) {
    const range = rangeOf(name, scalar, source);
    if (name.text === "unique") {
      uniques.push((args ?? []).map((part) => ({ text: part.text, range: rangeOf(part, scalar, source) })));
    } else if (laterModifiers.includes(name.text)) {
      notSupportedYet(report, range, `the modifier \`${name.text}\``);
    } else {
      const hint = didYouMean(name.text, [...servedModifiers, ...laterModifiers]) ?? "A default begins with `=`.";
      report.add("unknown_modifier", range, `There is no modifier \`${name.text}\`.`, hint);
    }
  }
  return uniques;
}

function readLongField(reader: Reader, name: Word, map: MapNode): FieldDeclaration {
  const field: {
    name: Word;
    type: TypeDeclaration | null;
    optional: boolean;
    default: DefaultDeclaration | null;
    uniqueWith: Word[][];
  } = {
    name,
    type: null,
    optional: false,
    default: null,
    uniqueWith: [],
  };
  let max: TypeDeclaration["max"] = null;
  for (const entry of map.entries) {
    switch (entry.key.text) {
      case "type": {
        const { type, optional } = readLongType(reader, entry.value);
        field.type = type;
        field.optional ||= optional;
        break;
      }
      case "optional":
        field.optional = expectBoolean(reader, entry.value, "`optional`") ?? field.optional;
        break;
      case "default": {
        const scalar = expectText(reader, entry.value, "`default`");
        if (scalar !== null) field.default = { form: "value", scalar, range: scalar.range };
        break;
      }
      case "unique":
        field.uniqueWith = readLongUnique(reader, entry.value);
        break;
      case "max":
        max = readMax(reader, entry.value);
        break;
      default:
        refuseKey(reader, entry, "a field", longKeys, laterLongKeys);
    }
  }
  if (!map.entries.some((entry) => entry.key.text === "type")) {
    reader.report.add(
      "missing_key",
      name.range,
      `The field \`${name.text}\` has no \`type\`.`,
      "Write `type: string`, or the short form `string`.",
    );
  }
  return { ...field, type: field.type === null ? null : { ...field.type, max } };
}

function readLongType(reader: Reader, node: Node): { type: TypeDeclaration | null; optional: boolean } {
  const scalar = expectText(reader, node, "`type`");
  const notation = scalar === null ? null : readNotation(reader, scalar);
  if (scalar === null || notation === null) return { type: null, optional: false };
  if (notation.modifiers.length > 0 || notation.default !== null) {
    reader.report.add(
      "invalid_field",
      scalar.range,
      "In the long form `type` holds the type alone.",
      "Write `unique:` and `default:` as keys of their own.",
    );
    return { type: null, optional: notation.optional };
  }
  return { type: typeOf(notation, scalar, reader.source), optional: notation.optional };
}

function readLongUnique(reader: Reader, node: Node): Word[][] {
  if (node.kind === "list") return [expectWords(reader, node, "`unique`")];
  return expectBoolean(reader, node, "`unique`") === true ? [[]] : [];
}

function readMax({ report }: Reader, node: Node): TypeDeclaration["max"] {
  if (
    node.kind === "scalar" &&
    typeof node.value === "number" &&
    Number.isInteger(node.value) &&
    node.value >= 1 &&
    node.value <= 65_535
  ) {
    return { value: node.value, range: node.range };
  }
  report.add("invalid_field", node.range, "`max` is a whole number from 1 to 65535.");
  return null;
}
