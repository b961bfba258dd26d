// Reads a value of a verified request. In: its headers and body, and a path (`body.data.id`, `headers.x-event`,
// `item.id` for one item of a list). Out: a text, or null. It reads JSON and forms; for other bodies only the headers.
import type { IncomingHttpHeaders } from "node:http";
import { itemTexts, partAt } from "./json-parts.ts";

export interface ReadRequest {
  readonly headers: IncomingHttpHeaders;
  /** The body as JSON text; null if it is neither JSON nor a form. */
  readonly json: string | null;
  readonly value: unknown;
  /** Cached digits by their path, because many items may need the same ones from a large body. */
  readonly digits: Map<string, string | null>;
  /** One item of a list in the body. */
  readonly item?: { readonly json: string; readonly value: unknown };
}

export function readRequest(headers: IncomingHttpHeaders, body: Buffer): ReadRequest {
  // Without a byte order mark, which some senders write and JSON.parse refuses.
  const text = new TextDecoder().decode(body);
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true) {
    const value = Object.fromEntries(new URLSearchParams(text));
    return { headers, json: JSON.stringify(value), value, digits: new Map() };
  }
  try {
    return { headers, json: text, value: JSON.parse(text), digits: new Map() };
  } catch {
    return { headers, json: null, value: null, digits: new Map() };
  }
}

const TEXT_MAX = 500;

/**
 * Each item of the list at a path (`body.events`), as JSON text with its numbers as they were sent. @returns null if
 * there is no list; `too_many` if it has more than `most` items.
 */
export function itemsAt(
  { json, value }: ReadRequest,
  path: string,
  most: number,
): readonly Required<ReadRequest>["item"][] | "too_many" | null {
  const [, ...names] = path.split(".");
  const list = valueAt(value, names);
  if (json === null || !Array.isArray(list)) return null;
  if (list.length > most) return "too_many";
  const texts = itemTexts(partAt(json, names) ?? "[]");
  return list.map((item, at) => ({ json: texts[at] ?? "null", value: item }));
}

export function textAt({ headers, json, value, digits, item }: ReadRequest, path: string): string | null {
  if (path.startsWith("item.")) {
    return item === undefined ? null : textAt({ headers, ...item, digits: new Map() }, path.replace("item", "body"));
  }
  const [root, ...names] = path.split(".");
  if (root === "headers") {
    const header = headers[names.join(".").toLowerCase()];
    return typeof header === "string" ? bounded(header) : null;
  }
  const found = valueAt(value, names);
  // JavaScript can't distinguish all ids above 2^53, so their digits are read as they were sent.
  if (typeof found === "number" && isRounded(found)) {
    if (!digits.has(path)) digits.set(path, bounded(partAt(json ?? "null", names) ?? ""));
    return digits.get(path) ?? null;
  }
  return typeof found === "string" || typeof found === "number" ? bounded(String(found)) : null;
}

function valueAt(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (found === null || typeof found !== "object" || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

function isRounded(value: number): boolean {
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

function bounded(text: string): string | null {
  return text === "" || text.length > TEXT_MAX || text.includes("\0") || !text.isWellFormed() ? null : text;
}
