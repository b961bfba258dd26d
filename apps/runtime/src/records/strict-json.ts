// Reads a JSON body strictly (RFC 8259, I-JSON's rules of RFC 7493). In: bytes. Out: the value, or a Fault. It refuses
// everything that two readers could understand differently: a repeated key, digits that a double loses, bad UTF-8.
import { isUtf8 } from "node:buffer";
import { Fault } from "@plinth/service";
import { jsonMistake } from "./json-mistake.ts";

const DEPTH_MAX = 32;
/** Members of objects and items of lists, counted before they are parsed. */
const MEMBERS_MAX = 50_000;
/** In the outermost object: no entity has so many fields. */
const TOP_MEMBERS_MAX = 1_000;
/** The longest numbers that a double can represent have some 330 digits. Comparing digits takes quadratic time. */
const NUMBER_CHARS_MAX = 400;

/** @throws Fault `malformed_json`, `payload_too_large` (too many members). */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed("The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  const seen = scan(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson(text);
  }
  // JSON.parse keeps the last of two equal keys. The number of keys in the text is then greater than in the value.
  if (seen.keys > 1 && seen.keys !== keysIn(value)) throw malformed("An object in the body has the same key twice.");
  return value;
}

/** Walks the tokens of the text. JSON.parse checks the grammar afterwards. */
function scan(text: string): { readonly keys: number } {
  let keys = 0;
  let top = 0;
  let commas = 0;
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
      continue;
    }
    if (code === 0x3a) {
      keys++;
      if (depth === 1) top++;
      if (keys > MEMBERS_MAX || top > TOP_MEMBERS_MAX) throw tooManyMembers();
    } else if (code === 0x2c) {
      if (++commas > MEMBERS_MAX) throw tooManyMembers();
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > DEPTH_MAX) throw malformed(`The body is nested deeper than ${DEPTH_MAX} levels.`);
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const start = at;
      do at++;
      while (isNumberPart(text.charCodeAt(at)));
      if (at - start > 15 || hasExponent(text, start, at)) checkPrecision(text.slice(start, at), text);
      continue;
    }
    at++;
  }
  return { keys };
}

/** The index after the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

function isNumberPart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2b || code === 0x2d || (code | 0x20) === 0x65;
}

function hasExponent(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((text.charCodeAt(at) | 0x20) === 0x65) return true;
  return false;
}

function checkPrecision(token: string, text: string): void {
  if (token.length > NUMBER_CHARS_MAX)
    throw malformed(`A number in the body is longer than ${NUMBER_CHARS_MAX} characters.`);
  const value = Number(token);
  if (Number.isNaN(value)) throw notJson(text);
  if (!Number.isFinite(value) || decimalOf(token) !== decimalOf(String(value))) {
    throw malformed(`The number ${token.slice(0, 40)} would lose precision.`);
  }
}

/** A number's digits without leading and trailing zeros, and its exponent: equal for equal decimals. */
function decimalOf(token: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`;
}

function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) {
    let count = 0;
    for (const item of value) count += keysIn(item);
    return count;
  }
  let count = 0;
  for (const key of Object.keys(value)) count += 1 + keysIn((value as Record<string, unknown>)[key]);
  return count;
}

function tooManyMembers(): Fault {
  return new Fault("payload_too_large", {
    detail: `The body may contain at most ${MEMBERS_MAX} members and items, at most ${TOP_MEMBERS_MAX} of them in the outermost object.`,
  });
}

function notJson(text: string): Fault {
  return malformed(`The body is not valid JSON. ${jsonMistake(text)}`);
}

function malformed(detail: string): Fault {
  return new Fault("malformed_json", { detail });
}
