// What a column's type in Postgres is in a blueprint. In: the type's name and modifier from the catalogue. Out: a type.
import type { ForeignType } from "./foreign-schema.ts";

export interface PostgresType {
  readonly typeName: string;
  /** pg_type.typtype: b base, e enum, d domain, c composite, r range. */
  readonly typeKind: string;
  readonly modifier: number;
  /** Of an array its members' type, of a domain the type that it stands on. */
  readonly elementName: string | null;
  readonly baseModifier: number;
  readonly enumValues: readonly string[];
  readonly isArray: boolean;
}

export function isArray(type: PostgresType): boolean {
  return type.isArray;
}

export function typeOf(type: PostgresType): ForeignType {
  const name = type.elementName ?? type.typeName;
  if (type.enumValues.length > 0) return { kind: "enum", name, values: type.enumValues };
  return baseType(name, type.elementName === null ? type.modifier : type.baseModifier);
}

/** Modifiers as Postgres packs them: lengths and precisions stand 4 above their value. */
function baseType(name: string, modifier: number): ForeignType {
  switch (name) {
    case "text":
      return { kind: "text", max: null };
    case "varchar":
    case "bpchar":
      return { kind: "text", max: modifier < 4 ? null : modifier - 4 };
    case "int2":
    case "int4":
      return { kind: "int" };
    case "int8":
      return { kind: "bigint" };
    case "float4":
    case "float8":
      return { kind: "float" };
    case "numeric":
      if (modifier < 4) return { kind: "decimal", precision: null, scale: 0 };
      return { kind: "decimal", precision: ((modifier - 4) >> 16) & 0xffff, scale: (modifier - 4) & 0x7ff };
    case "money":
      return { kind: "decimal", precision: 19, scale: 2 };
    case "bool":
      return { kind: "bool" };
    case "date":
      return { kind: "date" };
    case "time":
    case "timetz":
      return { kind: "time" };
    case "timestamptz":
      return { kind: "datetime", zoned: true };
    case "timestamp":
      return { kind: "datetime", zoned: false };
    case "interval":
      return { kind: "duration" };
    case "uuid":
      return { kind: "uuid" };
    case "json":
    case "jsonb":
      return { kind: "json" };
    case "point":
      return { kind: "point" };
    case "vector":
      return { kind: "vector", dimensions: modifier > 0 ? modifier : null };
    case "citext":
    case "name":
    case "inet":
    case "cidr":
    case "macaddr":
    case "xml":
    case "ltree":
    case "bit":
    case "varbit":
      return { kind: "as_text", name };
    default:
      return { kind: "unsupported", name };
  }
}
