// What stands where in a verified request. In: its headers and body, and a path (`body.data.id`, `headers.x-event`, `item.id` of one of a
// list). Out: a text, or null. It reads JSON and forms; of anything else only the headers.
import type { IncomingHttpHeaders } from "node:http";

export interface ReadRequest {
  readonly headers: IncomingHttpHeaders;
  /** The body as JSON text; null where it is neither JSON nor a form. */
  readonly json: string | null;
  readonly value: unknown;
  /** The value with each number as the text that was sent. Undefined where it is nested too deeply. */
  readonly digits: () => unknown;
  /** One of a list in the body. */
  readonly item?: { readonly json: string; readonly value: unknown; readonly digits: () => unknown };
}

export function readRequest(headers: IncomingHttpHeaders, body: Buffer): ReadRequest {
  // Without a byte order mark, which some senders write and JSON.parse refuses.
  const text = new TextDecoder().decode(body);
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true) {
    const value = Object.fromEntries(new URLSearchParams(text));
    return readAs(headers, JSON.stringify(value), value);
  }
  try {
    return readAs(headers, text, JSON.parse(text));
  } catch {
    return readAs(headers, null, null);
  }
}

function readAs(headers: IncomingHttpHeaders, json: string | null, value: unknown): ReadRequest {
  return { headers, json, value, digits: digitsOf(json) };
}

/** Parsed once, at the first call: the items of a list may all ask for the digits of what stands beside it. */
function digitsOf(json: string | null): () => unknown {
  let parsed: { readonly value: unknown } | null = null;
  return () => {
    parsed ??= { value: unlessTooDeep(() => JSON.parse(json ?? "null", numberAsSent) as unknown) };
    return parsed.value;
  };
}

/** JSON.parse alone reads any depth; with a reviver, and in JSON.stringify, it recurses. */
function unlessTooDeep<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const TEXT_MAX = 500;

/**
 * Each item of the list at a path (`body.events`), as JSON text with its numbers as they were sent.
 * @returns Null where there is no list, or the body is nested too deeply.
 */
export function itemsAt({ json, value }: ReadRequest, path: string): readonly Required<ReadRequest>["item"][] | null {
  const [, ...names] = path.split(".");
  const list = valueAt(value, names);
  if (json === null || !Array.isArray(list)) return null;
  const items = unlessTooDeep(() => {
    const texts = valueAt(JSON.parse(json, numberKept), names) as readonly unknown[];
    return list.map((item, at) => {
      const text = JSON.stringify(texts[at]);
      return { json: text, value: item as unknown, digits: digitsOf(text) };
    });
  });
  return items ?? null;
}

function numberKept(_: string, value: unknown, context?: { readonly source: string }): unknown {
  return typeof value === "number" && context !== undefined ? rawJson(context.source) : value;
}

/** ES2025; not in TypeScript's library yet. */
const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON(text: string): unknown };

export function textAt({ headers, value, digits, item }: ReadRequest, path: string): string | null {
  if (path.startsWith("item.")) {
    return item === undefined ? null : textAt({ headers, ...item }, path.replace("item", "body"));
  }
  const [root, ...names] = path.split(".");
  if (root === "headers") {
    const header = headers[names.join(".").toLowerCase()];
    return typeof header === "string" ? bounded(header) : null;
  }
  const found = valueAt(value, names);
  // Two ids may be one number to JavaScript: beyond 2^53 the digits count, as they were sent.
  if (Number.isInteger(found) && !Number.isSafeInteger(found)) {
    const text = valueAt(digits(), names);
    return typeof text === "string" ? bounded(text) : null;
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

function numberAsSent(_: string, value: unknown, context?: { readonly source: string }): unknown {
  return typeof value === "number" ? context?.source : value;
}

function bounded(text: string): string | null {
  return text === "" || text.length > TEXT_MAX || text.includes("\0") || !text.isWellFormed() ? null : text;
}
