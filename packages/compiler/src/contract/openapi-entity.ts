// One entity's part of the OpenAPI document. In: the entity. Out: schemas, parameters, bodies and replies with examples.
// Each example validates against the schema beside it.
import type { Edge, Entity, Field, FieldType } from "@plinth/blueprint";
import { exampleOf } from "../requests/example-values.ts";
import { isFilterable } from "../requests/queries.ts";
import {
  createSchemaOf,
  fieldSchema,
  holdsJson,
  type JsonSchema,
  readableFields,
  updateSchemaOf,
  valueSchema,
  writableFields,
} from "../requests/schemas.ts";
import { visibleFieldsOf } from "../requests/visible-fields.ts";
import { body, type Components, dataOf, type OpenapiObject, pageOf, reference, reply } from "./openapi-shared.ts";

/** What the document must know of an entity; the built-in ones have it too. */
export type DocumentedEntity = Pick<
  Entity,
  "name" | "plural" | "fields" | "permissions" | "softDelete" | "stateMachine" | "orgField" | "label" | "help"
>;

export function entityComponents(entity: DocumentedEntity): Components {
  const { name, plural, fields, stateMachine } = entity;
  const record = reference("schemas", name);
  const written = dataOf(reference("schemas", `${name}.written`));
  const { shown } = visibleFieldsOf(entity);
  const example = exampleOf(readableFields(fields).filter((field) => shown.has(field.name)));
  const writable = writableFields(fields);
  const filterable = filterableFields(entity);
  const edges = (stateMachine?.edges ?? []).filter((edge) => transitionFields(entity, edge).length > 0);
  return {
    schemas: {
      [name]: recordSchema(entity),
      [`${name}.create`]: described(createSchemaOf(fields, stateMachine), fields),
      [`${name}.update`]: described(updateSchemaOf(fields), fields),
      [`${name}.written`]: {
        description: "The record, or its id alone where the caller may write it but not read it.",
        anyOf: [record, idOnly],
      },
    },
    parameters: {
      [`${name}.sort`]: sortParameter(filterable),
      ...Object.fromEntries(filterable.map((field) => [`${name}.filter.${field.name}`, filterParameter(field)])),
    },
    requestBodies: {
      [`${name}.create`]: body(reference("schemas", `${name}.create`), createExample(entity)),
      [`${name}.update`]: body(
        reference("schemas", `${name}.update`),
        exampleOf(writable.filter((field) => !field.immutable).slice(0, 1)),
      ),
      ...Object.fromEntries(edges.map((edge) => [`${name}.transition.${edge.name}`, transitionBody(entity, edge)])),
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

/** What stands in a column and leaves by the API has an order, and can be asked for. */
export function filterableFields({ fields }: DocumentedEntity): readonly Field[] {
  return readableFields(fields).filter(isFilterable);
}

function createExample({ fields, stateMachine }: DocumentedEntity): OpenapiObject {
  const given = writableFields(fields).filter(
    ({ default: fallback }) => fallback?.kind !== "current_user_id" && fallback?.kind !== "current_org",
  );
  const example = exampleOf(given);
  return stateMachine !== null && Object.hasOwn(example, stateMachine.field)
    ? { ...example, [stateMachine.field]: stateMachine.initial }
    : example;
}

/** The fields that a transition's body may hold. */
function transitionFields({ fields }: DocumentedEntity, edge: Edge): readonly Field[] {
  return writableFields(fields).filter((field) => edge.require.includes(field.name) && !field.immutable);
}

export function hasTransitionBody(entity: DocumentedEntity, edge: Edge): boolean {
  return transitionFields(entity, edge).length > 0;
}

/** It need not be sent where the record has all that the edge asks for. */
function transitionBody(entity: DocumentedEntity, edge: Edge): OpenapiObject {
  const fields = transitionFields(entity, edge);
  return { ...body(described(updateSchemaOf(fields), fields), exampleOf(fields)), required: false };
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
    ...(field.deprecated === null ? {} : { deprecated: true }),
    schema: withFormat(valueSchema(field.type, { min: null, max: null, pattern: null }), field.type),
  };
}

/** A field that some caller doesn't see is absent for them. */
function recordSchema(entity: DocumentedEntity): OpenapiObject {
  const { shown, always } = visibleFieldsOf(entity);
  const fields = readableFields(entity.fields).filter((field) => shown.has(field.name));
  const property = (field: Field): OpenapiObject => ({
    ...describe(withFormat(shared(fieldSchema(field), field.type), field.type), field),
    ...(field.writer === "service" || field.type.kind === "computed" || field.type.kind === "sequence"
      ? { readOnly: true }
      : {}),
  });
  const description = sentences(entity.label, entity.help);
  return {
    type: "object",
    ...(description === null ? {} : { description }),
    properties: Object.fromEntries(fields.map((field) => [field.name, property(field)])),
    required: fields.filter((field) => always.has(field.name)).map((field) => field.name),
  };
}

export function described(schema: JsonSchema, fields: readonly Field[]): OpenapiObject {
  const known = new Map(fields.map((field) => [field.name, field]));
  const { $defs: _, ...rest } = schema;
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, property]) => {
    const field = known.get(name);
    return [
      name,
      field === undefined ? property : describe(withFormat(shared(property, field.type), field.type), field),
    ];
  });
  return { ...rest, properties: Object.fromEntries(properties) };
}

/** What people read of a field: its label and help, what its schema can't say, and why it is deprecated. */
function describe(schema: OpenapiObject, field: Field): OpenapiObject {
  const { default: fallback, limits } = field;
  const description = sentences(
    field.label,
    field.help,
    fallback?.kind === "current_user_id" ? "Only an admin gives another user." : null,
    fallback?.kind === "current_org" ? "Only an admin gives another organization." : null,
    field.type.kind === "money" ? `An amount in ${field.type.currency}.` : null,
    limits.pattern === null ? null : `It matches \`${limits.pattern}\`.`,
    isMeasured(field.type) ? rangeSentence(limits) : null,
    field.deprecated === null ? null : `Deprecated: ${field.deprecated}`,
  );
  return {
    ...schema,
    ...(description === null ? {} : { description }),
    ...(field.deprecated === null ? {} : { deprecated: true }),
  };
}

/** Numbers and times that stand as text: JSON Schema has no bounds for them. */
function isMeasured({ kind }: FieldType): boolean {
  return ["bigint", "decimal", "money", "date", "time", "datetime", "duration"].includes(kind);
}

function rangeSentence({ min, max }: Field["limits"]): string | null {
  if (min !== null && max !== null) return `From ${min} to ${max}.`;
  if (min !== null) return `At least ${min}.`;
  return max === null ? null : `At most ${max}.`;
}

function sentences(...parts: readonly (string | null)[]): string | null {
  const said = parts.filter((part) => part !== null && part !== "");
  return said.length === 0 ? null : said.map((part) => (/[.!?`]$/.test(part!) ? part : `${part}.`)).join(" ");
}

/** Bodies have the definition of any JSON with them; the document has it once. */
function shared(schema: JsonSchema, type: FieldType): OpenapiObject {
  if (!holdsJson(type)) return schema;
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/json"', '"#/components/schemas/Json"'));
}

/** Formats tell generators the type; the patterns and bounds beside them are what is enforced. */
function withFormat(schema: JsonSchema, type: FieldType): OpenapiObject {
  if (type.kind === "markdown") return { ...schema, contentMediaType: "text/markdown" };
  const format = formats[type.kind];
  return format === undefined ? schema : { ...schema, format };
}

const formats: Readonly<Partial<Record<FieldType["kind"], string>>> = {
  uuid: "uuid",
  user_ref: "uuid",
  org_ref: "uuid",
  ref: "uuid",
  email: "email",
  url: "uri",
  date: "date",
  time: "time",
  datetime: "date-time",
  duration: "duration",
  int: "int32",
  bigint: "int64",
  float: "double",
};
