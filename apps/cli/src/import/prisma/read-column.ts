// Reads one field of a Prisma model that isn't a relation. In: the field. Out: a column, with its items in the inventory.
import type { Attr, Field, Model } from "@mrleebo/prisma-ast";
import type { ForeignColumn, ForeignComment, ForeignDefault, ForeignEnum, ForeignType } from "../foreign-schema.ts";
import type { Inventory } from "../inventory.ts";
import {
  attributeOf,
  firstPlain,
  literalOf,
  nativeOf,
  printed,
  tagged,
  textArgument,
  unquote,
} from "./prisma-values.ts";

export interface ColumnContext {
  readonly enums: ReadonlyMap<string, ForeignEnum>;
  readonly inventory: Inventory;
}

export function readColumn(
  model: Model,
  field: Field,
  comment: ForeignComment | null,
  { enums, inventory }: ColumnContext,
): ForeignColumn {
  const path = `${model.name}.${field.name}`;
  const item = inventory.found("fields", path);
  noteAttributes(path, field, inventory);
  const fallback = defaultOf(field);
  const isList = field.array === true;
  const given = fallback !== null ? { value: fallback, item: inventory.found("defaults", path) } : null;
  // A list without a value is empty by default.
  const empty = { value: { kind: "literal", value: [] } as const, item };
  return {
    name: field.name,
    item,
    comment,
    type: typeOf(field, enums),
    list: isList,
    optional: field.optional === true,
    required: field.optional === true || isList ? null : inventory.found("not null", path),
    default: given ?? (isList ? empty : null),
    generated: null,
    bounds: nativeOf(field)?.name === "SmallInt" ? { min: "-32768", max: "32767" } : null,
  };
}

/** Attributes that nothing else reads. */
function noteAttributes(path: string, field: Field, inventory: Inventory): void {
  for (const attribute of field.attributes ?? []) {
    const { name, group } = attribute;
    const at = `${path} @${group === undefined ? "" : `${group}.`}${name}`;
    if (group === "db") noteNative(at, attribute, inventory);
    else if (group !== undefined) inventory.leftOut(inventory.found("other", at), "This attribute is not known.");
    else if (name === "map") inventory.leftOut(inventory.found("database names", at), nameInDatabase);
    else if (name === "ignore")
      inventory.changed(inventory.found("other", at), "It was marked @ignore, and is a field now.");
    else if (!["id", "unique", "default", "updatedAt", "relation"].includes(name))
      inventory.leftOut(inventory.found("other", at), "This attribute is not known.");
    if (name !== "map" && textArgument(attribute, "map") !== null)
      inventory.leftOut(inventory.found("database names", `${at}(map)`), nameInDatabase);
  }
}

export const nameInDatabase =
  "The blueprint keeps the names of the Prisma client; Plinth names its own tables and columns.";

/** Native types that add nothing to the field's type or to the limits here. */
const exactNatives: readonly string[] =
  "Text VarChar Char Uuid Date SmallInt Integer Int BigInt Boolean Bool Json JsonB Decimal DoublePrecision Double Timestamptz Time LongText MediumText".split(
    " ",
  );

function noteNative(at: string, { name, args }: Attr, inventory: Inventory): void {
  const item = inventory.found("native types", at);
  const precise = args !== undefined && ["Timestamp", "Timestamptz", "Time", "Timetz", "DateTime"].includes(name);
  if (precise) inventory.changed(item, "Times have a precision of one microsecond.");
  else if (exactNatives.includes(name)) inventory.expressed(item);
  else
    inventory.changed(
      item,
      `The type ${name} of the database is not kept; the field has the type of the Prisma client.`,
    );
}

function typeOf(field: Field, enums: ReadonlyMap<string, ForeignEnum>): ForeignType {
  if (typeof field.fieldType !== "string") {
    const [name] = field.fieldType.params ?? [];
    const text = typeof name === "string" ? unquote(name) : field.fieldType.name;
    const vector = /^vector\((\d+)\)$/.exec(text);
    return vector === null ? { kind: "unsupported", name: text } : { kind: "vector", dimensions: Number(vector[1]) };
  }
  const native = nativeOf(field);
  const [first, second] = (native?.args ?? []).map((arg) => Number(arg.value));
  switch (field.fieldType) {
    case "String":
      if (native?.name === "Uuid") return { kind: "uuid" };
      if (native?.name === "Inet" || native?.name === "Xml") return { kind: "as_text", name: native.name };
      return { kind: "text", max: native?.name === "Bit" || native?.name === "VarBit" ? null : (first ?? null) };
    case "Boolean":
      return { kind: "bool" };
    case "Int":
      return { kind: "int" };
    case "BigInt":
      return { kind: "bigint" };
    case "Float":
      return { kind: "float" };
    case "Decimal":
      // Prisma's default in Postgres.
      return { kind: "decimal", precision: first ?? 65, scale: second ?? (first === undefined ? 30 : 0) };
    case "DateTime":
      if (native?.name === "Date") return { kind: "date" };
      if (native?.name === "Time" || native?.name === "Timetz") return { kind: "time" };
      // Whatever the database stores, the Prisma client reads and writes UTC.
      return { kind: "datetime", zoned: true };
    case "Json":
      return { kind: "json" };
    default: {
      const found = enums.get(field.fieldType);
      return found === undefined ? { kind: "unsupported", name: field.fieldType } : { kind: "enum", enum: found };
    }
  }
}

function defaultOf(field: Field): ForeignDefault | null {
  if (attributeOf(field, "updatedAt") !== undefined) return { kind: "updated_at" };
  const value = firstPlain(attributeOf(field, "default"));
  if (value === undefined) return null;
  const call = tagged(value, "function");
  if (call !== null) {
    switch (call.name) {
      case "now":
        return { kind: "now" };
      case "autoincrement":
        return { kind: "autoincrement" };
      case "uuid":
      case "cuid":
      case "ulid":
      case "nanoid":
        return { kind: "uuid" };
      default:
        return generatedDefault(call.name, printed(value));
    }
  }
  const literal = literalOf(value);
  if (literal === undefined) return { kind: "expression", text: printed(value) };
  if (field.fieldType !== "Json" || typeof literal !== "string") return { kind: "literal", value: literal };
  try {
    return { kind: "literal", value: JSON.parse(literal) };
  } catch {
    return { kind: "expression", text: literal };
  }
}

/** `dbgenerated("gen_random_uuid()")` and similar. */
function generatedDefault(name: string, text: string): ForeignDefault {
  if (
    name === "dbgenerated" &&
    /^dbgenerated\("(?:\w+\.)?(?:gen_random_uuid|uuid_generate_v\w+|uuidv[47])\(\)"\)$/.test(text)
  )
    return { kind: "uuid" };
  if (name === "dbgenerated" && /^dbgenerated\("(?:now\(\)|CURRENT_TIMESTAMP)"\)$/i.test(text)) return { kind: "now" };
  return { kind: "expression", text };
}
