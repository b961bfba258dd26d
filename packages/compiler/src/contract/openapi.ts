// Writes the OpenAPI 3.1 document. In: the model. Out: plain data, served as it is.
// It describes what the routes take and give; it never adds a rule of its own.
import type { Entity, Model } from "@plinth/blueprint";
import { builtinEntities } from "../requests/builtin-entities.ts";
import { holdsJson } from "../requests/schemas.ts";
import { isServed } from "../sql/column-type.ts";
import { handsEventsOn } from "../tables/system-tables.ts";
import { actionComponents, actionPaths } from "./openapi-actions.ts";
import { type DocumentedEntity, entityComponents, filterableFields, hasTransitionBody } from "./openapi-entity.ts";
import { eventSchemas, webhooksOf } from "./openapi-events.ts";
import { documentedEntity, moduleComponents, modulePaths } from "./openapi-modules.ts";
import { components, errors, type OpenapiObject, reference, sharedComponents } from "./openapi-shared.ts";

export function openapiOf(model: Model): OpenapiObject {
  const entities = model.entities.map(served);
  const builtin = builtinEntities(model)
    .filter(({ documented }) => documented)
    .map((entity) => ({ path: entity.path, entity: documentedEntity(entity) }));
  const documented = [...builtin.map(({ entity }) => entity), ...entities];
  const own = components(moduleComponents(model), actionComponents(model), ...documented.map(entityComponents), {
    schemas: eventSchemas(model),
  });
  const scoped = entities.some((entity) => entity.orgField !== null);
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
      { name: "project" },
      { name: "user" },
      ...(model.modules.includes("auth") ? [{ name: "auth" }] : []),
      ...documented.map(({ name, label, help }) => {
        const description = [label, help].filter((part) => part !== null && part !== "").join(": ");
        return { name, ...(description === "" ? {} : { description }) };
      }),
    ],
    paths: {
      ...modulePaths(model),
      ...actionPaths(model, scoped),
      ...Object.assign({}, ...builtin.map(({ path, entity }) => pathsAt(path, entity, ""))),
      ...Object.assign({}, ...entities.map((entity) => entityPaths(entity, entities))),
    },
    ...webhooksOf(model),
    components: components(
      sharedComponents({ pageMax: model.api.pageMax, scoped, json: usesJson(model, entities) }),
      own,
    ),
  };
}

function served(entity: Entity): DocumentedEntity {
  return { ...entity, fields: entity.fields.filter(isServed) };
}

/** The definition of any JSON stands there only where something refers to it. */
function usesJson(model: Model, entities: readonly DocumentedEntity[]): boolean {
  const sent = model.background.actions.flatMap((action) => action.input);
  const carried = handsEventsOn(model) ? model.background.events.flatMap((event) => event.payload) : [];
  const fields = [...model.userFields, ...entities.flatMap((entity) => entity.fields), ...sent, ...carried];
  return fields.some((field) => !field.internal && holdsJson(field.type));
}

/** Two full names, as some generators don't follow a reference from a path; the singular alias is one. */
function entityPaths(entity: DocumentedEntity, all: readonly DocumentedEntity[]): OpenapiObject {
  const main = `/v1/resources/${entity.plural}`;
  const paths = pathsAt(main, entity, "");
  const aliased = all.every((other) => other.plural !== entity.name);
  const alias = (path: string): string => `/v1/resources/${entity.name}${path.slice(main.length)}`;
  return {
    ...paths,
    ...pathsAt(`/api/${entity.plural}`, entity, ".api"),
    ...(aliased
      ? Object.fromEntries(Object.keys(paths).map((path) => [alias(path), { $ref: pathPointer(path) }]))
      : {}),
  };
}

function pathPointer(path: string): string {
  return `#/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}`;
}

function pathsAt(path: string, entity: DocumentedEntity, suffix: string): OpenapiObject {
  const { name, plural } = entity;
  const common = operationOf(entity, suffix);
  const filters = filterableFields(entity).map((field) => reference("parameters", `${name}.filter.${field.name}`));
  const written = reference("responses", `${name}.written`);
  const scope = entity.orgField === null ? [] : [reference("parameters", "organization")];
  return {
    [path]: {
      ...(scope.length === 0 ? {} : { parameters: scope }),
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
      parameters: [reference("parameters", "id"), ...scope],
      get: {
        ...common("read", `Read one of ${plural}`),
        responses: { 200: reference("responses", `${name}.one`), ...errors(400, 401, 403, 404, 429, 503) },
      },
      patch: {
        ...common("update", `Update one of ${plural}`),
        requestBody: reference("requestBodies", `${name}.update`),
        responses: { 200: written, ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503) },
      },
      delete: {
        ...common(
          "delete",
          entity.softDelete ? `Delete one of ${plural}; it can be restored` : `Delete one of ${plural}`,
        ),
        responses: { 204: reference("responses", "Gone"), ...errors(400, 401, 403, 404, 409, 429, 503) },
      },
    },
    ...commandPaths(path, entity, suffix),
  };
}

/** What is neither a create nor an update: each has a path of its own. */
function commandPaths(path: string, entity: DocumentedEntity, suffix: string): OpenapiObject {
  const { name, plural, stateMachine } = entity;
  const common = operationOf(entity, suffix);
  const parameters = [
    reference("parameters", "id"),
    ...(entity.orgField === null ? [] : [reference("parameters", "organization")]),
  ];
  const success = { 200: reference("responses", `${name}.written`) };
  const restore = {
    [`${path}/{id}/restore`]: {
      parameters,
      post: {
        ...common("restore", `Restore a deleted one of ${plural}`),
        responses: { ...success, ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503) },
      },
    },
  };
  const transitions = (stateMachine?.edges ?? []).map((edge) => [
    `${path}/{id}/transitions/${edge.name}`,
    {
      parameters,
      post: {
        ...common(`transition.${edge.name}`, `Take one of ${plural} from ${edge.from.join(" or ")} to ${edge.to}`),
        ...(hasTransitionBody(entity, edge)
          ? { requestBody: reference("requestBodies", `${name}.transition.${edge.name}`) }
          : {}),
        responses: { ...success, ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503) },
      },
    },
  ]);
  return { ...(entity.softDelete ? restore : {}), ...Object.fromEntries(transitions) };
}

function operationOf(
  { name }: DocumentedEntity,
  suffix: string,
): (operation: string, summary: string) => OpenapiObject {
  return (operation, summary) => ({ operationId: `${name}.${operation}${suffix}`, summary, tags: [name] });
}
