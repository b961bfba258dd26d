// Reads a column's default as Postgres prints it. In: the expression's text. Out: a value, or the text if it isn't a constant.
import type { ForeignDefault, ForeignType, Literal } from "../foreign-schema.ts";
import { parseSql, type SqlNode } from "./sql-expression.ts";

export function defaultOf(text: string | null, type: ForeignType, list: boolean): ForeignDefault | null {
  if (text === null || /^NULL\b/i.test(text)) return null;
  if (/^(?:now\(\)|CURRENT_TIMESTAMP(?:\(\d\))?|(?:transaction|statement|clock)_timestamp\(\))$/i.test(text))
    return { kind: "now" };
  if (/^\(?(?:now\(\) AT TIME ZONE 'utc'(?:::text)?|timezone\('utc'(?:::text)?, now\(\)\))\)?$/i.test(text))
    return { kind: "now" };
  if (/^\(?(?:CURRENT_DATE|now\(\))(?:\)?::date)?\)?$/i.test(text)) return { kind: "today" };
  if (/^\(?(?:now\(\)|CURRENT_TIMESTAMP)\)?::timestamp/i.test(text)) return { kind: "now" };
  if (/^(?:\w+\.)?(?:gen_random_uuid|uuid_generate_v\w+|uuidv7|uuidv4)\(\)$/.test(text)) return { kind: "uuid" };
  if (/^nextval\(/.test(text)) return { kind: "autoincrement" };
  const tree = parseSql(text);
  const value = tree === null ? undefined : constantOf(tree, type, list);
  return value === undefined ? { kind: "expression", text } : { kind: "literal", value };
}

function constantOf(node: SqlNode, type: ForeignType, list: boolean): Literal | undefined {
  switch (node.kind) {
    case "cast":
      return constantOf(node.of, type, list);
    case "array": {
      const items = node.items.map((item) => constantOf(item, type, false));
      return !list || items.includes(undefined) ? undefined : (items as Literal[]);
    }
    case "bool":
      return node.value;
    case "negative": {
      const value = constantOf(node.of, type, list);
      return value === undefined ? undefined : numberOf(`-${String(value)}`, type);
    }
    case "number":
      return numberOf(node.text, type);
    case "text":
      return list ? membersOf(node.value, type) : plainValue(node.value, type);
    default:
      return undefined;
  }
}

/** A large number stays text, so that no digit is lost. Zeros at the end of a fraction are no digits: 0.0 is 0. */
function numberOf(text: string, type: ForeignType): Literal {
  const number = Number(text);
  const isNumber = ["int", "float", "decimal", "bigint"].includes(type.kind) && /^-?\d/.test(text);
  const plain = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  const isExact = String(number) === plain || (type.kind === "float" && Number.isFinite(number));
  return isNumber && isExact ? number : text;
}

function plainValue(text: string, type: ForeignType): Literal | undefined {
  if (type.kind === "bool") return /^(?:t|true|yes|on|1)$/i.test(text);
  if (type.kind !== "json") return numberOf(text, type);
  try {
    return JSON.parse(text) as Literal;
  } catch {
    return undefined;
  }
}

/** `{}` and `{a,b}`, without quotes or nested lists. */
function membersOf(text: string, type: ForeignType): Literal | undefined {
  const inner = /^\{([^{}"\\]*)\}$/.exec(text)?.[1];
  if (inner === undefined) return undefined;
  const items = inner === "" ? [] : inner.split(",").map((item) => plainValue(item, type));
  return items.includes(undefined) ? undefined : (items as Literal[]);
}
