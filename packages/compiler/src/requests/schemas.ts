// Writes the JSON Schemas (2020-12) of request bodies. In: an entity's fields. Out: strict schemas, without `$schema`
// or `format`. They refuse what Postgres would refuse or change: NUL, lone surrogates, days that don't exist, digits
// that would be lost. They don't contain authors' patterns, because only Postgres's matcher has a time limit for every
// pattern.
import {
  type Field,
  type FieldType,
  type Limits,
  type ObjectMember,
  patterns,
  type StateMachine,
  storable,
} from "@plinth/blueprint";
import { TEXT_LENGTH_MAX } from "../sql/column-type.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The maximum number of ids of a many-to-many field in one body. */
const REFS_MAX = 1000;
const SECRET_LENGTH_MAX = 10_000;

const noLimits: Limits = { min: null, max: null, pattern: null };

/** What a create can send. It includes fields that only admins set; the runtime checks the caller. */
export function createSchemaOf(fields: readonly Field[], machine: StateMachine | null): JsonSchema {
  const writable = writableFields(fields);
  const properties = writable.map((field) => {
    const schema = machine?.field === field.name ? { type: "string", enum: [machine.initial] } : fieldSchema(field);
    return [field.name, schema] as const;
  });
  const required = writable.filter(isRequired).map((field) => field.name);
  return withDefinitions(bodySchema(properties, required), writable);
}

/**
 * What an update can send: any part of it. Null empties an optional field, and `{"add": n}` adds to a number. Fields
 * that can only be set at create are left out.
 */
export function updateSchemaOf(fields: readonly Field[]): JsonSchema {
  const writable = writableFields(fields).filter((field) => !field.immutable);
  const properties = writable.map((field) => [field.name, changeSchema(field)] as const);
  return withDefinitions(bodySchema(properties, []), writable);
}

function changeSchema(field: Field): JsonSchema {
  const { type, ...rest } = fieldSchema(field);
  const add = addedSchema(field.type);
  if (add === null) return { type, ...rest };
  const types = Array.isArray(type) ? type : [type];
  return { type: [...types, "object"], ...rest, properties: { add }, required: ["add"], additionalProperties: false };
}

/** The schema of an addition to a field; null if it is not a number. */
export function addedSchema(type: FieldType): JsonSchema | null {
  switch (type.kind) {
    case "int":
    case "bigint":
    case "float":
    case "decimal":
    case "money":
      return valueSchema(type);
    case "percent":
      return valueSchema(type, { ...noLimits, min: "-1000", max: "1000" });
    default:
      return null;
  }
}

/** Fields in a body. */
export function writableFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(
    ({ writer, internal, type }) =>
      writer !== "service" && !internal && !["computed", "sequence", "file", "image"].includes(type.kind),
  );
}

/** Fields in a reply. */
export function readableFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ internal, type }) => !internal && !["secret", "file", "image"].includes(type.kind));
}

/** Whether a create requires it. */
export function isRequired(field: Field): boolean {
  if (field.optional || field.default !== null || field.type.kind === "refs") return false;
  return field.type.kind !== "slug" || field.type.from === null;
}

export function fieldSchema(field: Field): JsonSchema {
  const schema = valueSchema(field.type, field.limits);
  return field.optional ? nullable(schema) : schema;
}

export function valueSchema(type: FieldType, limits: Limits = noLimits): JsonSchema {
  switch (type.kind) {
    case "string":
    case "text":
    case "markdown":
      return text(type, limits, storable);
    case "slug":
    case "email":
    case "url":
    case "phone":
    case "color":
    case "timezone":
    case "country":
    case "currency":
    case "locale":
      return { ...text(type, limits, patterns[type.kind]), description: formDescriptions[type.kind] };
    case "secret":
      return { type: "string", minLength: 1, maxLength: SECRET_LENGTH_MAX, pattern: storable };
    case "sequence":
      return { type: "string" };
    case "int":
      return { type: "integer", ...numberRange(limits, "-2147483648", "2147483647") };
    case "bigint":
      return { type: "string", pattern: patterns.bigint };
    case "float":
      return { type: "number", ...numberRange(limits, null, null) };
    case "percent":
      return { type: "number", ...numberRange(limits, "0", "100"), multipleOf: 0.0001 };
    case "decimal":
      return { type: "string", pattern: decimalPattern(type.precision - type.scale, type.scale) };
    case "money":
      return { type: "string", pattern: decimalPattern(20 - type.scale, type.scale) };
    case "date":
    case "time":
    case "datetime":
    case "duration":
      return { type: "string", pattern: patterns[type.kind], description: formDescriptions[type.kind] };
    case "bool":
      return { type: "boolean" };
    case "enum":
      return { type: "string", enum: type.values };
    case "enum_set":
      return { type: "array", items: { type: "string", enum: type.values }, uniqueItems: true, ...sizeRange(limits) };
    case "json":
      return { type: ["object", "array", "string", "number", "boolean"], $ref: "#/$defs/json" };
    case "object":
      return objectSchema(type.fields);
    case "list":
      return { type: "array", items: valueSchema(type.of), ...sizeRange(limits) };
    case "i18n":
      return {
        type: "object",
        propertyNames: { pattern: patterns.locale, description: formDescriptions.locale },
        additionalProperties: valueSchema(type.of),
      };
    case "point":
      return pointSchema;
    case "vector":
      return { type: "array", items: { type: "number" }, minItems: type.dimensions, maxItems: type.dimensions };
    case "uuid":
    case "user_ref":
    case "org_ref":
    case "ref":
      return uuidSchema;
    case "refs":
      return {
        type: "array",
        items: uuidSchema,
        uniqueItems: true,
        ...sizeRange({ ...limits, max: limits.max ?? String(REFS_MAX) }),
      };
    case "computed":
      return computedSchema(type.expression.type);
    case "file":
    case "image":
      throw new Error(`the type ${type.kind} isn't available yet`);
  }
}

/** For values whose pattern is hard to read: an error message shows this text. */
const formDescriptions = {
  uuid: "A UUID, such as 0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f.",
  slug: "Lower-case words and digits joined by hyphens, such as my-first-post.",
  email: "An e-mail address, such as ana@example.com.",
  url: "An address that begins with http:// or https://, such as https://example.com/page.",
  phone: "A phone number with its country code (E.164), such as +4930123456.",
  color: "A colour in hexadecimal, such as #1a2b3c.",
  timezone: "A time zone from the IANA database, such as Europe/Berlin.",
  country: "A country code with two capital letters (ISO 3166-1), such as DE.",
  currency: "A currency code with three capital letters (ISO 4217), such as EUR.",
  locale: "A language, with a region if needed (BCP 47), such as en or pt-BR.",
  date: "A date, such as 2024-12-31.",
  time: "A time of day, such as 23:59:59.",
  datetime: "A time in the format RFC 3339 with an offset, such as 2024-12-31T23:59:59Z.",
  duration: "A duration in the format ISO 8601 without years and months, such as P1DT12H.",
} as const;

const uuidSchema: JsonSchema = { type: "string", pattern: patterns.uuid, description: formDescriptions.uuid };

const pointSchema: JsonSchema = {
  type: "object",
  properties: {
    lat: { type: "number", minimum: -90, maximum: 90 },
    lng: { type: "number", minimum: -180, maximum: 180 },
  },
  required: ["lat", "lng"],
  additionalProperties: false,
};

/** Any JSON whose texts Postgres can store. A body's schema has it under `$defs`. */
export const jsonDefinition: JsonSchema = {
  anyOf: [
    { type: ["number", "boolean", "null"] },
    { type: "string", pattern: storable },
    { type: "array", items: { $ref: "#/$defs/json" } },
    { type: "object", propertyNames: { pattern: storable }, additionalProperties: { $ref: "#/$defs/json" } },
  ],
};

function text(type: FieldType, { min, max }: Limits, pattern: string): JsonSchema {
  const longest = max ?? TEXT_LENGTH_MAX[type.kind] ?? null;
  return {
    type: "string",
    ...(min === null ? {} : { minLength: Number(min) }),
    ...(longest === null ? {} : { maxLength: Number(longest) }),
    pattern,
  };
}

function numberRange({ min, max }: Limits, least: string | null, most: string | null): JsonSchema {
  const [minimum, maximum] = [min ?? least, max ?? most];
  return {
    ...(minimum === null ? {} : { minimum: Number(minimum) }),
    ...(maximum === null ? {} : { maximum: Number(maximum) }),
  };
}

function sizeRange({ min, max }: Limits): JsonSchema {
  return { ...(min === null ? {} : { minItems: Number(min) }), ...(max === null ? {} : { maxItems: Number(max) }) };
}

function objectSchema(members: readonly ObjectMember[]): JsonSchema {
  const required = members.filter((member) => !member.optional).map((member) => member.name);
  const properties = members.map(({ name, type, optional, limits }) => {
    const schema = valueSchema(type, limits);
    return [name, optional ? nullable(schema) : schema] as const;
  });
  return bodySchema(properties, required);
}

function computedSchema(type: Extract<FieldType, { kind: "computed" }>["expression"]["type"]): JsonSchema {
  switch (type.kind) {
    case "bool":
      return { type: "boolean" };
    case "int":
      return { type: "integer" };
    case "float":
      return { type: "number" };
    case "enum":
      return { type: "string", enum: type.values };
    case "list":
      return { type: "array", items: computedSchema(type.of) };
    case "opaque":
      return {};
    default:
      return { type: "string" };
  }
}

export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values, ...rest } = schema;
  if (type === undefined) return schema;
  const anyOf = Array.isArray(values) ? { enum: [...values, null] } : {};
  return { type: [...(Array.isArray(type) ? type : [type]), "null"], ...anyOf, ...rest };
}

function bodySchema(properties: readonly (readonly [string, JsonSchema])[], required: readonly string[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function withDefinitions(schema: JsonSchema, fields: readonly Field[]): JsonSchema {
  return fields.some((field) => holdsJson(field.type)) ? { ...schema, $defs: { json: jsonDefinition } } : schema;
}

/** Whether it can contain any JSON. */
export function holdsJson(type: FieldType): boolean {
  switch (type.kind) {
    case "json":
      return true;
    case "object":
      return type.fields.some((member) => holdsJson(member.type));
    case "list":
    case "i18n":
      return holdsJson(type.of);
    default:
      return false;
  }
}

/** Digits before and after the decimal point, as many as the column has. */
function decimalPattern(whole: number, fraction: number): string {
  const before = whole > 1 ? `(?:0|[1-9]\\d{0,${whole - 1}})` : whole === 1 ? "\\d" : "0";
  return `^-?${before}${fraction > 0 ? `(?:\\.\\d{1,${fraction}})?` : ""}$`;
}
