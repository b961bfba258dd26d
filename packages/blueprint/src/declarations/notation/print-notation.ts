// Prints field notation. In: its parts. Out: the canonical text: one space between parts, modifiers in a fixed order,
// quotes only if needed. Parsing it again gives the same parts.

import type { Node } from "../../text/syntax.ts";
import { readNotationValue } from "../read-value.ts";
import type { ArgumentPart, DefaultNotation, FieldNotation, ModifierNotation, TypeNotation } from "./parse-notation.ts";

/** The order of modifiers; unknown ones come last. */
const modifierOrder: readonly string[] = [
  "unique",
  "index",
  "immutable",
  "readonly",
  "internal",
  "pii",
  "searchable",
  "on_delete",
  "as",
  "was",
  "fill",
  "deprecated",
];

export function printNotation({ type, optional, modifiers, default: fallback }: FieldNotation): string {
  const ordered = [...modifiers].sort((a, b) => rank(a) - rank(b));
  const behind = ordered.map((modifier) => ` ${printModifier(modifier)}`);
  return `${printType(type)}${optional ? "?" : ""}${behind.join("")}${fallback === null ? "" : ` = ${printDefault(fallback)}`}`;
}

function printModifier({ name, args, raw }: ModifierNotation): string {
  if (args === null || raw === null) return name.text;
  const inside = name.text === "fill" ? raw.text.trim() : printArguments(args, name.text === "deprecated");
  return `${name.text}(${inside})`;
}

function rank({ name }: ModifierNotation): number {
  const index = modifierOrder.indexOf(name.text);
  return index === -1 ? modifierOrder.length : index;
}

function printType(type: TypeNotation): string {
  const name = type.name.text;
  switch (type.brackets) {
    case null:
      return name;
    case "<>":
      return `${name}<${type.of === null ? "" : printType(type.of)}>`;
    case "{}": {
      const members = type.members.map((one) => `${one.name.text}: ${printType(one.type)}${one.optional ? "?" : ""}`);
      return members.length === 0 ? `${name}{}` : `${name}{ ${members.join(", ")} }`;
    }
    default: {
      const inside =
        name === "computed" ? (type.raw?.text.trim() ?? "") : printArguments(type.args, false, name === "string");
      return `${name}${type.brackets.charAt(0)}${inside}${type.brackets.charAt(1)}`;
    }
  }
}

/** These texts always have quotes: the reason of `deprecated`, the pattern of `string(min, max, pattern)`. */
function printArguments(args: readonly ArgumentPart[], writing: boolean, pattern = false): string {
  return args
    .map(({ text, quoted }, index) => {
      const leftOut = text === "" && !quoted;
      return printArgument(text, !leftOut && (writing || text === "" || (pattern && index === 2)));
    })
    .join(", ");
}

export function printArgument(text: string, quoted: boolean): string {
  return quoted || !/^[^\s"'()[\]{}<>,=?]*$/.test(text) ? JSON.stringify(text) : text;
}

function printDefault(fallback: DefaultNotation): string {
  if (fallback.form === "word") return fallback.text;
  if (fallback.form === "quoted") return JSON.stringify(fallback.value);
  const value = readNotationValue(fallback, { start: 0, end: 0 });
  return value === null ? fallback.text : printValue(value);
}

/** A value inside brackets; a text has no quotes if YAML reads it as the same text. */
export function printValue(node: Node): string {
  if (node.kind === "list") return `[${node.items.map(printValue).join(", ")}]`;
  if (node.kind === "map") {
    return `{${node.entries.map(({ key, value }) => `${printValue(key)}: ${printValue(value)}`).join(", ")}}`;
  }
  if (node.style === "plain" && typeof node.value !== "string") return node.text === "" ? "null" : node.text;
  const bare = /^[A-Za-z_][\w-]*$/.test(node.text) && !/^(?:true|false|null|y|n|yes|no|on|off)$/i.test(node.text);
  return bare ? node.text : JSON.stringify(node.text);
}
