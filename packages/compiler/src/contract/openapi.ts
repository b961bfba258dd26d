// Writes the OpenAPI 3.1 document. In: the model. Out: plain data, served unchanged. It describes what the routes
// accept and return; it never adds a rule of its own.
import { describeModules, type Entity, type Model, USER_ENTITY } from "@plinth/blueprint";
import { builtinEntities } from "../requests/builtin-entities.ts";
import { holdsJson } from "../requests/schemas.ts";
import { isServed } from "../sql/column-type.ts";
import { handsEventsOn } from "../tables/system-tables.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { many, one, singular } from "./entity-words.ts";
import { actionPaths } from "./openapi-actions.ts";
import { childComponents } from "./openapi-children.ts";
import { createExample, entityComponents, hasTransitionBody } from "./openapi-entity.ts";
import { eventSchemas, webhooksOf } from "./openapi-events.ts";
import { keyComponents, keyPaths } from "./openapi-keys.ts";
import { manyComponents, manyOperations } from "./openapi-many.ts";
import { documentedEntity, documentedUser, moduleComponents, modulePaths } from "./openapi-modules.ts";
import { aggregatePath, listParameters, selectionParameters } from "./openapi-reading.ts";
import {
  body,
  components,
  errors,
  moduleTag,
  type OpenapiObject,
  reference,
  sharedComponents,
} from "./openapi-shared.ts";
import { type WriteCondition, writeParameters, writingComponents } from "./openapi-writing.ts";
import { withPortablePatterns } from "./portable-patterns.ts";
import { relatedOf } from "./record-schemas.ts";

export function openapiOf(model: Model): OpenapiObject {
  return withPortablePatterns(documentOf(model));
}

function documentOf(model: Model): OpenapiObject {
  const entities = model.entities.map(served);
  const builtin = builtinEntities(model)
    .filter(({ documented }) => documented)
    .map((entity) => ({ path: entity.path, entity: documentedEntity(entity) }));
  const documented = [...builtin.map(({ entity }) => entity), ...entities];
  const names = new Map(builtinEntities(model).map(({ name, component }) => [name, component]));
  const related = relatedOf(names, entities);
  const own = components(
    moduleComponents(model, entities),
    ...builtin.map(({ entity }) => entityComponents(entity, [])),
    ...entities.map((entity) => entityComponents(entity, entities, related)),
    ...entities.map((entity) => keyComponents(entity, entities)),
    ...entities.map((entity) => childComponents(entity, [documentedUser(model), ...entities])),
    { schemas: eventSchemas(model) },
  );
  const mails = describeModules(model).some(({ operations }) => operations.some(({ tag }) => tag === "email"));
  const scoped = entities.some((entity) => entity.orgField !== null);
  return {
    openapi: "3.1.0",
    info: {
      title: model.project,
      version: "1",
      description: `The API of ${model.project}. Every request needs an API key, or the access token of a signed-in user. Its roles decide what the request can do.`,
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }, { apiKey: [], userToken: [] }, { accessToken: [] }],
    // In a useful order for readers of the reference.
    tags: [
      ...documented.map((entity) => {
        const said = [entity.label, entity.help].filter((part) => part !== null && part !== "").join(": ");
        return { name: entity.name, description: said === "" ? `The ${many(entity)}.` : said };
      }),
      { name: "user", description: "The users of the app." },
      ...(model.modules.includes("auth")
        ? [{ name: moduleTag("auth", model), description: "Accounts and sessions of users." }]
        : []),
      ...(mails ? [{ name: moduleTag("email", model), description: "Mail of the project." }] : []),
      {
        name: moduleTag("project", model),
        description: "Descriptions of the project, and several operations in one request.",
      },
    ],
    paths: {
      ...withBatchExample(modulePaths(model), entities),
      ...userKeyPaths(documentedUser(model)),
      ...actionPaths(model, scoped),
      ...Object.assign({}, ...builtin.map(({ path, entity }) => pathsAt(path, entity, "", true))),
      ...Object.assign({}, ...entities.map(entityPaths)),
    },
    ...webhooksOf(model),
    components: components(
      writingComponents,
      ...(entities.length > 0 ? [manyComponents] : []),
      sharedComponents({ pageMax: model.api.pageMax, entities, scoped, json: usesJson(model, entities) }),
      own,
    ),
  };
}

/** An example with the project's own records that works as it is: it creates and reads a record. */
function withBatchExample(paths: OpenapiObject, [entity]: readonly DocumentedEntity[]): OpenapiObject {
  const { post, ...others } = paths[BATCH] as { readonly post: OpenapiObject };
  if (entity === undefined) return paths;
  const { name, plural } = entity;
  const operations = [
    { method: "POST", path: `/api/${plural}`, body: createExample(entity), as: name },
    { method: "GET", path: `/api/${plural}/{${name}.id}?fields=id` },
  ];
  const requestBody = body(reference("schemas", "Batch"), { operations });
  return { ...paths, [BATCH]: { ...others, post: { ...post, requestBody } } };
}

const BATCH = "/v1/batch";

function served(entity: Entity): DocumentedEntity {
  return { ...entity, fields: entity.fields.filter(isServed) };
}

/** The definition of any JSON is included only if something refers to it. */
function usesJson(model: Model, entities: readonly DocumentedEntity[]): boolean {
  const sent = model.background.actions.flatMap((action) => action.input);
  const carried = handsEventsOn(model) ? model.background.events.flatMap((event) => event.payload) : [];
  const fields = [...model.userFields, ...entities.flatMap((entity) => entity.fields), ...sent, ...carried];
  return fields.some((field) => !field.internal && holdsJson(field.type));
}

/** Two full names. The singular alias is left out, because generators would report duplicate operation ids. */
function entityPaths(entity: DocumentedEntity): OpenapiObject {
  return {
    ...pathsAt(`/v1/resources/${entity.plural}`, entity, ""),
    ...pathsAt(`/api/${entity.plural}`, entity, ".api"),
  };
}

function pathsAt(path: string, entity: DocumentedEntity, suffix: string, isBuiltin = false): OpenapiObject {
  const { name } = entity;
  const common = operationOf(entity, suffix);
  const written = reference("responses", `${name}.written`);
  const scope = entity.orgField === null ? [] : [reference("parameters", "organization")];
  const { parameters, stale } = conditionOf(entity);
  const shown = isBuiltin ? [] : selectionParameters(entity);
  return {
    [path]: {
      ...(scope.length === 0 ? {} : { parameters: scope }),
      get: {
        ...common("list", `List ${many(entity)}`),
        parameters: listParameters(entity),
        responses: { 200: reference("responses", `${name}.page`), ...errors(400, 401, 403, 429, 503) },
      },
      post: {
        ...common("create", `Create ${one(entity)}`),
        ...(isBuiltin ? {} : { description: createsSeveral }),
        parameters: [...shown, ...writeParameters],
        requestBody: reference("requestBodies", `${name}.create`),
        responses: {
          201: reference("responses", `${name}.created`),
          ...errors(400, 401, 403, 409, 413, 415, 422, 429, 503),
        },
      },
      ...(isBuiltin ? {} : manyOperations(entity, common)),
    },
    [`${path}/{id}`]: {
      parameters: [reference("parameters", "id"), ...scope],
      get: {
        ...common("read", `Read ${one(entity)}`),
        parameters: [...selectionParameters(entity), reference("parameters", "ifNoneMatch")],
        responses: {
          200: reference("responses", `${name}.one`),
          304: reference("responses", "NotModified"),
          ...errors(400, 401, 403, 404, 429, 503),
        },
      },
      patch: {
        ...common("update", `Update ${one(entity)}`),
        parameters: [...shown, ...writeParameters, ...parameters],
        requestBody: reference("requestBodies", `${name}.update`),
        responses: { 200: written, ...errors(400, 401, 403, 404, 409, ...stale, 413, 415, 422, 429, 503) },
      },
      delete: {
        ...common("delete", `Delete ${one(entity)}${entity.softDelete ? "; it can be restored" : ""}`),
        parameters: [...writeParameters, ...parameters],
        responses: { 204: reference("responses", "Gone"), ...errors(400, 401, 403, 404, 409, ...stale, 429, 503) },
      },
    },
    ...(isBuiltin ? {} : aggregatePath(path, entity, common("aggregate", `Totals over ${many(entity)}`), scope)),
    ...keyPaths(path, entity, { operation: operationOf(entity, suffix), condition: conditionOf(entity) }),
    ...viewPaths(path, entity, suffix),
    ...commandPaths(path, entity, suffix),
  };
}

/** In addition to the paths of the module `users`. */
function userKeyPaths(user: DocumentedEntity): OpenapiObject {
  const operation = operationOf({ name: USER_ENTITY }, "");
  return keyPaths("/v1/users", user, { operation, condition: conditionOf(user), isOfUsers: true });
}

/** Explained in words: with a schema for both forms, every client would have to check which one a reply has. */
const createsSeveral =
  "To create several records, send a list of 1 to 100 such bodies. The reply is a list. All records are created, or none; with `mode=each`, each is created on its own and the reply (200) has one result for each.";

/** Conditions for a write of an existing record. */
function conditionOf({ requireVersion }: DocumentedEntity): WriteCondition {
  return requireVersion === true
    ? { parameters: [reference("parameters", "ifMatchRequired")], stale: [412, 428] }
    : { parameters: [reference("parameters", "ifMatch")], stale: [412] };
}

/** Each one is read like the list of all records. */
function viewPaths(path: string, entity: DocumentedEntity, suffix: string): OpenapiObject {
  const { name } = entity;
  const scope = entity.orgField === null ? [] : [reference("parameters", "organization")];
  return Object.fromEntries(
    (entity.views ?? []).map((view) => [
      `${path}/${view.name}`,
      {
        ...(scope.length === 0 ? {} : { parameters: scope }),
        get: {
          ...operationOf(entity, suffix)(
            `list.${view.name}`,
            `List ${many(entity)}: ${view.name.replaceAll("_", " ")}`,
          ),
          parameters: listParameters(entity),
          responses: { 200: reference("responses", `${name}.page`), ...errors(400, 401, 403, 429, 503) },
        },
      },
    ]),
  );
}

/** Operations that are neither a create nor an update have their own paths. */
function commandPaths(path: string, entity: DocumentedEntity, suffix: string): OpenapiObject {
  const { name, stateMachine } = entity;
  const common = operationOf(entity, suffix);
  const { parameters: conditions, stale } = conditionOf(entity);
  const parameters = [
    reference("parameters", "id"),
    ...(entity.orgField === null ? [] : [reference("parameters", "organization")]),
    ...selectionParameters(entity),
    ...writeParameters,
    ...conditions,
  ];
  const success = { 200: reference("responses", `${name}.written`) };
  const restore = {
    [`${path}/{id}/restore`]: {
      parameters,
      post: {
        ...common("restore", `Restore a deleted ${singular(entity)}`),
        responses: { ...success, ...errors(400, 401, 403, 404, 409, ...stale, 413, 415, 422, 429, 503) },
      },
    },
  };
  const transitions = (stateMachine?.edges ?? []).map((edge) => [
    `${path}/{id}/transitions/${edge.name}`,
    {
      parameters,
      post: {
        ...common(`transition.${edge.name}`, `Take ${one(entity)} from ${edge.from.join(" or ")} to ${edge.to}`),
        ...(hasTransitionBody(entity, edge)
          ? { requestBody: reference("requestBodies", `${name}.transition.${edge.name}`) }
          : {}),
        responses: { ...success, ...errors(400, 401, 403, 404, 409, ...stale, 413, 415, 422, 429, 503) },
      },
    },
  ]);
  return { ...(entity.softDelete ? restore : {}), ...Object.fromEntries(transitions) };
}

function operationOf(
  { name }: Pick<DocumentedEntity, "name">,
  suffix: string,
): (operation: string, summary: string) => OpenapiObject {
  return (operation, summary) => ({ operationId: `${name}.${operation}${suffix}`, summary, tags: [name] });
}
