// Describes one entity in the OpenAPI document. In: the entity. Out: schemas, parameters, bodies and replies with
// examples. Each example is valid for its schema.
import type { Edge, Field } from "@plinth/blueprint";
import { exampleOf } from "../requests/example-values.ts";
import { createSchemaOf, readableFields, updateSchemaOf, writableFields } from "../requests/schemas.ts";
import { visibleFieldsOf } from "../requests/visible-fields.ts";
import { described } from "./described-schema.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { many } from "./entity-words.ts";
import { withChildren } from "./openapi-children.ts";
import { readingParameters } from "./openapi-reading.ts";
import {
  body,
  type Components,
  dataOf,
  etagHeader,
  type OpenapiObject,
  pageOf,
  reference,
  reply,
} from "./openapi-shared.ts";
import { writeHeaders } from "./openapi-writing.ts";
import { noneRelated, type Related, recordSchemas } from "./record-schemas.ts";

/** @param all The entities whose records can be nested in its bodies. */
export function entityComponents(
  entity: DocumentedEntity,
  all: readonly DocumentedEntity[],
  related: Related = noneRelated,
): Components {
  const { name, fields, stateMachine } = entity;
  const record = reference("schemas", name);
  const written = dataOf(reference("schemas", `${name}.written`));
  const { shown } = visibleFieldsOf(entity);
  const example = exampleOf(readableFields(fields).filter((field) => shown.has(field.name)));
  const writable = writableFields(fields);
  const edges = (stateMachine?.edges ?? []).filter((edge) => transitionFields(entity, edge).length > 0);
  return {
    schemas: {
      ...recordSchemas(entity, related),
      [`${name}.create`]: withChildren(described(createSchemaOf(fields, stateMachine), fields), entity, all, true),
      [`${name}.update`]: withChildren(described(updateSchemaOf(fields), fields), entity, all, false),
      [`${name}.written`]: {
        description: "The record, or only its id if the caller can write but not read it.",
        anyOf: [record, idOnly],
      },
    },
    parameters: readingParameters(entity),
    requestBodies: {
      [`${name}.create`]: body(reference("schemas", `${name}.create`), createExample(entity)),
      [`${name}.update`]: body(
        reference("schemas", `${name}.update`),
        exampleOf(writable.filter((field) => !field.immutable).slice(0, 1)),
      ),
      ...Object.fromEntries(edges.map((edge) => [`${name}.transition.${edge.name}`, transitionBody(entity, edge)])),
    },
    responses: {
      [`${name}.one`]: reply("The record", dataOf(record), { data: example }, etagHeader),
      [`${name}.written`]: reply("The current record", written, { data: example }, { ...etagHeader, ...writeHeaders }),
      [`${name}.created`]: reply(
        "Created",
        written,
        { data: example },
        {
          ...locationHeader,
          ...etagHeader,
          ...writeHeaders,
        },
      ),
      [`${name}.page`]: reply(`A page of ${many(entity)}`, pageOf(record), {
        data: [example],
        page: { next_cursor: null, prev_cursor: null, has_more: false },
      }),
    },
  };
}

/** A body for a create. */
export function createExample({ fields, stateMachine }: DocumentedEntity): OpenapiObject {
  const given = writableFields(fields).filter(
    ({ default: fallback }) => fallback?.kind !== "current_user_id" && fallback?.kind !== "current_org",
  );
  const example = exampleOf(given);
  return stateMachine !== null && Object.hasOwn(example, stateMachine.field)
    ? { ...example, [stateMachine.field]: stateMachine.initial }
    : example;
}

/** The fields in the body of a transition. */
function transitionFields({ fields }: DocumentedEntity, edge: Edge): readonly Field[] {
  return writableFields(fields).filter((field) => edge.require.includes(field.name) && !field.immutable);
}

export function hasTransitionBody(entity: DocumentedEntity, edge: Edge): boolean {
  return transitionFields(entity, edge).length > 0;
}

/** The body is optional, because the record can already have all required values. */
function transitionBody(entity: DocumentedEntity, edge: Edge): OpenapiObject {
  const fields = transitionFields(entity, edge);
  return { ...body(described(updateSchemaOf(fields), fields), exampleOf(fields)), required: false };
}

const locationHeader: OpenapiObject = {
  Location: { description: "The URL of the record.", schema: { type: "string" } },
};

const idOnly: OpenapiObject = {
  type: "object",
  properties: { id: reference("schemas", "Id") },
  required: ["id"],
  additionalProperties: false,
};
