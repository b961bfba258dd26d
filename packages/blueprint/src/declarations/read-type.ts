// Reads a field's type, short (`list<string>`) or long (`type: list`, `of: string`). In: its syntax. Out: its
// declaration, the same for both. `check/fields/types.ts` checks whether the type exists and its arguments fit.

import {
  type MapEntry,
  type MapNode,
  type Node,
  type Range,
  rangeWithin,
  type ScalarNode,
  wordOf,
} from "../text/syntax.ts";
import type { LimitsDeclaration, MemberDeclaration, TextDeclaration, TypeDeclaration } from "./entity-declaration.ts";
import { expectBoolean, expectMap, expectText, expectWords, type Reader, refuseKey } from "./expect.ts";
import { type FieldNotation, type Part, parseFieldNotation, type TypeNotation } from "./notation/parse-notation.ts";

export const noLimits: LimitsDeclaration = { min: null, max: null, pattern: null };

/** Keys of the long form that belong to its type. */
export const typeKeys: readonly string[] = ["values", "fields", "of"];

export function readNotation({ report, source }: Reader, scalar: ScalarNode): FieldNotation | null {
  const result = parseFieldNotation(scalar.text);
  if ("notation" in result) return result.notation;
  const { message, hint, start, end } = result.problem;
  const comment =
    scalar.style === "plain" ? /^[ \t]+#.*/.exec(source.slice(scalar.range.end, scalar.range.end + 2_000)) : null;
  if (comment !== null && /["'([{<]/.test(scalar.text)) {
    const behind = { start: scalar.range.end + comment[0].indexOf("#"), end: scalar.range.end + comment[0].length };
    const why = "In YAML, ` #` starts a comment, so this value has no end.";
    report.add("yaml_comment_in_rule", behind, why, "Put the whole value in quotes.");
    return null;
  }
  report.add("invalid_field", rangeWithin(scalar, source, start, end), message, hint);
  return null;
}

export function rangeOf(part: { start: number; end: number }, scalar: ScalarNode, source: string): Range {
  return rangeWithin(scalar, source, part.start, part.end);
}

/** A text within a scalar, whose parts have positions. */
export function textWithin(part: Part, scalar: ScalarNode, source: string): TextDeclaration {
  return {
    text: part.text,
    range: rangeOf(part, scalar, source),
    rangeAt: (start, end) => rangeWithin(scalar, source, part.start + start, part.start + end),
  };
}

export function typeOf(notation: TypeNotation, scalar: ScalarNode, source: string): TypeDeclaration {
  const word = (part: Part): { text: string; range: Range } => ({
    text: part.text,
    range: rangeOf(part, scalar, source),
  });
  const { raw } = notation;
  return {
    name: word(notation.name),
    range: rangeOf({ start: notation.name.start, end: notation.end }, scalar, source),
    brackets: notation.brackets,
    args: notation.args.map(word),
    expression: raw === null || notation.name.text !== "computed" ? null : textWithin(raw, scalar, source),
    of: notation.of === null ? null : typeOf(notation.of, scalar, source),
    members: notation.members.map((member) => ({
      name: word(member.name),
      type: typeOf(member.type, scalar, source),
      optional: member.optional,
      limits: noLimits,
    })),
  };
}

interface ReadType {
  readonly type: TypeDeclaration | null;
  readonly optional: boolean;
}

/** The `type` of a long form, completed by other keys: `values` of an enum, `fields` of an object, `of` of a list. */
export function readLongType(reader: Reader, node: Node, siblings: readonly MapEntry[]): ReadType {
  const scalar = expectText(reader, node, "`type`");
  const notation = scalar === null ? null : readNotation(reader, scalar);
  if (scalar === null || notation === null) return { type: null, optional: false };
  if (notation.modifiers.length > 0 || notation.default !== null) {
    reader.report.add(
      "invalid_field",
      scalar.range,
      "In the long form, `type` must contain only the type.",
      "Write modifiers and the default as separate keys: `unique:`, `default:`.",
    );
    return { type: null, optional: notation.optional };
  }
  const type = siblings.reduce(
    (declared: TypeDeclaration | null, entry) => (declared === null ? null : completed(reader, declared, entry)),
    typeOf(notation.type, scalar, reader.source),
  );
  return { type, optional: notation.optional };
}

function completed(reader: Reader, type: TypeDeclaration, { key, value }: MapEntry): TypeDeclaration | null {
  const fits = { values: ["enum", "enum_set"], fields: ["object"], of: ["list", "i18n"] }[key.text] ?? [];
  if (type.brackets !== null || !fits.includes(type.name.text)) {
    const what = type.brackets !== null ? "The type already says it" : `\`${key.text}\` can't be used with this type`;
    reader.report.add(
      "invalid_field",
      key.range,
      `${what}.`,
      `Use it with ${fits.map((one) => `\`${one}\``).join(", ")}.`,
    );
    return null;
  }
  if (key.text === "values") return { ...type, brackets: "[]", args: expectWords(reader, value, "`values`") };
  if (key.text === "of") {
    const { type: of, limits } = readInnerType(reader, value, "`of`");
    const limit = limits.min ?? limits.max ?? limits.pattern;
    if (limit !== null) {
      const hint = "Write limits of the list next to `of`: `min` and `max` count its members.";
      reader.report.add("invalid_field", limit.range, "The members of a list can't have limits of their own.", hint);
      return null;
    }
    return of === null ? null : { ...type, brackets: "<>", of };
  }
  const map = expectMap(reader, value, "`fields`");
  return map === null ? null : { ...type, brackets: "{}", members: map.entries.map((one) => readMember(reader, one)) };
}

/** A type inside another type: a text, or a map with `type`. */
function readInnerType(reader: Reader, node: Node, what: string): ReadType & { limits: LimitsDeclaration } {
  if (node.kind === "map") return readInnerMap(reader, node, what);
  const scalar = expectText(reader, node, what);
  const notation = scalar === null ? null : readNotation(reader, scalar);
  if (scalar === null || notation === null) return { type: null, optional: false, limits: noLimits };
  if (notation.modifiers.length > 0 || notation.default !== null) {
    const message = `${what} can only have a type: no modifiers, no default.`;
    reader.report.add("invalid_field", scalar.range, message, "Put modifiers and defaults on the field itself.");
    return { type: null, optional: false, limits: noLimits };
  }
  return { type: typeOf(notation.type, scalar, reader.source), optional: notation.optional, limits: noLimits };
}

const innerKeys: readonly string[] = ["type", "optional", "min", "max", "pattern", ...typeKeys];

function readInnerMap(reader: Reader, map: MapNode, what: string): ReadType & { limits: LimitsDeclaration } {
  let optional = false;
  for (const entry of map.entries) {
    if (!innerKeys.includes(entry.key.text)) refuseKey(reader, entry, what, innerKeys, []);
    if (entry.key.text === "optional") optional = expectBoolean(reader, entry.value, "`optional`") === true;
  }
  const type = map.entries.find((entry) => entry.key.text === "type");
  if (type === undefined) {
    reader.report.add("missing_key", map.range, `${what} has no \`type\`.`, "Write `type: string`.");
    return { type: null, optional, limits: noLimits };
  }
  const read = readLongType(
    reader,
    type.value,
    map.entries.filter((entry) => typeKeys.includes(entry.key.text)),
  );
  return { type: read.type, optional: optional || read.optional, limits: readLimits(reader, map) };
}

function readMember(reader: Reader, entry: MapEntry): MemberDeclaration {
  return { name: wordOf(entry.key), ...readInnerType(reader, entry.value, `The member \`${entry.key.text}\``) };
}

export function readLimits(reader: Reader, map: MapNode): LimitsDeclaration {
  const at = (key: "min" | "max" | "pattern"): LimitsDeclaration["min"] => {
    const entry = map.entries.find((one) => one.key.text === key);
    const scalar = entry === undefined ? null : expectText(reader, entry.value, `\`${key}\``);
    return scalar === null ? null : wordOf(scalar);
  };
  return { min: at("min"), max: at("max"), pattern: at("pattern") };
}
