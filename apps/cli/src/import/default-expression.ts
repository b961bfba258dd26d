// Reads a column's default as Postgres prints it. In: the expression's text. Out: a value, or the text where it is no constant.
import type { ForeignDefault, ForeignType } from "./foreign-schema.ts";

export function defaultOf(text: string | null, type: ForeignType): ForeignDefault | null {
  if (text === null || /^NULL\b/i.test(text)) return null;
  if (/^(?:now\(\)|CURRENT_TIMESTAMP(?:\(\d\))?|(?:transaction|statement|clock)_timestamp\(\))$/i.test(text))
    return { kind: "now" };
  if (/^\(?(?:now\(\) AT TIME ZONE 'utc'(?:::text)?|timezone\('utc'(?:::text)?, now\(\)\))\)?$/i.test(text))
    return { kind: "now" };
  if (/^CURRENT_DATE$/i.test(text)) return { kind: "today" };
  if (/^(?:\w+\.)?(?:gen_random_uuid|uuid_generate_v\w+|uuidv7|uuidv4)\(\)$/.test(text)) return { kind: "uuid" };
  if (/^nextval\(/.test(text)) return { kind: "autoincrement" };
  const value = constantOf(text, type);
  return value === null ? { kind: "expression", text } : { kind: "literal", value };
}

function constantOf(text: string, type: ForeignType): string | number | boolean | null {
  if (text === "true" || text === "false") return text === "true";
  const quoted = /^'((?:[^']|'')*)'(?:::[\w ."()[\],]+)?$/.exec(text);
  const plain = quoted?.[1]?.replaceAll("''", "'") ?? /^\(?(-?\d+(?:\.\d+)?)\)?(?:::[\w ()]+)?$/.exec(text)?.[1];
  if (plain === undefined) return null;
  if (type.kind === "bool") return plain === "true" || plain === "t";
  // A large number stays text, so that no digit is lost.
  const number = Number(plain);
  const isNumber = ["int", "float", "decimal", "bigint"].includes(type.kind);
  return isNumber && plain !== "" && String(number) === plain ? number : plain;
}
