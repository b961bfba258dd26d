// Writes the OpenAPI 3.1 document. In: the model. Out: plain data, served as it is.
// It describes what the routes take and give; it never adds a rule of its own.
import type { Entity, Model } from "@plinth/blueprint";
import { accountComponents, accountPaths } from "./openapi-account.ts";
import { entityComponents } from "./openapi-entity.ts";
import { components, errors, type OpenapiObject, reference, sharedComponents } from "./openapi-shared.ts";

export function openapiOf(model: Model): OpenapiObject {
  return {
    openapi: "3.1.0",
    info: {
      title: model.project,
      version: "1",
      description: `The API of ${model.project}. Every request carries an API key, or a signed-in user's access token; what it may do depends on the roles behind them.`,
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }, { apiKey: [], userToken: [] }, { accessToken: [] }],
    tags: [
      "project",
      "user",
      ...(model.modules.includes("auth") ? ["auth"] : []),
      ...model.entities.map(({ name }) => name),
    ].map((name) => ({ name })),
    paths: {
      ...accountPaths(model),
      ...Object.assign({}, ...model.entities.map((entity) => entityPaths(entity, model.entities))),
    },
    components: components(sharedComponents(), accountComponents(model), ...model.entities.map(entityComponents)),
  };
}

/** Two full names, as some generators don't follow a reference from a path; the singular alias is one. */
function entityPaths(entity: Entity, all: readonly Entity[]): OpenapiObject {
  const main = `/v1/resources/${entity.plural}`;
  const aliased = all.every((other) => other.plural !== entity.name);
  return {
    ...pathsAt(main, entity, ""),
    ...pathsAt(`/api/${entity.plural}`, entity, ".api"),
    ...(aliased
      ? {
          [`/v1/resources/${entity.name}`]: { $ref: pathPointer(main) },
          [`/v1/resources/${entity.name}/{id}`]: { $ref: pathPointer(`${main}/{id}`) },
        }
      : {}),
  };
}

function pathPointer(path: string): string {
  return `#/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}`;
}

function pathsAt(path: string, entity: Entity, suffix: string): OpenapiObject {
  const { name, plural } = entity;
  const common = (operation: string, summary: string): OpenapiObject => ({
    operationId: `${name}.${operation}${suffix}`,
    summary,
    tags: [name],
  });
  const filters = entity.fields.map((field) => reference("parameters", `${name}.filter.${field.name}`));
  return {
    [path]: {
      get: {
        ...common("list", `List ${plural}`),
        parameters: [
          reference("parameters", "limit"),
          reference("parameters", "cursor"),
          reference("parameters", `${name}.sort`),
          ...filters,
        ],
        responses: { 200: reference("responses", `${name}.page`), ...errors(400, 401, 403, 429, 503) },
      },
      post: {
        ...common("create", `Create one of ${plural}`),
        requestBody: reference("requestBodies", `${name}.create`),
        responses: {
          201: reference("responses", `${name}.created`),
          ...errors(400, 401, 403, 409, 413, 415, 422, 429, 503),
        },
      },
    },
    [`${path}/{id}`]: {
      parameters: [reference("parameters", "id")],
      get: {
        ...common("read", `Read one of ${plural}`),
        responses: { 200: reference("responses", `${name}.one`), ...errors(400, 401, 403, 404, 429, 503) },
      },
      patch: {
        ...common("update", `Update one of ${plural}`),
        requestBody: reference("requestBodies", `${name}.update`),
        responses: {
          200: reference("responses", `${name}.written`),
          ...errors(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503),
        },
      },
      delete: {
        ...common("delete", `Delete one of ${plural}`),
        responses: { 204: reference("responses", "Gone"), ...errors(400, 401, 403, 404, 409, 412, 429, 503) },
      },
    },
  };
}
