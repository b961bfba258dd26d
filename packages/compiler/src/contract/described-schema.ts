// Adds texts to schemas in the OpenAPI document: labels, help, formats, and what a schema can't express. In: a schema,
// and its fields. Out: the same schema with texts.
import type { Field, FieldType } from "@plinth/blueprint";
import { holdsJson, type JsonSchema } from "../requests/schemas.ts";
import type { OpenapiObject } from "./openapi-shared.ts";
import { withFormat } from "./value-formats.ts";

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

/** The text for a field: its label and help, what its schema can't express, and why it is deprecated. */
export function describe(schema: OpenapiObject, field: Field): OpenapiObject {
  const { default: fallback, limits } = field;
  const description = sentences(
    field.label,
    field.help,
    typeof schema["description"] === "string" ? schema["description"] : null,
    fallback?.kind === "current_user_id" ? "Only an admin can set another user." : null,
    fallback?.kind === "current_org" ? "Only an admin can set another organization." : null,
    field.type.kind === "money" ? `An amount in ${field.type.currency}.` : null,
    limits.pattern === null ? null : `It must match \`${limits.pattern}\`.`,
    isMeasured(field.type) ? rangeSentence(limits) : null,
    field.deprecated === null ? null : `Deprecated: ${field.deprecated}`,
  );
  return {
    ...schema,
    ...(description === null ? {} : { description }),
    ...(field.deprecated === null ? {} : { deprecated: true }),
  };
}

/** Numbers and times that are texts in JSON: JSON Schema has no limits for them. */
function isMeasured({ kind }: FieldType): boolean {
  return ["bigint", "decimal", "money", "date", "time", "datetime", "duration"].includes(kind);
}

function rangeSentence({ min, max }: Field["limits"]): string | null {
  if (min !== null && max !== null) return `From ${min} to ${max}.`;
  if (min !== null) return `At least ${min}.`;
  return max === null ? null : `At most ${max}.`;
}

export function sentences(...parts: readonly (string | null)[]): string | null {
  const said = parts.filter((part) => part !== null && part !== "");
  return said.length === 0 ? null : said.map((part) => (/[.!?`]$/.test(part!) ? part : `${part}.`)).join(" ");
}

/** Bodies contain the definition of any JSON; the document has it once. */
export function shared(schema: JsonSchema, type: FieldType): OpenapiObject {
  if (!holdsJson(type)) return schema;
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/json"', '"#/components/schemas/Json"'));
}
