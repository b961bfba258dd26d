// Writes the grammar as a JSON Schema, for editors that check YAML with one. In: nothing. Out: a schema (draft 07,
// which the YAML language server reads). It knows forms, not meaning: `plinth validate` checks more.

import { step } from "./background-sections.ts";
import { fieldKeys, typeHelp } from "./field-types.ts";
import { sections, shapes } from "./sections.ts";
import type { KeyShape, NameOf, Shape } from "./shape.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

export function blueprintJsonSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Plinth blueprint",
    ...mapSchema(sections),
    definitions: {
      ...Object.fromEntries(Object.entries({ ...shapes, step }).map(([name, shape]) => [name, schemaOf(shape)])),
      field: fieldSchema(),
    },
  };
}

/** The notation starts with a type's name; only the compiler parses the rest. */
function fieldSchema(): JsonSchema {
  const names = Object.keys(typeHelp).join("|");
  return {
    anyOf: [
      {
        type: "string",
        pattern: `^\\s*(?:${names})\\b`,
        examples: Object.values(typeHelp).map((type) => type.example),
      },
      mapSchema(fieldKeys),
    ],
  };
}

/** Names that can look like a number or a boolean, as values of an enum can. */
const looksLikeText: readonly NameOf[] = [
  "state",
  "sort_field",
  "entity_row",
  "row_transition",
  "organization_role",
  "integration_kind",
  "provider",
  "webhook_provider",
];

function schemaOf(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case "text":
    case "template":
      // `true` and `2` are texts where a text is expected.
      return { type: ["string", "number", "boolean"] };
    case "name":
      return looksLikeText.includes(shape.of) ? { type: ["string", "number", "boolean"] } : { type: "string" };
    case "rule":
      return { type: ["string", "boolean"] };
    case "boolean":
      return { type: "boolean" };
    case "number":
      return { type: "number" };
    case "integer":
      return { type: "integer" };
    case "value":
      return {};
    case "field":
      return { $ref: "#/definitions/field" };
    case "word":
      return { type: "string", enum: shape.words };
    case "list":
      return { type: "array", items: schemaOf(shape.of) };
    case "map":
      return shape.bare === true ? { ...mapSchema(shape.keys), type: ["object", "null"] } : mapSchema(shape.keys);
    case "names":
      // `label:` alone means an empty map.
      return { type: ["object", "null"], additionalProperties: schemaOf(shape.value) };
    case "any_of":
      return { anyOf: shape.of.map(schemaOf) };
    case "shape":
      return { $ref: `#/definitions/${shape.name}` };
  }
}

function mapSchema(keys: Readonly<Record<string, KeyShape>>): JsonSchema {
  const required = Object.keys(keys).filter((name) => keys[name]?.required === true);
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(keys).map(([name, key]) => {
        const schema = schemaOf(key.value);
        // In draft 07, all other keys next to a $ref are ignored.
        const described = "$ref" in schema ? { allOf: [schema] } : schema;
        return [name, { description: key.help, ...described }];
      }),
    ),
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
  };
}
