// Reads a member of an object from JSON. In: the object and the path to the member. Out: its value if it exists and has
// its type, otherwise null. It must accept the same values as the SQL for the same expression.
import type { Datum, Value } from "./datum.ts";
import { isCalculable, parseExact, printExact } from "./exact.ts";
import type { Type } from "./tree.ts";

export function readMember(object: Datum | null, path: readonly string[], type: Type): Datum | null {
  let value: Value | undefined = object?.kind === "opaque" ? object.value : null;
  for (const name of path) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
    const members = value as Readonly<Record<string, Value>>;
    value = Object.hasOwn(members, name) ? members[name] : null;
  }
  return value === null || value === undefined ? null : memberOf(value, type);
}

function memberOf(value: Value, type: Type): Datum | null {
  switch (type.kind) {
    case "bool":
      return typeof value === "boolean" ? { kind: "bool", value } : null;
    case "text":
    case "enum":
      return typeof value === "string" ? { kind: "text", value } : null;
    case "float":
      return typeof value === "number" && isCalculable(value) ? { kind: "float", value } : null;
    case "int":
    case "decimal": {
      const text = digitsOf(value);
      const exact = text === null || !digits[type.kind].test(text) ? null : parseExact(text);
      return exact === null ? null : { kind: "exact", value: exact };
    }
    case "opaque":
      return { kind: "opaque", value };
    default:
      return null;
  }
}

const digits = { int: /^-?[0-9]{1,100}$/, decimal: /^-?[0-9]{1,100}(?:\.[0-9]{1,100})?$/ } as const;

/** A number keeps its value; digits in quotes stay unchanged. */
function digitsOf(value: Value): string | null {
  if (typeof value === "string") return value;
  const exact = typeof value === "number" ? parseExact(value) : null;
  return exact === null ? null : printExact(exact);
}
