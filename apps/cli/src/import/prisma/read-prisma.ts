// Reads a Prisma schema. In: the texts of its files. Out: its tables. Each construct has an item in the inventory. It uses the
// names of the schema, not of the database (`@map`), because clients use those.
import {
  type Block,
  type BlockAttribute,
  type Comment,
  type Enum,
  type Field,
  getSchema,
  type Model,
} from "@mrleebo/prisma-ast";
import { CommandFailure, messageOf } from "../../failure.ts";
import type { ForeignComment, ForeignEnum, ForeignList, ForeignSchema, ForeignTable } from "../foreign-schema.ts";
import type { Inventory, Item } from "../inventory.ts";
import { type PrismaText, withoutBlockComments } from "./prisma-text.ts";
import { attributeOf, detailsOf, fieldsOf, textArgument, wordArgument } from "./prisma-values.ts";
import { nameInDatabase, readColumn } from "./read-column.ts";
import { fieldsIn, type Relations, relationsOf, targetOf } from "./relations.ts";

/** @throws CommandFailure if a text isn't a Prisma schema. */
export function readPrisma(texts: readonly PrismaText[], inventory: Inventory): ForeignSchema {
  const blocks = texts.flatMap((text) => [...parsePrisma(text), separator]);
  const comments = commentsOf(blocks, inventory);
  const models = new Map<string, Model>();
  const enums = new Map<string, ForeignEnum>();
  for (const block of blocks) {
    if (block.type === "model") readModelBlock(block, models, inventory);
    else if (block.type === "enum") enums.set(block.name, readEnum(block, comments.get(block) ?? null, inventory));
    else if (block.type === "view")
      inventory.leftOut(
        inventory.found("views", block.name),
        "A view's query is not in the schema; write a view of an entity, or computed fields.",
      );
    else if (block.type === "type")
      inventory.leftOut(
        inventory.found("composite types", block.name),
        "Only models become entities; write it as object{...}.",
      );
    else if (block.type === "datasource" || block.type === "generator")
      inventory.leftOut(inventory.found("settings", `${block.type} ${block.name}`), "It is about Prisma itself.");
  }
  const relations = relationsOf(models, inventory);
  const context: Context = { models, enums, comments, relations, inventory };
  return {
    tables: [...models.values()].map((model) => readModel(model, context)),
    enums: [...enums.values()],
    usersElsewhere: [],
  };
}

interface Context {
  readonly models: ReadonlyMap<string, Model>;
  readonly enums: ReadonlyMap<string, ForeignEnum>;
  readonly comments: ReadonlyMap<object, ForeignComment>;
  readonly relations: ReadonlyMap<string, Relations>;
  readonly inventory: Inventory;
}

/** A comment at the end of one file doesn't describe the first block of the next. */
const separator: Block = { type: "break" };

/** @throws CommandFailure if the text isn't a Prisma schema. */
export function parsePrisma({ file, text }: PrismaText): readonly Block[] {
  try {
    return getSchema(withoutBlockComments(text)).list;
  } catch (error) {
    const [message = ""] = messageOf(error).split("\n");
    throw new CommandFailure(`${file} can't be read as a Prisma schema${placeOf(error)}: ${message}`, 1, {
      cause: error,
    });
  }
}

/** The parser's errors have the token at which it stopped. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error) || !("token" in error)) return "";
  const { token } = error;
  const at = typeof token === "object" && token !== null && "startLine" in token ? Number(token.startLine) : Number.NaN;
  return Number.isNaN(at) ? "" : `, line ${at}`;
}

/** Lines with three slashes before a block are its documentation. Those with two are remarks of its authors. */
function commentsOf(blocks: readonly Block[], inventory: Inventory): ReadonlyMap<object, ForeignComment> {
  const found = new Map<object, ForeignComment>();
  let lines: string[] = [];
  for (const block of blocks) {
    if (block.type === "comment") lines.push(block.text);
    else {
      const comment = commentOf("name" in block ? block.name : "", lines, inventory);
      const takes = block.type === "model" || block.type === "enum";
      if (comment !== null && takes) found.set(block, comment);
      else if (comment !== null) inventory.leftOut(comment.item, "Its block wasn't imported.");
      lines = [];
    }
  }
  return found;
}

function commentOf(path: string, lines: readonly string[], inventory: Inventory): ForeignComment | null {
  const docs = lines.filter((line) => line.startsWith("///")).map((line) => line.slice(3).trim());
  for (const line of lines.filter((one) => !one.startsWith("///")))
    inventory.leftOut(
      inventory.found("remarks", `${path} ${line.trim()}`.trim()),
      "Remarks of the authors aren't imported.",
    );
  if (docs.length === 0) return null;
  return { text: docs.join(" ").trim(), item: inventory.found("comments", path) };
}

function readModelBlock(model: Model, models: Map<string, Model>, inventory: Inventory): void {
  if (!blockAttributes(model).some((option) => option.name === "ignore")) models.set(model.name, model);
  else inventory.leftOut(inventory.found("tables", model.name), "It is marked @@ignore, with all its fields.");
}

export function blockAttributes(model: Model): readonly BlockAttribute[] {
  return model.properties.filter((property): property is BlockAttribute => property.type === "attribute");
}

function readEnum(block: Enum, comment: ForeignComment | null, inventory: Inventory): ForeignEnum {
  const item = inventory.found("enums", block.name);
  const values: ForeignEnum["values"][number][] = [];
  let lines: string[] = [];
  for (const one of block.enumerators) {
    if (one.type === "comment") lines.push(one.text);
    else if (one.type === "enumerator") {
      const path = `${block.name}.${one.name}`;
      const said = commentOf(path, [...lines, ...(one.comment === undefined ? [] : [one.comment])], inventory);
      inventory.leftOut(said?.item, "Values of an enum have no help of their own.");
      lines = [];
      values.push({ name: one.name, item: inventory.found("enum values", path) });
      for (const { name } of one.attributes ?? [])
        inventory.leftOut(inventory.found("database names", `${path} @${name}`), nameInDatabase);
    } else if (one.type === "attribute") {
      inventory.leftOut(inventory.found("database names", `${block.name} @@${one.name}`), nameInDatabase);
    }
  }
  commentOf(
    block.name,
    lines.map((line) => line.replace(/^\/\/\//, "//")),
    inventory,
  );
  return { name: block.name, item, comment, values };
}

function readModel(model: Model, context: Context): ForeignTable {
  const { models, relations, inventory } = context;
  const item = inventory.found("tables", model.name);
  const columns: ForeignTable["columns"][number][] = [];
  let lines: string[] = [];
  const take = (path: string, behind: string | undefined): ForeignComment | null => {
    const comment = commentOf(path, [...lines, ...(behind === undefined ? [] : [behind])], inventory);
    lines = [];
    return comment;
  };
  for (const property of model.properties as readonly (Model["properties"][number] | Comment)[]) {
    if (property.type === "comment") lines.push(property.text);
    else if (property.type === "field") {
      const comment = take(`${model.name}.${property.name}`, property.comment);
      if (targetOf(property, models) === null && !isOfIgnored(property, model, context, comment))
        columns.push(readColumn(model, property, comment, context));
      else inventory.leftOut(comment?.item, "A relation has no help of its own; its field has.");
    } else if (property.type === "attribute") {
      inventory.leftOut(take(`${model.name} @@${property.name}`, undefined)?.item, "It has no counterpart.");
      noteOption(model, property, inventory);
    }
  }
  inventory.leftOut(take(model.name, undefined)?.item, "Nothing follows it.");
  return {
    id: model.name,
    name: model.name,
    space: null,
    item,
    comment: context.comments.get(model) ?? null,
    columns,
    ...listsOf(model, inventory),
    references: relations.get(model.name)?.references ?? [],
    links: relations.get(model.name)?.links ?? [],
    checks: [],
    security: null,
  };
}

/** A field whose type wasn't imported: a model marked @@ignore, a view, a composite type. */
function isOfIgnored(
  field: Field,
  model: Model,
  { enums, inventory }: Context,
  comment: ForeignComment | null,
): boolean {
  const { fieldType } = field;
  const plain = ["String", "Boolean", "Int", "BigInt", "Float", "Decimal", "DateTime", "Json", "Bytes"];
  if (typeof fieldType !== "string" || plain.includes(fieldType) || enums.has(fieldType)) return false;
  inventory.leftOut(inventory.found("fields", `${model.name}.${field.name}`), `Its type ${fieldType} wasn't imported.`);
  inventory.leftOut(comment?.item, "Its field wasn't imported.");
  return true;
}

/** Block attributes that aren't lists of fields, and the options of lists for their fields. */
function noteOption(model: Model, option: BlockAttribute, inventory: Inventory): void {
  const at = `${model.name} @@${option.name}`;
  if (option.name === "map" || option.name === "schema")
    inventory.leftOut(inventory.found("database names", at), nameInDatabase);
  else if (!["id", "unique", "index", "fulltext"].includes(option.name))
    inventory.leftOut(inventory.found("other", at), "This attribute is not known.");
  else {
    const list = `${at}(${fieldsOf(option).join(", ")})`;
    for (const detail of detailsOf(option))
      inventory.leftOut(inventory.found("index details", `${list} ${detail}`), detailReason(detail));
    for (const key of ["map", "name"])
      if (textArgument(option, key) !== null)
        inventory.leftOut(inventory.found("database names", `${list} ${key}`), nameInDatabase);
  }
}

function detailReason(detail: string): string {
  if (/^\w+\(sort: \w+\)$/.test(detail)) return "An index is in ascending order, which Postgres reads both ways.";
  if (detail.startsWith("type: ")) return "An index of a blueprint is a B-tree.";
  return "An index uses the usual operators of its types, and complete values.";
}

/** Kinds of indexes for other queries than those of a B-tree. */
const otherIndexes = ["Gin", "Gist", "SpGist", "Brin"];

function listsOf(model: Model, inventory: Inventory): Pick<ForeignTable, "key" | "uniques" | "indexes"> {
  const options = blockAttributes(model);
  const list = (kind: Item["kind"], columns: readonly string[]): ForeignList => ({
    columns,
    item: inventory.found(kind, `${model.name}(${columns.join(", ")})`),
  });
  const keys = [
    ...options.filter((option) => option.name === "id").map(fieldsOf),
    ...fieldsIn(model)
      .filter((field) => attributeOf(field, "id") !== undefined)
      .map((field) => [field.name]),
  ];
  const [key] = keys;
  const indexes: ForeignList[] = [];
  for (const option of options.filter((one) => one.name === "index" || one.name === "fulltext")) {
    const found = list("indexes", fieldsOf(option));
    const type = option.name === "fulltext" ? "full text" : (wordArgument(option, "type") ?? "");
    if (type !== "full text" && !otherIndexes.includes(type)) indexes.push(found);
    else
      inventory.leftOut(
        found.item,
        `An index of the kind ${type} has no counterpart; \`searchable\` fields have one for full text.`,
      );
  }
  return {
    key: key === undefined ? null : list("primary keys", key),
    uniques: [
      ...fieldsIn(model)
        .filter((field) => attributeOf(field, "unique") !== undefined)
        .map((field) => list("uniques", [field.name])),
      ...options.filter((option) => option.name === "unique").map((option) => list("uniques", fieldsOf(option))),
    ],
    indexes,
  };
}
