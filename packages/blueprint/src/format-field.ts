// In: one field of a YAML document. Out: the same field in its canonical short form, where it has one.
// It changes nothing unless the model of the field stays the same.
import { isMap, isScalar, type Pair, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import { checkField } from "./check/fields.ts";
import { moduleNames } from "./check/modules.ts";
import type { FieldDeclaration } from "./declarations.ts";
import { parseFieldNotation } from "./field-type.ts";
import type { Field } from "./model.ts";
import { defaultText, typeText } from "./notation.ts";
import { nodeSyntax } from "./parse.ts";
import { readField } from "./read-field.ts";
import { createReport } from "./report.ts";
import type { Node } from "./syntax.ts";

/** Shortens one entry of a map of fields in place. */
export function createFieldShortener(source: string, entities: readonly string[]): (pair: Pair) => void {
  const known = new Set(entities);

  /** What a field means, or null where anything about it is wrong or not served. */
  function meaningOf(value: Node): { field: Field; uniques: readonly (readonly string[])[] } | null {
    const report = createReport("");
    const range = { start: 0, end: 0 };
    const key = { kind: "scalar", value: "field", text: "field", style: "plain", broken: false, range } as const;
    const declared: FieldDeclaration = readField({ source: "", report }, { key, value });
    const field = checkField(declared, { entities: known, modules: new Set(moduleNames), report });
    if (field === null || field === "not_served" || report.failed()) return null;
    return { field, uniques: declared.uniqueWith.map((words) => words.map((word) => word.text)) };
  }

  function shortForm(map: YAMLMap): string | null {
    if (hasCommentsInside(map)) return null;
    const long = meaningOf(nodeSyntax(map as YAMLMap.Parsed, source));
    if (long === null) return null;
    const { field, uniques } = long;
    const fallback = field.default === null ? "" : ` = ${shortDefault(field)}`;
    const short = `${typeText(field.type)}${field.optional ? "?" : ""}${uniques.map(uniqueText).join("")}${fallback}`;
    const meaning = meaningOf(scalarSyntax(short));
    return meaning !== null && JSON.stringify(meaning) === JSON.stringify(long) ? short : null;
  }

  return (pair) => {
    if (isMap(pair.value)) {
      const short = shortForm(pair.value);
      if (short === null) return;
      const scalar = new Scalar(short);
      if (pair.value.comment) scalar.comment = pair.value.comment;
      pair.value = scalar;
    } else if (isScalar(pair.value) && typeof pair.value.value === "string") {
      const tidy = tidyNotation(pair.value.value);
      if (tidy !== null) pair.value.value = tidy;
    }
  };
}

function shortDefault(field: Field): string {
  if (field.default?.kind === "literal" && (field.type.kind === "enum" || field.type.kind === "uuid"))
    return String(field.default.value);
  return field.default === null ? "" : defaultText(field.default);
}

function uniqueText(others: readonly string[]): string {
  return others.length === 0 ? " unique" : ` unique(${others.join(", ")})`;
}

/** One blank between parts, `, ` between arguments, ` = ` before the default. Null where it can't be read. */
function tidyNotation(text: string): string | null {
  const result = parseFieldNotation(text);
  if (!("notation" in result)) return null;
  const { type, args, brackets, optional, modifiers, default: fallback } = result.notation;
  if (/["'{<]/.test(text.slice(0, fallback?.start ?? text.length))) return null;
  const inBrackets = args.map((one) => one.text).join(", ");
  const head = brackets === null ? type.text : `${type.text}${brackets.charAt(0)}${inBrackets}${brackets.charAt(1)}`;
  const behind = modifiers.map(
    ({ name, args: list }) => ` ${name.text}${list === null ? "" : `(${list.map((one) => one.text).join(", ")})`}`,
  );
  return `${head}${optional ? "?" : ""}${behind.join("")}${fallback === null ? "" : ` = ${fallback.text}`}`;
}

function scalarSyntax(text: string): Node {
  return { kind: "scalar", value: text, text, style: "plain", broken: false, range: { start: 0, end: text.length } };
}

/** Comments that would have no place in the short form; one behind the whole map has. */
function hasCommentsInside(map: YAMLMap): boolean {
  const own = (node: unknown): boolean => {
    const { comment, commentBefore } = (node ?? {}) as Partial<ParsedNode>;
    return Boolean(comment) || Boolean(commentBefore);
  };
  return Boolean(map.commentBefore) || map.items.some((pair) => own(pair.key) || own(pair.value) || isMap(pair.value));
}
