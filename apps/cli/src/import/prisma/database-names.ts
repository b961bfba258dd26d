// The names that a Prisma schema gives to its parts in the database (`@map`, `@@map`, `@@schema`). In: the texts of its files. Out: the
// names by model, field and value. The blueprint of an import uses the names of the schema, and the rows are in these tables.
import type { Attr, BlockAttribute, Enum, Model } from "@mrleebo/prisma-ast";
import type { PrismaText } from "./prisma-text.ts";
import { attributeOf, firstPlain, textArgument, unquote } from "./prisma-values.ts";
import { blockAttributes, parsePrisma } from "./read-prisma.ts";
import { fieldsIn, relationName } from "./relations.ts";

export interface DatabaseNames {
  /** By model. */
  readonly tables: ReadonlyMap<string, TableNames>;
  /** Name of an enum in the database > stored value > its name in the schema. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export interface TableNames {
  readonly name: string;
  /** Null for the usual schema. */
  readonly space: string | null;
  readonly columns: ReadonlyMap<string, string>;
  /** Relation > its explicit name, from which the table of a many-to-many relation gets its own. */
  readonly relations: ReadonlyMap<string, string | null>;
}

/** @throws CommandFailure if a text isn't a Prisma schema. */
export function databaseNames(texts: readonly PrismaText[]): DatabaseNames {
  const blocks = texts.flatMap(parsePrisma);
  return {
    tables: new Map(blocks.flatMap((block) => (block.type === "model" ? [[block.name, namesOf(block)] as const] : []))),
    enums: new Map(blocks.flatMap((block) => (block.type === "enum" ? [valuesOf(block)] : []))),
  };
}

function namesOf(model: Model): TableNames {
  const option = (name: string) => textOf(blockAttributes(model).find((one) => one.name === name));
  const fields = fieldsIn(model);
  return {
    name: option("map") ?? model.name,
    space: option("schema"),
    columns: new Map(fields.map((field) => [field.name, textOf(attributeOf(field, "map")) ?? field.name])),
    relations: new Map(fields.map((field) => [field.name, relationName(field)])),
  };
}

function valuesOf({ name, enumerators }: Enum): readonly [string, ReadonlyMap<string, string>] {
  let stored = name;
  const values = new Map<string, string>();
  for (const one of enumerators) {
    if (one.type === "attribute" && one.name === "map") stored = textOf(one) ?? name;
    if (one.type !== "enumerator") continue;
    values.set(textOf(one.attributes?.find((attribute) => attribute.name === "map")) ?? one.name, one.name);
  }
  return [stored, values];
}

/** `@map("name")` or `@map(name: "name")`. */
function textOf(attribute: Attr | BlockAttribute | undefined): string | null {
  const first = firstPlain(attribute);
  return textArgument(attribute, "name") ?? (typeof first === "string" ? unquote(first) : null);
}
