// Reads a Prisma schema. In: the text of a `schema.prisma`. Out: its tables, and notes about what has no counterpart.
// It looks at names of the schema, not of the database behind it (`@map`), because those are what its clients know.
import {
  type Attr,
  type BlockAttribute,
  type Enum,
  type Field,
  type Func,
  getSchema,
  type KeyValue,
  type Model,
  type ObjectValue,
  type RelationArray,
  type Schema,
  type Value,
} from "@mrleebo/prisma-ast";
import { CommandFailure, messageOf } from "../failure.ts";
import type {
  ForeignColumn,
  ForeignDefault,
  ForeignReference,
  ForeignSchema,
  ForeignTable,
  ForeignType,
  ImportNote,
} from "./foreign-schema.ts";

/** @throws CommandFailure where the text is no Prisma schema. */
export function readPrisma(text: string): ForeignSchema {
  const schema = parse(text);
  const notes: ImportNote[] = [];
  const models = new Map<string, Model>();
  const enums = new Map<string, Enum>();
  for (const block of schema.list) {
    if (block.type === "model") models.set(block.name, block);
    else if (block.type === "enum") enums.set(block.name, block);
    else if (block.type === "view" || block.type === "type")
      notes.push({ kind: "left_out", path: `${block.type} ${block.name}`, text: "Only models become entities." });
  }
  const source: Source = { models, enums, comments: commentsOf(schema), notes };
  const tables = [...models.values()].flatMap((model) => readModel(model, source));
  return { tables, notes };
}

interface Source {
  readonly models: ReadonlyMap<string, Model>;
  readonly enums: ReadonlyMap<string, Enum>;
  /** `///` lines before a block, by its name. */
  readonly comments: ReadonlyMap<string, string>;
  readonly notes: ImportNote[];
}

/** The parser's errors carry the token that they stopped at. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error) || !("token" in error)) return "";
  const { token } = error;
  const at = typeof token === "object" && token !== null && "startLine" in token ? Number(token.startLine) : Number.NaN;
  return Number.isNaN(at) ? "" : `, line ${at}`;
}

function parse(text: string): Schema {
  try {
    return getSchema(text);
  } catch (error) {
    throw new CommandFailure(`This is no Prisma schema that can be read${placeOf(error)}: ${messageOf(error)}`, 1, {
      cause: error,
    });
  }
}

function commentsOf(schema: Schema): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let lines: string[] = [];
  for (const block of schema.list) {
    if (block.type === "comment") lines.push(block.text);
    else if (block.type !== "break") {
      const help = docText(lines);
      if (help !== null && "name" in block) found.set(block.name, help);
      lines = [];
    }
  }
  return found;
}

/** Lines with three slashes are documentation, those with two are not. */
function docText(lines: readonly string[]): string | null {
  const docs = lines.filter((line) => line.startsWith("///")).map((line) => line.slice(3).trim());
  return docs.length === 0 ? null : docs.join(" ");
}

function readModel(model: Model, source: Source): ForeignTable[] {
  const options = model.properties.filter((property): property is BlockAttribute => property.type === "attribute");
  if (options.some((option) => option.name === "ignore")) {
    source.notes.push({ kind: "left_out", path: model.name, text: "It is marked @@ignore." });
    return [];
  }
  const fields = model.properties.filter((property): property is Field => property.type === "field");
  const references = referencesOf(model, fields, source);
  const columns: ForeignColumn[] = [];
  const links: { name: string; table: string }[] = [];
  let comments: string[] = [];
  for (const property of model.properties) {
    if (property.type === "comment") comments.push(property.text);
    if (property.type !== "field") continue;
    const comment = docText([...comments, ...(property.comment === undefined ? [] : [property.comment])]);
    comments = [];
    const target = typeof property.fieldType === "string" ? source.models.get(property.fieldType) : undefined;
    if (target === undefined) columns.push(readField(model, property, references, comment, source));
    else if (isLink(model, property, target)) links.push({ name: property.name, table: target.name });
  }
  return [
    {
      name: model.name,
      comment: source.comments.get(model.name) ?? null,
      columns,
      primaryKey: keyOf(fields, options),
      uniques: [
        ...fields.filter((field) => attributeOf(field, "unique") !== undefined).map((field) => [field.name]),
        ...options.filter((option) => option.name === "unique").map(namesOf),
      ],
      indexes: options.filter((option) => option.name === "index" || option.name === "fulltext").map(namesOf),
      links,
    },
  ];
}

function keyOf(fields: readonly Field[], options: readonly BlockAttribute[]): readonly string[] {
  const composite = options.find((option) => option.name === "id");
  if (composite !== undefined) return namesOf(composite);
  return fields.filter((field) => attributeOf(field, "id") !== undefined).map((field) => field.name);
}

/** A list of the other model on both sides, with no columns on either: an implicit many-to-many; the first name keeps it. */
function isLink(model: Model, field: Field, target: Model): boolean {
  if (field.array !== true) return false;
  const name = relationNameOf(field);
  const back = target.properties.filter(
    (property): property is Field =>
      property.type === "field" && property.fieldType === model.name && relationNameOf(property) === name,
  );
  const mirrored = back.filter((property) => property.array === true && property !== field);
  if (mirrored.length === 0 || back.length > mirrored.length) return false;
  return model.name === target.name ? field.name < (mirrored[0]?.name ?? "") : model.name < target.name;
}

function relationNameOf(field: Field): string | null {
  const relation = attributeOf(field, "relation");
  const first = relation?.args?.[0]?.value;
  return namedArg(relation, "name") ?? (typeof first === "string" ? unquote(first) : null);
}

/** Columns that a relation field names in `fields:`. */
function referencesOf(model: Model, fields: readonly Field[], source: Source): ReadonlyMap<string, ForeignReference> {
  const found = new Map<string, ForeignReference>();
  for (const field of fields) {
    const relation = attributeOf(field, "relation");
    const own = listArg(relation, "fields");
    const other = listArg(relation, "references");
    if (own.length === 0 || typeof field.fieldType !== "string") continue;
    const [column, key] = [own[0], other[0]];
    if (own.length > 1 || column === undefined || key === undefined) {
      const text = `Its key has several columns (${own.join(", ")}); refer to the record's id instead.`;
      source.notes.push({ kind: "left_out", path: `${model.name}.${field.name}`, text });
      continue;
    }
    found.set(column, { table: field.fieldType, column: key, onDelete: onDeleteOf(relation, field.optional === true) });
  }
  return found;
}

function onDeleteOf(relation: Attr | undefined, optional: boolean): ForeignReference["onDelete"] {
  switch (rawArg(relation, "onDelete")) {
    case "Cascade":
      return "cascade";
    case "SetNull":
      return "set_null";
    case "SetDefault":
      return "set_default";
    case undefined:
      // What Prisma does where nothing is said.
      return optional ? "set_null" : "restrict";
    default:
      return "restrict";
  }
}

function readField(
  model: Model,
  field: Field,
  references: ReadonlyMap<string, ForeignReference>,
  comment: string | null,
  source: Source,
): ForeignColumn {
  if (attributeOf(field, "ignore") !== undefined)
    source.notes.push({ kind: "changed", path: `${model.name}.${field.name}`, text: "It was marked @ignore." });
  return {
    name: field.name,
    comment,
    type: typeOf(field, source),
    list: field.array === true,
    optional: field.optional === true,
    default: defaultOf(field),
    references: references.get(field.name) ?? null,
  };
}

function typeOf(field: Field, source: Source): ForeignType {
  if (typeof field.fieldType !== "string") {
    const [name] = field.fieldType.params ?? [];
    return { kind: "unsupported", name: typeof name === "string" ? unquote(name) : field.fieldType.name };
  }
  const native = field.attributes?.find((attribute) => attribute.group === "db");
  const [first, second] = (native?.args ?? []).map((arg) => Number(arg.value));
  switch (field.fieldType) {
    case "String":
      if (native?.name === "Uuid") return { kind: "uuid" };
      if (native?.name === "Inet" || native?.name === "Xml") return { kind: "as_text", name: native.name };
      return { kind: "text", max: first ?? null };
    case "Boolean":
      return { kind: "bool" };
    case "Int":
      return { kind: "int" };
    case "BigInt":
      return { kind: "bigint" };
    case "Float":
      return { kind: "float" };
    case "Decimal":
      // Prisma's own default in Postgres.
      return { kind: "decimal", precision: first ?? 65, scale: second ?? (first === undefined ? 30 : 0) };
    case "DateTime":
      if (native?.name === "Date") return { kind: "date" };
      if (native?.name === "Time" || native?.name === "Timetz") return { kind: "time" };
      return { kind: "datetime", zoned: native?.name === "Timestamptz" };
    case "Json":
      return { kind: "json" };
    default: {
      const found = source.enums.get(field.fieldType);
      if (found === undefined) return { kind: "unsupported", name: field.fieldType };
      const values = found.enumerators.flatMap((one) => (one.type === "enumerator" ? [one.name] : []));
      return { kind: "enum", name: found.name, values };
    }
  }
}

function defaultOf(field: Field): ForeignDefault | null {
  if (attributeOf(field, "updatedAt") !== undefined) return { kind: "updated_at" };
  const value = attributeOf(field, "default")?.args?.[0]?.value;
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
        return { kind: "expression", text: `${call.name}(${(call.params ?? []).map(String).join(", ")})` };
    }
  }
  const literal = literalOf(value);
  return literal === null ? { kind: "expression", text: JSON.stringify(value) } : { kind: "literal", value: literal };
}

type Literal = string | number | boolean | readonly (string | number | boolean)[];

function literalOf(value: Argument): Literal | null {
  if (typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "string") return scalarOf(value);
  return tagged(value, "array")?.args.map((item) => scalarOf(String(item))) ?? null;
}

function scalarOf(text: string): string | number | boolean {
  if (text.startsWith('"')) return unquote(text);
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function attributeOf(field: Field, name: string): Attr | undefined {
  return field.attributes?.find((attribute) => attribute.name === name && attribute.group === undefined);
}

function keyed(attribute: Attr | undefined, key: string): Value | undefined {
  const pairs = (attribute?.args ?? []).map(({ value }) => tagged(value, "keyValue"));
  return pairs.find((pair) => pair?.key === key)?.value;
}

function namedArg(attribute: Attr | undefined, key: string): string | null {
  const value = keyed(attribute, key);
  return typeof value === "string" ? unquote(value) : null;
}

function rawArg(attribute: Attr | undefined, key: string): string | undefined {
  const value = keyed(attribute, key);
  return typeof value === "string" ? value : undefined;
}

function listArg(attribute: Attr | undefined, key: string): readonly string[] {
  return namesIn(keyed(attribute, key));
}

/** `@@unique([a, b(sort: Desc)])`, with or without `fields:`. */
function namesOf(attribute: Attr): readonly string[] {
  return namesIn(keyed(attribute, "fields") ?? attribute.args?.[0]?.value);
}

function namesIn(value: Argument | undefined): readonly string[] {
  return (tagged(value, "array")?.args ?? []).map((item) => tagged(item, "function")?.name ?? String(item));
}

type Argument = Value | KeyValue;

interface Tagged {
  readonly function: Func;
  readonly array: RelationArray;
  readonly object: ObjectValue;
  readonly keyValue: KeyValue;
}

function tagged<K extends keyof Tagged>(value: Argument | undefined, type: K): Tagged[K] | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return value.type === type ? (value as Tagged[K]) : null;
}

function unquote(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}
