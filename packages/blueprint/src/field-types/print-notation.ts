// In: the parts of a field's notation. Out: the notation in its one canonical spelling: one blank between parts, modifiers in
// a fixed order, quotes only where they are needed. What is read again from it is the same.
import type { ArgumentPart, FieldNotation, ModifierNotation, TypeNotation } from "./parse-notation.ts";

/** The order of modifiers; what nobody knows comes last. */
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
  "deprecated",
];

export function printNotation({ type, optional, modifiers, default: fallback }: FieldNotation): string {
  const ordered = [...modifiers].sort((a, b) => rank(a) - rank(b));
  const behind = ordered.map(({ name, args }) => ` ${name.text}${args === null ? "" : `(${printArguments(args)})`}`);
  return `${printType(type)}${optional ? "?" : ""}${behind.join("")}${fallback === null ? "" : ` = ${fallback.text}`}`;
}

function rank({ name }: ModifierNotation): number {
  const index = modifierOrder.indexOf(name.text);
  return index === -1 ? modifierOrder.length : index;
}

export function printType(type: TypeNotation): string {
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
      const inside = name === "computed" ? (type.raw?.text.trim() ?? "") : printArguments(type.args);
      return `${name}${type.brackets.charAt(0)}${inside}${type.brackets.charAt(1)}`;
    }
  }
}

function printArguments(args: readonly ArgumentPart[]): string {
  return args.map(printArgument).join(", ");
}

export function printArgument({ text, quoted }: Pick<ArgumentPart, "text" | "quoted">): string {
  return quoted || !/^[^\s"'()[\]{}<>,=?]*$/.test(text) ? JSON.stringify(text) : text;
}
