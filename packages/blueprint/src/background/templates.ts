// Reads values with `${{ ... }}`. In: the value, and the names that its expressions can use. Out: a typed template, or
// diagnostics with positions. Expressions are CEL. A single expression keeps its type; within a text it is joined to
// the text.
import type { Expression, Type } from "@plinth/expression";
import { isUnstorable } from "../check/writing.ts";
import { isBroken } from "../declarations/expect.ts";
import type { Template } from "../model/background.ts";
import type { JsonValue } from "../model/model.ts";
import { type Node, rangeWithin, type ScalarNode } from "../text/syntax.ts";
import { type BackgroundContext, jsonOf } from "./context.ts";
import { checkPart } from "./work-expression.ts";
import type { WorkPlace } from "./work-scope.ts";

const unstorableHint = "Remove the escape sequence that creates it.";

/** A template is parsed at every key press of its author, so the text has a limit. */
const TEXT_MAX = 10_000;

/** Null after its problems were reported. `expected` is the type for a single expression. */
export function readTemplate(
  context: BackgroundContext,
  node: Node,
  place: WorkPlace,
  expected: Type | null = null,
): Template | null {
  if (isBroken(node)) return null;
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "string"
        ? readText(context, node, place, expected)
        : { kind: "literal", value: node.value };
    case "list": {
      const items = node.items.map((item) => readTemplate(context, item, place));
      if (!items.every((item) => item !== null)) return null;
      return items.every(isLiteral) ? literalOf(node) : { kind: "list", items };
    }
    case "map": {
      for (const { key } of node.entries.filter((entry) => isUnstorable(entry.key.text)))
        context.reader.report.add(
          "invalid_template",
          key.range,
          "This key contains a NUL character or half of a surrogate pair.",
          unstorableHint,
        );
      const members = node.entries.map(({ key, value }) => [key.text, readTemplate(context, value, place)] as const);
      const read = members.flatMap(([name, value]): [string, Template][] => (value === null ? [] : [[name, value]]));
      if (read.length < members.length) return null;
      return read.every(([, value]) => isLiteral(value))
        ? literalOf(node)
        : { kind: "object", members: Object.fromEntries(read.sort(([a], [b]) => (a < b ? -1 : 1))) };
    }
  }
}

/** Whether any part of the value is computed. */
export function holdsTemplate(node: Node): boolean {
  if (node.kind === "list") return node.items.some(holdsTemplate);
  if (node.kind === "map") return node.entries.some((entry) => holdsTemplate(entry.value));
  return typeof node.value === "string" && node.text.includes("${{");
}

export function literal(value: JsonValue): Template {
  return { kind: "literal", value };
}

function isLiteral(template: Template): template is Extract<Template, { kind: "literal" }> {
  return template.kind === "literal";
}

function literalOf(node: Node): Template {
  return { kind: "literal", value: jsonOf(node) };
}

function readText(
  context: BackgroundContext,
  scalar: ScalarNode,
  place: WorkPlace,
  expected: Type | null,
): Template | null {
  const { report, source } = context.reader;
  const { text } = scalar;
  if (isUnstorable(text)) {
    report.add(
      "invalid_template",
      scalar.range,
      "This text contains a NUL character or half of a surrogate pair.",
      unstorableHint,
    );
    return null;
  }
  if (text.length > TEXT_MAX && text.includes("${{")) {
    report.add("too_many", scalar.range, `A text with \`\${{\` can have at most ${TEXT_MAX} characters.`);
    return null;
  }
  const parts: (string | Expression)[] = [];
  let fine = true;
  let at = 0;
  for (let open = text.indexOf("${{"); open !== -1; open = text.indexOf("${{", at)) {
    const end = closeOf(text, open + 3);
    if (end === null) {
      const range = rangeWithin(scalar, source, open, text.length);
      report.add("invalid_template", range, "This `${{` has no closing `}}`.", "Add `}}`.");
      return null;
    }
    if (open > at) parts.push(text.slice(at, open));
    warnOfOtherBraces(context, scalar, at, open);
    const isWhole = text.slice(0, open).trim() === "" && text.slice(end + 2).trim() === "";
    const part = checkPart(context, scalar, { start: open + 3, end }, place, isWhole ? expected : null);
    if (isWhole) return part === null ? null : { kind: "value", expression: part };
    if (part === null) fine = false;
    else parts.push(part);
    at = end + 2;
  }
  warnOfOtherBraces(context, scalar, at, text.length);
  const stray = text.indexOf("}}", at);
  if (stray !== -1 && !text.slice(at, stray).includes("{")) {
    const range = rangeWithin(scalar, source, stray, stray + 2);
    report.add("invalid_template", range, "This `}}` has no opening `${{`.", "Write computed values in `${{ ... }}`.");
    return null;
  }
  if (at < text.length) parts.push(text.slice(at));
  if (!fine) return null;
  return parts.some((part) => typeof part !== "string") ? { kind: "text", parts } : literal(scalar.value);
}

/** Limited, so that a text of many open braces is read only once. */
const OTHER_BRACES = /(?:\{\{|\$\{)\s{0,4}([a-z_][^{}]{0,200})\}{1,2}/gi;

/** Warns about a value without `${{` that looks computed. */
export function warnOfForeignTemplates(context: BackgroundContext, node: Node): void {
  if (node.kind === "list") for (const item of node.items) warnOfForeignTemplates(context, item);
  else if (node.kind === "map") for (const entry of node.entries) warnOfForeignTemplates(context, entry.value);
  else warnOfOtherBraces(context, node, 0, node.text.length);
}

/** `{{ record.id }}` and `${record.id}` are plain text here. They can be meant for another service. */
function warnOfOtherBraces(
  { reader: { report, source } }: BackgroundContext,
  scalar: ScalarNode,
  at: number,
  end: number,
): void {
  for (const { 0: whole, 1: inner = "", index } of scalar.text.slice(at, end).matchAll(OTHER_BRACES)) {
    const shown = whole.slice(0, 60);
    report.add(
      "foreign_template",
      rangeWithin(scalar, source, at + index, at + index + whole.length),
      `\`${shown}\` is plain text here and is not replaced by a value.`,
      `Write \`\${{ ${inner.trim().slice(0, 60)} }}\` to insert its value. To keep these exact characters, write \`\${{ "${shown}" }}\`.`,
    );
  }
}

/** The `}}` that ends an expression, outside of strings and of maps in it. */
function closeOf(text: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      const end = endOfString(text, at, character);
      if (end === null) return null;
      at = end;
    } else if (character === "{") depth++;
    else if (character === "}") {
      if (depth === 0) return text.charAt(at + 1) === "}" ? at : null;
      depth--;
    }
  }
  return null;
}

function endOfString(text: string, from: number, quote: string): number | null {
  for (let at = from + 1; at < text.length; at++) {
    if (text.charAt(at) === "\\") at++;
    else if (text.charAt(at) === quote) return at;
  }
  return null;
}
