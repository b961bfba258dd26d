// Paths that name a record by the values of a unique key. In: an entity. Out: what they take and give, which is what is taken and given
// by its id, and the upsert, which is there alone.
import { keysOf } from "../requests/keys.ts";
import { createSchemaOf } from "../requests/schemas.ts";
import { described } from "./described-schema.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { one } from "./entity-words.ts";
import { withChildren } from "./openapi-children.ts";
import { keyParameter, selectionParameters } from "./openapi-reading.ts";
import { body, type Components, errors, type OpenapiObject, reference } from "./openapi-shared.ts";
import { type WriteCondition, writeParameters } from "./openapi-writing.ts";

export function keyComponents(entity: DocumentedEntity, all: readonly DocumentedEntity[]): Components {
  if (keysOf(entity).length === 0) return {};
  const { name, fields, stateMachine } = entity;
  const own = { ...described(createSchemaOf(fields, stateMachine), fields), required: [] };
  const schema = withChildren(own, entity, all, false);
  const description =
    "Where the record is there, what is sent is changed, but for what can be set at create only. Else it is created, and has to have all that a create asks for but the values of the key.";
  return {
    schemas: { [`${name}.upsert`]: { ...schema, description } },
    requestBodies: {
      [`${name}.upsert`]: { ...body(reference("schemas", `${name}.upsert`), {}), required: false },
    },
  };
}

export function keyPaths(
  path: string,
  entity: DocumentedEntity,
  operation: (name: string, summary: string) => OpenapiObject,
  { parameters: conditions, stale }: WriteCondition,
): OpenapiObject {
  const { name, fields, orgField } = entity;
  const known = new Map(fields.map((field) => [field.name, field]));
  const scope = orgField === null ? [] : [reference("parameters", "organization")];
  const written = reference("responses", `${name}.written`);
  return Object.fromEntries(
    keysOf(entity).map((key) => {
      const by = key.join(".");
      const its = `by its ${key.join(", ")}`;
      return [
        `${path}/by/${key.join(",")}/${key.map((field) => `{${field}}`).join(",")}`,
        {
          parameters: [...key.map((field) => keyParameter(known.get(field)!)), ...scope],
          get: {
            ...operation(`read.by.${by}`, `Read ${one(entity)} ${its}`),
            parameters: [...selectionParameters(entity), reference("parameters", "ifNoneMatch")],
            responses: {
              200: reference("responses", `${name}.one`),
              304: reference("responses", "NotModified"),
              ...errors(400, 401, 403, 404, 429, 503),
            },
          },
          put: {
            ...operation(`upsert.by.${by}`, `Create or update ${one(entity)} ${its}`),
            parameters: [...selectionParameters(entity), ...writeParameters, ...conditions],
            requestBody: reference("requestBodies", `${name}.upsert`),
            responses: {
              200: written,
              201: reference("responses", `${name}.created`),
              ...errors(400, 401, 403, 404, 409, ...stale, 413, 415, 422, 429, 503),
            },
          },
          patch: {
            ...operation(`update.by.${by}`, `Update ${one(entity)} ${its}`),
            parameters: [...selectionParameters(entity), ...writeParameters, ...conditions],
            requestBody: reference("requestBodies", `${name}.update`),
            responses: { 200: written, ...errors(400, 401, 403, 404, 409, ...stale, 413, 415, 422, 429, 503) },
          },
          delete: {
            ...operation(`delete.by.${by}`, `Delete ${one(entity)} ${its}`),
            parameters: [...writeParameters, ...conditions],
            responses: { 204: reference("responses", "Gone"), ...errors(400, 401, 403, 404, 409, ...stale, 429, 503) },
          },
        },
      ];
    }),
  );
}
