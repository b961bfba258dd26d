// One entity's part of the OpenAPI document. In: the entity. Out: schemas, parameters, bodies and replies with examples.
// Each example validates against the schema beside it.
import type { Entity, Field, FieldType } from "@plinth/blueprint";
import { body, type Components, dataOf, type OpenapiObject, pageOf, reference, reply } from "./openapi-shared.ts";
import { createSchemaOf, fieldSchema, type JsonSchema, updateSchemaOf, valueSchema } from "./schemas.ts";

export const exampleId = "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f";
export const exampleTime = "2026-01-31T09:30:00.000000Z";

export function entityComponents(entity: Entity): Components {
  const { name, plural, fields } = entity;
  const record = reference("schemas", name);
  const written = dataOf(reference("schemas", `${name}.written`));
  const example = exampleOf(fields);
  const writable = fields.filter((field) => field.writer === "caller");
  const createExample = exampleOf(writable.filter((field) => field.default?.kind !== "current_user_id"));
  return {
    schemas: {
      [name]: recordSchema(fields),
      [`${name}.create`]: withFormats(createSchemaOf(fields), fields),
      [`${name}.update`]: withFormats(updateSchemaOf(fields), fields),
      [`${name}.written`]: {
        description: "The record, or its id alone where the caller may write it but not read it.",
        anyOf: [record, idOnly],
      },
    },
    parameters: {
      [`${name}.sort`]: sortParameter(fields),
      ...Object.fromEntries(fields.map((field) => [`${name}.filter.${field.name}`, filterParameter(field)])),
    },
    requestBodies: {
      [`${name}.create`]: body(reference("schemas", `${name}.create`), createExample),
      [`${name}.update`]: body(reference("schemas", `${name}.update`), exampleOf(writable.slice(0, 1))),
    },
    responses: {
      [`${name}.one`]: reply("The record", dataOf(record), { data: example }),
      [`${name}.written`]: reply("The record as it is now", written, { data: example }),
      [`${name}.created`]: reply("Created", written, { data: example }, locationHeader),
      [`${name}.page`]: reply(`A page of ${plural}`, pageOf(record), {
        data: [example],
        page: { next_cursor: null, has_more: false },
      }),
    },
  };
}

export function sortParameter(fields: readonly { readonly name: string }[]): OpenapiObject {
  const names = fields.map((field) => field.name).join("|");
  return {
    name: "sort",
    in: "query",
    description: "Fields joined by commas, `-` before one that descends; the id breaks ties.",
    schema: { type: "string", pattern: `^-?(?:${names})(?:,-?(?:${names}))*$` },
    example: "-created_at",
  };
}

const locationHeader: OpenapiObject = {
  Location: { description: "Where the record is read.", schema: { type: "string" } },
};

const idOnly: OpenapiObject = {
  type: "object",
  properties: { id: reference("schemas", "Id") },
  required: ["id"],
  additionalProperties: false,
};

function filterParameter(field: Field): OpenapiObject {
  return {
    name: field.name,
    in: "query",
    description: `Only records whose ${field.name} is this.`,
    schema: withFormat(valueSchema(field.type), field.type),
  };
}

function recordSchema(fields: readonly Field[]): OpenapiObject {
  const property = (field: Field): OpenapiObject => ({
    ...withFormat(fieldSchema(field), field.type),
    ...(field.writer === "service" ? { readOnly: true } : {}),
  });
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, property(field)])),
    required: fields.map((field) => field.name),
  };
}

function withFormats(schema: JsonSchema, fields: readonly Field[]): OpenapiObject {
  const known = new Map(fields.map((field) => [field.name, field]));
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, property]) => {
    const field = known.get(name);
    if (field === undefined) return [name, property];
    const note = field.default?.kind === "current_user_id" ? { description: "Only an admin gives another user." } : {};
    return [name, { ...withFormat(property, field.type), ...note }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Formats tell generators the type; the patterns and bounds beside them are what is enforced. */
function withFormat(schema: JsonSchema, type: FieldType): OpenapiObject {
  const format = formatOf(type);
  return format === null ? schema : { ...schema, format };
}

function formatOf(type: FieldType): string | null {
  switch (type.kind) {
    case "uuid":
    case "user_ref":
    case "ref":
      return "uuid";
    case "email":
      return "email";
    case "datetime":
      return "date-time";
    case "int":
      return "int32";
    case "string":
    case "text":
    case "bool":
    case "enum":
      return null;
  }
}

function exampleOf(fields: readonly Field[]): OpenapiObject {
  return Object.fromEntries(fields.map((field) => [field.name, exampleValue(field)]));
}

function exampleValue(field: Field): unknown {
  if (field.default?.kind === "literal") return field.default.value;
  switch (field.type.kind) {
    case "string":
      return field.name.replaceAll("_", " ").slice(0, field.type.max);
    case "text":
      return field.name.replaceAll("_", " ");
    case "email":
      return "ana@example.com";
    case "int":
      return 1;
    case "bool":
      return true;
    case "datetime":
      return exampleTime;
    case "enum":
      return field.type.values[0];
    case "uuid":
    case "user_ref":
    case "ref":
      return exampleId;
  }
}
