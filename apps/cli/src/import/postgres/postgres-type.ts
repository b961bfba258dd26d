// The blueprint's type for a column of Postgres. In: the types of the catalogue, and one of them with its modifier. Out: a type,
// whether it is a list, and the domains in between.
import type { ForeignEnum, ForeignType } from "../foreign-schema.ts";
import type { TypeRow } from "./catalogue.ts";

export interface ResolvedType {
  readonly type: ForeignType;
  readonly list: boolean;
  /** From the column's own domain to the innermost. */
  readonly domains: readonly TypeRow[];
  readonly bounds: { readonly min: string; readonly max: string } | null;
}

/** @param enums By the type's oid. */
export function resolveType(
  oid: number,
  modifier: number,
  types: ReadonlyMap<number, TypeRow>,
  enums: ReadonlyMap<number, ForeignEnum>,
): ResolvedType {
  const domains: TypeRow[] = [];
  let list = false;
  let ownModifier = modifier;
  let row = types.get(oid);
  while (row !== undefined && (row.kind === "d" || row.member !== 0)) {
    if (row.kind === "d") {
      domains.push(row);
      ownModifier = row.baseModifier;
      row = types.get(row.base);
    } else {
      // A domain inside an array constrains its members, which a field of a list can't express.
      list = true;
      row = types.get(row.member);
    }
  }
  const found = enums.get(row?.oid ?? 0);
  const bounds = row?.name === "int2" && !list ? { min: "-32768", max: "32767" } : null;
  const type =
    found === undefined ? baseType(row?.name ?? "unknown", ownModifier) : ({ kind: "enum", enum: found } as const);
  return { type, list, domains, bounds };
}

/** Modifiers as Postgres packs them: lengths and precisions are increased by 4. */
function baseType(name: string, modifier: number): ForeignType {
  switch (name) {
    case "text":
      return { kind: "text", max: null };
    case "varchar":
    case "bpchar":
      return { kind: "text", max: modifier < 4 ? null : modifier - 4 };
    case "char":
      return { kind: "text", max: 1 };
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
      return {
        kind: "decimal",
        precision: ((modifier - 4) >> 16) & 0xffff,
        scale: signedScale((modifier - 4) & 0x7ff),
      };
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

/** Eleven bits with a sign: numeric(5, -2) rounds to hundreds. */
function signedScale(bits: number): number {
  return bits > 1_023 ? bits - 2_048 : bits;
}
