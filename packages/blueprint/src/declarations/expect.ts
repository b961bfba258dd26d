// Small readers of syntax. Each one takes a node and the expected form, and returns the value or reports a problem.

import type { Report } from "../text/report.ts";
import type { ListNode, MapEntry, MapNode, Node, Range, ScalarNode, Word } from "../text/syntax.ts";
import { hintForKey } from "./foreign-words.ts";

export interface Reader {
  readonly source: string;
  readonly report: Report;
  /** The names of the declared entities; absent if no field is read. */
  readonly entityNames?: ReadonlySet<string>;
}

/** @param hint What to write instead. */
export function expectMap({ report }: Reader, node: Node, what: string, hint: string | null = null): MapNode | null {
  if (node.kind === "map") return node;
  if (!isBroken(node))
    report.add("wrong_kind", node.range, `${what} must be a map (\`key: value\` lines), not ${describe(node)}.`, hint);
  return null;
}

/** @param hint What to write instead. */
export function expectList({ report }: Reader, node: Node, what: string, hint: string | null = null): ListNode | null {
  if (node.kind === "list") return node;
  if (!isBroken(node))
    report.add("wrong_kind", node.range, `${what} must be a list (\`[a, b]\`), not ${describe(node)}.`, hint);
  return null;
}

/** The entries of a map; empty if it is not a map. */
export function mapEntries(reader: Reader, node: Node, what: string): readonly MapEntry[] {
  return expectMap(reader, node, what)?.entries ?? [];
}

/** @param hint What to write instead. */
export function expectText(
  { report }: Reader,
  node: Node,
  what: string,
  hint: string | null = null,
): ScalarNode | null {
  if (node.kind === "scalar" && node.value !== null) return node.broken ? null : node;
  if (!isBroken(node)) report.add("wrong_kind", node.range, `${what} must be a text, not ${describe(node)}.`, hint);
  return null;
}

export function expectBoolean({ report }: Reader, node: Node, what: string): boolean | null {
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  if (!isBroken(node))
    report.add(
      "wrong_kind",
      node.range,
      `${what} must be true or false, not ${describe(node)}.`,
      "Write `true` or `false`.",
    );
  return null;
}

/** One word or a list of words. */
export function expectWords(reader: Reader, node: Node, what: string): Word[] {
  const items = node.kind === "list" ? node.items : [node];
  return items.flatMap((item) => {
    const scalar = expectText(reader, item, what);
    return scalar === null ? [] : [{ text: scalar.text, range: scalar.range }];
  });
}

export function isBroken(node: Node): boolean {
  return node.kind === "scalar" && node.broken;
}

export function describe(node: Node): string {
  if (node.kind === "map") return "a map";
  if (node.kind === "list") return "a list";
  if (node.value === null) return "nothing";
  return typeof node.value === "string" ? "a text" : `a ${typeof node.value}`;
}

/** Reports an unknown key, or one of a later version. */
export function refuseKey(
  { report }: Reader,
  entry: MapEntry,
  where: string,
  known: readonly string[],
  later: readonly string[],
): void {
  const key = entry.key;
  if (key.broken) return;
  if (later.includes(key.text)) notSupportedYet(report, key.range, `\`${key.text}\` of ${where}`);
  else
    report.add(
      "unknown_key",
      key.range,
      `${capitalized(where)} has no key \`${key.text}\`.`,
      hintForKey(key.text, known),
    );
}

export function notSupportedYet(report: Report, range: Range, what: string, hint: string | null = null): void {
  report.add("not_supported_yet", range, `${capitalized(what)} is not supported yet.`, hint);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
