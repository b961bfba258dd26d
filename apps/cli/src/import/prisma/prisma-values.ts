// Reads the values of attributes in a parsed Prisma schema. In: an attribute, or its argument. Out: texts, names, literals.
import type {
  Attr,
  BlockAttribute,
  Field,
  Func,
  KeyValue,
  ObjectValue,
  RelationArray,
  Value,
} from "@mrleebo/prisma-ast";
import type { Literal } from "../foreign-schema.ts";

export type Argument = Value | KeyValue;
type AnyAttribute = Attr | BlockAttribute | undefined;

export function attributeOf(field: Field, name: string): Attr | undefined {
  return field.attributes?.find((attribute) => attribute.name === name && attribute.group === undefined);
}

/** `@db.VarChar(40)`. */
export function nativeOf(field: Field): Attr | undefined {
  return field.attributes?.find((attribute) => attribute.group === "db");
}

/** The text of a `key: "text"`, or null. */
export function textArgument(attribute: AnyAttribute, key: string): string | null {
  const value = keyed(attribute, key);
  return typeof value === "string" ? unquote(value) : null;
}

/** The word of a `key: Word`. */
export function wordArgument(attribute: AnyAttribute, key: string): string | null {
  const value = keyed(attribute, key);
  return typeof value === "string" ? value : null;
}

/** The names of a `key: [a, b]`, or of a `key: a`. */
export function namesArgument(attribute: AnyAttribute, key: string): readonly string[] {
  return namesIn(keyed(attribute, key));
}

/** `@@unique([a, b(sort: Desc)])`, `@@unique(a)`, each with `fields:` or without. */
export function fieldsOf(attribute: BlockAttribute): readonly string[] {
  return namesIn(keyed(attribute, "fields") ?? firstPlain(attribute));
}

/** The options of `@@index` for its fields: orders, operator classes, the kind of the index. */
export function detailsOf(attribute: BlockAttribute | Attr): readonly string[] {
  const fields = keyed(attribute, "fields") ?? firstPlain(attribute);
  const ofFields = members(fields).flatMap((member) => {
    const call = tagged(member, "function");
    return call === null ? [] : [`${call.name}(${(call.params ?? []).map(printed).join(", ")})`];
  });
  const own = (attribute.args ?? []).flatMap(({ value }) => {
    const pair = tagged(value, "keyValue");
    return pair === null || ["fields", "map", "name"].includes(pair.key) ? [] : [`${pair.key}: ${printed(pair.value)}`];
  });
  return [...ofFields, ...own];
}

/** The first argument without a name. */
export function firstPlain(attribute: AnyAttribute): Argument | undefined {
  return attribute?.args?.find(({ value }) => tagged(value, "keyValue") === null)?.value;
}

function keyed(attribute: AnyAttribute, key: string): Value | undefined {
  const pairs = (attribute?.args ?? []).map(({ value }) => tagged(value, "keyValue"));
  return pairs.find((pair) => pair?.key === key)?.value;
}

/** An empty list has no `args`. */
function members(value: Argument | undefined): readonly Argument[] {
  const list: Partial<RelationArray> | null = tagged(value, "array");
  if (list !== null) return (list.args ?? []) as readonly Argument[];
  // `@@index(a)` and `@@index(a(sort: Desc))`.
  return typeof value === "string" || tagged(value, "function") !== null ? [value as Argument] : [];
}

function namesIn(value: Argument | undefined): readonly string[] {
  return members(value).map((item) => tagged(item, "function")?.name ?? String(item));
}

export function literalOf(value: Argument): Literal | undefined {
  if (typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "string") return scalarOf(value);
  if (tagged(value, "array") === null) return undefined;
  const read = members(value).map(literalOf);
  return read.includes(undefined) ? undefined : (read as readonly Literal[]);
}

function scalarOf(text: string): string | number | boolean {
  if (text.startsWith('"')) return unquote(text);
  if (text === "true" || text === "false") return text === "true";
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  // A large number stays text, so that no digit is lost. 0.0 is 0.
  const plain = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return String(Number(text)) === plain ? Number(text) : text;
}

interface Tagged {
  readonly function: Func;
  readonly array: RelationArray;
  readonly object: ObjectValue;
  readonly keyValue: KeyValue;
}

export function tagged<K extends keyof Tagged>(value: Argument | undefined, type: K): Tagged[K] | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return value.type === type ? (value as Tagged[K]) : null;
}

export function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1);
  }
}

/** Approximately in the syntax of the source, for people. */
export function printed(value: Argument | undefined): string {
  const call = tagged(value, "function");
  if (call !== null) return `${call.name}(${(call.params ?? []).map((one) => printed(one as Argument)).join(", ")})`;
  const pair = tagged(value, "keyValue");
  if (pair !== null) return `${pair.key}: ${printed(pair.value)}`;
  if (tagged(value, "array") !== null) return `[${members(value).map(printed).join(", ")}]`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
