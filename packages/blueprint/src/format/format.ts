// Formats a blueprint. In: its text. Out: the same blueprint in its canonical layout, with comments; or why it can't be
// read. It only needs valid YAML: a blueprint with errors is formatted too. Formatting twice changes nothing.
import { type Document, isMap, isScalar, isSeq, type Pair, Scalar, visit, type YAMLMap, type YAMLSeq } from "yaml";
import type { Diagnostic } from "../text/diagnostic.ts";
import { parseYaml } from "../text/parse.ts";
import { createReport } from "../text/report.ts";
import { createFieldShortener } from "./format-field.ts";

/**
 * A list in brackets that is longer than this gets one line for each item. A list that its author has split stays
 * split.
 */
const LIST_WIDTH_MAX = 100;

/** A comment that one pass moves can belong to another node in the next pass; it is stable after two or three. */
const PASSES_MAX = 6;

/** Words that are booleans in YAML 1.1 keep the quotes of their author. */
const booleanLike = /^(?:y|n|yes|no|on|off)$/i;

export function formatBlueprint(
  text: string,
): { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] } {
  let formatted = { text };
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    const again = formatOnce(formatted.text);
    if (!("text" in again)) return pass === 1 ? again : formatted;
    // A formatted text needs one pass.
    if (again.text === formatted.text) break;
    formatted = again;
  }
  return formatted;
}

function formatOnce(text: string): { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] } {
  const report = createReport(text);
  const { document } = parseYaml(text, report);
  if (document === null || report.failed()) return { diagnostics: report.diagnostics() };
  shortenFields(document, text);
  layOut(document);
  const formatted = document.toString({ lineWidth: 0, indent: 2, flowCollectionPadding: false });
  return { text: formatted.trim() === "" ? "" : `${formatted.trimEnd()}\n` };
}

/** Fields get their short form, in entities and in the profile of users. */
function shortenFields(document: Document.Parsed, source: string): void {
  const shorten = createFieldShortener(source);
  const maps: unknown[] = [valueAt(valueAt(document.contents, "users"), "fields")];
  const entities = valueAt(document.contents, "entities");
  for (const pair of isMap(entities) ? entities.items : []) {
    const long = valueAt(pair.value, "fields");
    maps.push(isMap(long) ? long : pair.value);
  }
  for (const map of maps) if (isMap(map)) for (const field of map.items) shorten(field);
}

function layOut(document: Document.Parsed): void {
  document.directives.docStart = null;
  visit(document, {
    Pair: (_, pair) => {
      // An empty line between a key and its value has no meaning.
      if (isMap(pair.value) || isSeq(pair.value)) pair.value.spaceBefore = false;
      if (breaksOpen(pair.value) && isScalar(pair.key)) raiseComment(pair.value, pair.key);
    },
    Map: (key, map) => {
      // A list has no key to move the comment to, so it moves above the item.
      if (breaksOpen(map) && key !== "value") raiseComment(map, map);
      if (map.items.length > 0) map.flow = false;
    },
    Seq: (_, list) => {
      if (list.flow === true) list.flow = fitsOnOneLine(list);
    },
    Scalar: (_, scalar) => unquote(scalar),
  });
  if (!isMap(document.contents)) return;
  separate(document.contents, (pair, index) => index > 0 && (isBlock(pair.value) || pair.key.spaceBefore === true));
  const entities = valueAt(document.contents, "entities");
  if (isMap(entities)) separate(entities, (_, index) => index > 0);
}

/** A map or list in brackets that will be written on separate lines. */
function breaksOpen(node: unknown): node is YAMLMap | YAMLSeq {
  if (isMap(node)) return node.flow === true && node.items.length > 0;
  return isSeq(node) && node.flow === true && !fitsOnOneLine(node);
}

/** A comment after the closing bracket would end up inside the last entry. */
function raiseComment(from: YAMLMap | YAMLSeq, to: Scalar | YAMLMap | YAMLSeq): void {
  if (!from.comment) return;
  to.commentBefore = to.commentBefore ? `${to.commentBefore}\n${from.comment}` : from.comment;
  delete from.comment;
}

function fitsOnOneLine(list: YAMLSeq): boolean {
  let width = 0;
  for (const item of list.items) {
    if (!isScalar(item) || hasComment(item) || String(item.value).includes("\n") || item.value === null) return false;
    width += String(item.value).length + 2;
  }
  return width <= LIST_WIDTH_MAX;
}

function hasComment(node: Scalar): boolean {
  return Boolean(node.comment) || Boolean(node.commentBefore) || node.spaceBefore === true;
}

/** Quotes stay only if the text would have another meaning without them. */
function unquote(scalar: Scalar): void {
  if (scalar.type !== Scalar.QUOTE_DOUBLE && scalar.type !== Scalar.QUOTE_SINGLE) return;
  if (typeof scalar.value === "string" && booleanLike.test(scalar.value)) return;
  delete scalar.type;
}

/** One empty line before the entries in `apart`, none before the others. */
function separate(map: YAMLMap, apart: (pair: Pair<Scalar, unknown>, index: number) => boolean): void {
  for (const [index, pair] of map.items.entries()) {
    if (isScalar(pair.key)) pair.key.spaceBefore = apart(pair as Pair<Scalar, unknown>, index);
    if (index < map.items.length - 1) trimLastComment(pair.value);
  }
}

/**
 * An empty line after a comment that ends a block is part of the comment: together with the one before the next entry
 * there would be two.
 */
function trimLastComment(node: unknown): void {
  if (!isMap(node) && !isSeq(node)) return;
  if (node.comment) node.comment = node.comment.replace(/\n+$/, "");
  const last: unknown = node.items.at(-1);
  trimLastComment(isMap(node) ? (last as Pair | undefined)?.value : last);
}

function isBlock(value: unknown): boolean {
  return (isMap(value) && value.items.length > 0) || (isSeq(value) && value.flow !== true && value.items.length > 0);
}

function valueAt(map: unknown, key: string): unknown {
  return isMap(map) ? map.items.find((pair) => keyOf(pair) === key)?.value : undefined;
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : "";
}
