// Formats one field. In: the field in a YAML document. Out: the same field in its canonical short form, if it has one.
// It changes nothing unless the declaration of the field stays the same.
import { isMap, isScalar, type Pair, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import type { FieldDeclaration, LimitsDeclaration, TypeDeclaration } from "../declarations/entity-declaration.ts";
import { parseFieldNotation } from "../declarations/notation/parse-notation.ts";
import { printArgument, printNotation, printValue } from "../declarations/notation/print-notation.ts";
import { readField } from "../declarations/read-field.ts";
import { nodeSyntax } from "../text/parse.ts";
import { createReport } from "../text/report.ts";
import type { Node, Word } from "../text/syntax.ts";

/** Shortens one entry of a map of fields in place. */
export function createFieldShortener(source: string): (pair: Pair) => void {
  return (pair) => {
    if (isMap(pair.value)) {
      const short = hasCommentsInside(pair.value) ? null : shortForm(nodeSyntax(pair.value as YAMLMap.Parsed, source));
      if (short === null) return;
      const scalar = new Scalar(short);
      if (pair.value.comment) scalar.comment = pair.value.comment;
      pair.value = scalar;
    } else if (isScalar(pair.value) && typeof pair.value.value === "string") {
      const result = parseFieldNotation(pair.value.value);
      if ("notation" in result) pair.value.value = printNotation(result.notation);
    }
  };
}

/** The short notation with the same declaration; null if there is none. */
function shortForm(map: Node): string | null {
  const long = declarationOf(map);
  const short = long === null ? null : notationOf(long);
  if (long === null || short === null) return null;
  const again = declarationOf({ kind: "scalar", value: short, text: short, style: "plain", broken: false, range });
  return again !== null && JSON.stringify(meaningOf(again)) === JSON.stringify(meaningOf(long)) ? short : null;
}

const range = { start: 0, end: 0 };

/** Null if it can't be read. */
function declarationOf(value: Node): FieldDeclaration | null {
  const report = createReport("");
  const key = { kind: "scalar", value: "field", text: "field", style: "plain", broken: false, range } as const;
  const declared = readField({ source: "", report }, { key, value });
  return report.failed() || declared.type === null ? null : declared;
}

function notationOf(declared: FieldDeclaration): string | null {
  const { type, limits } = declared;
  if (type === null || declared.label !== null || declared.help !== null) return null;
  const hasLimits = limits.min !== null || limits.max !== null || limits.pattern !== null;
  if (hasLimits && (type.name.text !== "string" || type.args.length > 0)) return null;
  const fallback = defaultText(declared);
  if (fallback === null) return null;
  const words = [
    ...declared.uniqueWith.map((others) => (others.length === 0 ? "unique" : `unique(${wordsText(others)})`)),
    ...declared.marks.keys(),
    ...naming("on_delete", declared.onDelete),
    ...naming("as", declared.as),
    ...naming("per", declared.per),
    ...naming("at", declared.at),
    ...naming("writable", declared.writable),
    ...naming("was", declared.was),
    ...(declared.fill === null ? [] : [`fill(${declared.fill.text.trim()})`]),
    ...naming("deprecated", declared.deprecated),
  ];
  const head = typeText(type, hasLimits ? limits : null);
  const text = `${head}${declared.optional ? "?" : ""}${words.map((word) => ` ${word}`).join("")}${fallback}`;
  const result = parseFieldNotation(text);
  return "notation" in result ? printNotation(result.notation) : null;
}

function naming(name: string, word: Word | null): string[] {
  if (word === null) return [];
  return [`${name}(${printArgument(word.text, name === "deprecated")})`];
}

function typeText(type: TypeDeclaration, limits: LimitsDeclaration | null): string {
  const name = type.name.text;
  if (limits !== null) return `${name}(${limitsText(limits)})`;
  switch (type.brackets) {
    case null:
      return name;
    case "<>":
      return `${name}<${type.of === null ? "" : typeText(type.of, null)}>`;
    case "{}":
      return `${name}{ ${type.members.map((one) => `${one.name.text}: ${memberText(one)}`).join(", ")} }`;
    default: {
      const inside = type.expression?.text ?? wordsText(type.args);
      return `${name}${type.brackets.charAt(0)}${inside}${type.brackets.charAt(1)}`;
    }
  }
}

function memberText({ type, limits, optional }: TypeDeclaration["members"][number]): string {
  if (type === null) return "";
  const hasLimits = limits.min !== null || limits.max !== null || limits.pattern !== null;
  return `${typeText(type, hasLimits ? limits : null)}${optional ? "?" : ""}`;
}

function limitsText({ min, max, pattern }: LimitsDeclaration): string {
  const parts = [min?.text ?? "", max?.text ?? "", ...(pattern === null ? [] : [JSON.stringify(pattern.text)])];
  return parts.join(", ");
}

function wordsText(words: readonly Word[]): string {
  return words.map(({ text }) => printArgument(text, false)).join(", ");
}

/** ` = value`; empty if there is no default; null if only the long form can express it. */
function defaultText({ default: fallback, type }: FieldDeclaration): string | null {
  if (fallback === null) return "";
  const { node } = fallback;
  if (node.kind !== "scalar") return ` = ${printValue(node)}`;
  if (node.value === null || node.broken) return null;
  // In the long form, an unquoted text is a text. In the short form of most types it is a word, so here it would have
  // another meaning.
  const isText = ["string", "text", "markdown", "email", "url", "phone", "color"].includes(type?.name.text ?? "");
  const quote = node.style !== "plain" || (isText && typeof node.value === "string") || /["'\s]/.test(node.text);
  return ` = ${quote ? JSON.stringify(node.text) : node.text}`;
}

/** The whole declaration, without positions. */
function meaningOf(declared: FieldDeclaration): unknown {
  const text = (word: Word | null): string | null => word?.text ?? null;
  return {
    type: declared.type === null ? null : typeMeaning(declared.type, declared.limits),
    optional: declared.optional,
    default: declared.default === null ? null : defaultMeaning(declared),
    unique: declared.uniqueWith.map((words) => words.map(text)),
    marks: [...declared.marks.keys()].sort(),
    fill: declared.fill?.text.trim() ?? null,
    names: [
      declared.was,
      declared.deprecated,
      declared.onDelete,
      declared.as,
      declared.per,
      declared.at,
      declared.writable,
      declared.label,
      declared.help,
    ].map(text),
  };
}

/** `string(1,80)` and `{ type: string, min: 1, max: 80 }` are the same. */
function typeMeaning(type: TypeDeclaration, limits: LimitsDeclaration): unknown {
  const isString = type.name.text === "string";
  const places = [limits.min, limits.max, limits.pattern].map((word) => word?.text ?? "");
  const own = isString ? type.args.map(({ text }) => text) : [];
  return {
    name: type.name.text,
    brackets: isString ? null : type.brackets,
    args: isString ? null : type.args.map(({ text }) => text),
    limits: places.map((place, index) => place || (own[index] ?? "")),
    expression: type.expression?.text.trim() ?? null,
    of: type.of === null ? null : typeMeaning(type.of, { min: null, max: null, pattern: null }),
    members: type.members.map((one) => ({
      name: one.name.text,
      optional: one.optional,
      type: one.type === null ? null : typeMeaning(one.type, one.limits),
    })),
  };
}

function defaultMeaning({ default: fallback, type }: FieldDeclaration): unknown {
  const node = fallback?.node;
  if (node === undefined || node.kind !== "scalar") return node === undefined ? null : plainValue(node);
  const isText = ["string", "text", "markdown", "email", "url", "phone", "color"].includes(type?.name.text ?? "");
  return {
    text: node.text,
    isText: node.style !== "plain" || (isText && typeof node.value === "string" && !fallback?.words),
  };
}

function plainValue(node: Node): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, plainValue(value)]));
}

/** Comments that have no place in the short form. A comment after the whole map has one. */
function hasCommentsInside(node: unknown): boolean {
  const own = (one: unknown): boolean => {
    const { comment, commentBefore } = (one ?? {}) as Partial<ParsedNode>;
    return Boolean(comment) || Boolean(commentBefore);
  };
  const inside = (one: unknown): boolean => {
    if (isMap(one)) return one.items.some((pair) => own(pair.key) || own(pair.value) || inside(pair.value));
    return typeof one === "object" && one !== null && "items" in one && Array.isArray(one.items)
      ? one.items.some((item) => own(item) || inside(item))
      : false;
  };
  return (isMap(node) && Boolean(node.commentBefore)) || inside(node);
}
