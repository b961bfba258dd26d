// Reads the default of a short notation. In: its text. Out: syntax, as if YAML had read it, with the position of the
// whole default. It only reads values: words, quoted texts, lists and maps in brackets. It doesn't check types.
import { type ParsedNode, parseDocument } from "yaml";
import { nodeSyntax } from "../text/parse.ts";
import type { Node, Range, ScalarNode } from "../text/syntax.ts";
import type { DefaultNotation } from "./notation/parse-notation.ts";

const NESTING_MAX = 12;

/** Null if it is not valid. */
export function readNotationValue(written: DefaultNotation, range: Range): Node | null {
  if (written.form === "quoted") return scalar(written.value, written.value, "quoted", range);
  if (written.form === "word") return scalar(plainValue(written.value), written.value, "plain", range);
  if (nestingOf(written.value) > NESTING_MAX) return null;
  const document = parseDocument(written.value, {
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: "silent",
  });
  if (document.errors.length > 0 || document.contents === null) return null;
  return movedTo(nodeSyntax(document.contents as ParsedNode, written.value), range);
}

/** Reading recurses as deep as the text is nested. */
function nestingOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth--;
  }
  return deepest;
}

/** Null if it contains aliases, anchors or tags. */
function movedTo(node: Node, range: Range): Node | null {
  if (node.kind === "scalar") return node.broken ? null : { ...node, range };
  if (node.kind === "list") {
    const items = node.items.map((item) => movedTo(item, range));
    return items.every((item) => item !== null) ? { ...node, items, range } : null;
  }
  const entries = node.entries.flatMap(({ key, value }) => {
    const [name, content] = [movedTo(key, range), movedTo(value, range)];
    return name?.kind === "scalar" && content !== null ? [{ key: name, value: content }] : [];
  });
  return entries.length === node.entries.length ? { ...node, entries, range } : null;
}

function scalar(value: ScalarNode["value"], text: string, style: ScalarNode["style"], range: Range): ScalarNode {
  return { kind: "scalar", value, text, style, broken: false, range };
}

/** A word as YAML's core schema reads it. */
function plainValue(text: string): ScalarNode["value"] {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null" || text === "~") return null;
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
}
