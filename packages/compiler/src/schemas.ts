// Writes the JSON Schemas (2020-12) of request bodies. In: an entity's fields. Out: strict schemas, without `$schema` or `format`.
// They refuse what Postgres would refuse or change: NUL, lone surrogates, days that no calendar has, digits that would be lost.
import type { Field, FieldType } from "@plinth/blueprint";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Text that Postgres can hold: no NUL, no half of a surrogate pair. */
const storable = "^[^\\x00\\p{Cs}]*$";

export const patterns: Readonly<Record<"uuid" | "email" | "datetime", string>> = {
  uuid: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
  /** The form of the HTML standard, with a dot in the host. */
  email:
    "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\\-]+@[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?)+$",
  /** RFC 3339 by the calendar, microseconds at most, an offset that Postgres knows (up to 15:59), no leap second. */
  datetime: datetimePattern(),
};

/** What a create may send. A field that only admins set stands here as well; who sends it, the runtime knows. */
export function createSchemaOf(fields: readonly Field[]): JsonSchema {
  const writable = fields.filter((field) => field.writer === "caller");
  const required = writable.filter((field) => !field.optional && field.default === null).map((field) => field.name);
  return bodySchema(writable, required);
}

/** What an update may send: any part of it; null clears what is optional. */
export function updateSchemaOf(fields: readonly Field[]): JsonSchema {
  return bodySchema(
    fields.filter((field) => field.writer === "caller"),
    [],
  );
}

/** Nobody creates a user but by signing up. */
export const userCreateSchema: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

export const userUpdateSchema: JsonSchema = {
  type: "object",
  properties: { name: nullable(valueSchema({ kind: "string", max: 255 })) },
  additionalProperties: false,
};

export function fieldSchema(field: Field): JsonSchema {
  const schema = valueSchema(field.type);
  return field.optional ? nullable(schema) : schema;
}

export function valueSchema(type: FieldType): JsonSchema {
  switch (type.kind) {
    case "string":
      return { type: "string", maxLength: type.max, pattern: storable };
    case "text":
      return { type: "string", pattern: storable };
    case "email":
      return { type: "string", maxLength: 254, pattern: patterns.email };
    case "int":
      return { type: "integer", minimum: -2147483648, maximum: 2147483647 };
    case "bool":
      return { type: "boolean" };
    case "datetime":
      return { type: "string", pattern: patterns.datetime };
    case "uuid":
    case "user_ref":
    case "ref":
      return { type: "string", pattern: patterns.uuid };
    case "enum":
      return { type: "string", enum: type.values };
  }
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values, ...rest } = schema;
  const anyOf = Array.isArray(values) ? { enum: [...values, null] } : {};
  return { type: [type, "null"], ...anyOf, ...rest };
}

function bodySchema(fields: readonly Field[], required: readonly string[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function datetimePattern(): string {
  // No year 0, and no offset that would lead out of the years 1 to 9999.
  const inRange = "(?!0000|(?:0001|9999)-.{14,}[+\\-])";
  const year = "\\d{4}";
  const leapYear = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
  const dayOfMonth = [
    "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])",
    "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)",
    "02-(?:0[1-9]|1\\d|2[0-8])",
  ].join("|");
  const date = `(?:${year}-(?:${dayOfMonth})|${leapYear}-02-29)`;
  const time = "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?";
  return `^${inRange}${date}[Tt]${time}(?:[Zz]|[+\\-](?:0\\d|1[0-5]):[0-5]\\d)$`;
}
