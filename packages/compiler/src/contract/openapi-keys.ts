// Describes paths with a unique key instead of an id. In: an entity. Out: the same operations as by id, and the upsert,
// which only exists by key.
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
    "If the record exists, it is updated with the fields that were sent, except for fields that can only be set at create. Otherwise it is created, and needs all fields of a create except for the key.";
  return {
    schemas: { [`${name}.upsert`]: { ...schema, description } },
    requestBodies: {
      [`${name}.upsert`]: { ...body(reference("schemas", `${name}.upsert`), {}), required: false },
    },
  };
}

/** What all paths with keys of an entity share. */
export interface KeyedPaths {
  readonly operation: (name: string, summary: string) => OpenapiObject;
  readonly condition: WriteCondition;
  readonly isOfUsers?: true;
}

/** Sign-up creates users, and no route deletes one. */
const ofUsers: ReadonlySet<string> = new Set(["get", "patch"]);

export function keyPaths(path: string, entity: DocumentedEntity, common: KeyedPaths): OpenapiObject {
  const { fields, orgField } = entity;
  const known = new Map(fields.map((field) => [field.name, field]));
  const scope = orgField === null ? [] : [reference("parameters", "organization")];
  return Object.fromEntries(
    keysOf(entity).map((key) => {
      const operations = Object.entries(operationsBy(key, entity, common));
      return [
        `${path}/by/${key.join(",")}/${key.map((field) => `{${field}}`).join(",")}`,
        {
          parameters: [...key.map((field) => keyParameter(known.get(field)!)), ...scope],
          ...Object.fromEntries(operations.filter(([method]) => !common.isOfUsers || ofUsers.has(method))),
        },
      ];
    }),
  );
}

function operationsBy(
  key: readonly string[],
  entity: DocumentedEntity,
  { operation, condition: { parameters: conditions, stale }, isOfUsers }: KeyedPaths,
): Readonly<Record<"get" | "put" | "patch" | "delete", OpenapiObject>> {
  const { name } = entity;
  const by = key.join(".");
  const its = `by its ${key.join(", ")}`;
  const written = reference("responses", isOfUsers ? `${name}.one` : `${name}.written`);
  const change = { parameters: [...selectionParameters(entity), ...writeParameters, ...conditions] };
  return {
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
      ...change,
      requestBody: reference("requestBodies", `${name}.upsert`),
      responses: {
        200: written,
        201: reference("responses", `${name}.created`),
        ...errors(400, 401, 403, 404, 409, ...stale, 413, 415, 422, 429, 503),
      },
    },
    patch: {
      ...operation(`update.by.${by}`, `Update ${one(entity)} ${its}`),
      ...change,
      requestBody: reference("requestBodies", `${name}.update`),
      responses: { 200: written, ...errors(400, 401, 403, 404, 409, ...stale, 413, 415, 422, 429, 503) },
    },
    delete: {
      ...operation(`delete.by.${by}`, `Delete ${one(entity)} ${its}`),
      parameters: [...writeParameters, ...conditions],
      responses: { 204: reference("responses", "Gone"), ...errors(400, 401, 403, 404, 409, ...stale, 429, 503) },
    },
  };
}
