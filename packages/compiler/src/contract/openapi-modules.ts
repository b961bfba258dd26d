// Describes routes of modules in the OpenAPI document. In: the model. Out: their paths and components, from the
// modules' descriptions. `openapi.ts` describes the generated routes of entities.
import {
  describeModules,
  EXAMPLE_RECORD,
  EXTENDED_SCHEMA,
  type LogFilters,
  type Model,
  type ModuleDescription,
  type ModuleEntity,
  type ModuleOperation,
  type OperationBody,
  type OperationReply,
  userEntity,
} from "@plinth/blueprint";
import { builtinEntities } from "../requests/builtin-entities.ts";
import { exampleOf } from "../requests/example-values.ts";
import { readableFields } from "../requests/schemas.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { entityComponents } from "./openapi-entity.ts";
import { aggregateParameters, groupsReply, listParameters, selectionParameters } from "./openapi-reading.ts";
import {
  body,
  type ComponentKind,
  type Components,
  components,
  dataOf,
  errors,
  moduleTag,
  type OpenapiObject,
  pageOf,
  reference,
  reply,
  replyHeaders,
} from "./openapi-shared.ts";
import { idempotencyKey, writeParameters } from "./openapi-writing.ts";

export function modulePaths(model: Model): OpenapiObject {
  const paths = new Map<string, OpenapiObject>();
  const user = userOf(model);
  for (const { operations, entity } of describeModules(model)) {
    const served = entity?.name === user.name ? documentedUser(model) : entity && documentedEntity(entity);
    for (const operation of operations) {
      const parameters = idsIn(operation.path).map((name) => reference("parameters", name));
      const known = paths.get(operation.path) ?? (parameters.length === 0 ? {} : { parameters });
      const described = describeOperation(operation, { entity: served, user, tag: moduleTag(operation.tag, model) });
      paths.set(operation.path, { ...known, [operation.method.toLowerCase()]: described });
    }
  }
  return Object.fromEntries(paths);
}

/** @param entities The declared entities, whose records can be nested in a user's body. */
export function moduleComponents(model: Model, entities: readonly DocumentedEntity[]): Components {
  return components(...describeModules(model).map((module) => componentsOf(module, model, entities)));
}

/** The form in which generated routes and components use entities. */
export function documentedEntity({ component, plural, fields, uniques, help }: ModuleEntity): DocumentedEntity {
  return {
    name: component,
    plural,
    fields,
    permissions: [],
    softDelete: false,
    stateMachine: null,
    orgField: null,
    label: null,
    help,
    relations: [],
    uniques,
  };
}

/** Users, with the fields and permissions of the blueprint. */
export function documentedUser(model: Model): DocumentedEntity {
  const { permissions, relations } = userEntity(model);
  return { ...documentedEntity(userOf(model)), permissions, relations };
}

function userOf(model: Model): ModuleEntity {
  const user = builtinEntities(model).find((entity) => !entity.documented);
  if (user === undefined) throw new Error("a project without users");
  return user;
}

function componentsOf(module: ModuleDescription, model: Model, entities: readonly DocumentedEntity[]): Components {
  const { operations, schemas } = module;
  const user = userOf(model);
  const isUsers = module.entity?.name === user.name;
  const generated = isUsers ? entityComponents(documentedUser(model), entities) : {};
  const record = isUsers ? withSchemas(generated.schemas?.[user.component] as OpenapiObject, user.schemas) : null;
  const update = `${user.component}.update`;
  const own = record === null ? {} : { [user.component]: record, [update]: generated.schemas?.[update] };
  const named = (
    kind: ComponentKind,
    parts: readonly (readonly [string | undefined, OpenapiObject])[],
  ): Components => ({
    [kind]: Object.fromEntries(parts.filter(([name]) => name !== undefined)),
  });
  const ids = operations.flatMap((operation) => idsIn(operation.path)).filter((name) => name !== "id");
  return components(
    {
      schemas: {
        ...own,
        ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, extended(schema, own)])),
      },
      parameters: {
        ...(isUsers ? generated.parameters : {}),
        ...Object.fromEntries(ids.map((name) => [name, idParameter(name)])),
      },
    },
    named(
      "requestBodies",
      operations.flatMap(({ body: sent }) => (sent === null ? [] : [[sent.component, bodyOf(sent)] as const])),
    ),
    named(
      "responses",
      operations.flatMap(({ replies }) =>
        Object.values(replies).map((one) => [one.component, replyOf(one, user)] as const),
      ),
    ),
  );
}

function withSchemas(record: OpenapiObject, schemas: OpenapiObject): OpenapiObject {
  return { ...record, properties: { ...(record.properties as OpenapiObject), ...schemas } };
}

function extended({ [EXTENDED_SCHEMA]: base, ...more }: OpenapiObject, schemas: OpenapiObject): OpenapiObject {
  if (typeof base !== "string") return more;
  return withSchemas(schemas[base] as OpenapiObject, more);
}

function describeOperation(
  operation: ModuleOperation,
  {
    entity,
    user,
    tag,
  }: { readonly entity: DocumentedEntity | null; readonly user: ModuleEntity; readonly tag: string },
): OpenapiObject {
  const { id, summary, query, body: sent, replies, faults, audience, isOnce } = operation;
  const parameters = [...(isOnce === true ? [idempotencyKey] : []), ...parametersOf(query, entity)];
  const namedOr = (
    kind: "responses" | "requestBodies",
    name: string | undefined,
    whole: OpenapiObject,
  ): OpenapiObject => (name === undefined ? whole : reference(kind, name));
  return {
    operationId: id.startsWith(`${operation.tag}.`) ? `${tag}${id.slice(operation.tag.length)}` : id,
    summary,
    tags: [tag],
    ...(audience === "key" ? { security: [{ apiKey: [] }, { apiKey: [], userToken: [] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(sent === null ? {} : { requestBody: namedOr("requestBodies", sent.component, bodyOf(sent)) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(replies).map(([status, one]) => [
          status,
          namedOr("responses", one.component, replyOf(one, user)),
        ]),
      ),
      ...errors(...faults),
    },
  };
}

function bodyOf({ schema, example, isOptional }: OperationBody): OpenapiObject {
  const whole = body(schema, example);
  return isOptional === undefined ? whole : { ...whole, required: false };
}

function replyOf({ description, content }: OperationReply, user: ModuleEntity): OpenapiObject {
  if (content === null) return { description, headers: replyHeaders };
  if (content.kind === "plain") {
    return { description, headers: replyHeaders, content: { [content.mediaType]: { schema: content.schema } } };
  }
  if (content.kind === "groups") return groupsReply(description);
  const example = filledExample(content.example, user);
  return content.kind === "data"
    ? reply(description, dataOf(content.schema), { data: example })
    : reply(description, pageOf(content.schema), { data: [example], page: { next_cursor: null, has_more: false } });
}

/** Inserts the example of a user where it is needed. */
function filledExample(example: unknown, user: ModuleEntity): unknown {
  if (typeof example !== "object" || example === null || Array.isArray(example)) return example;
  const members = Object.entries(example)
    .filter(([name]) => name !== EXAMPLE_RECORD)
    .map(([name, value]) => [name, filledExample(value, user)]);
  const record = EXAMPLE_RECORD in example ? { ...exampleOf(readableFields(user.fields)), ...user.example } : {};
  return { ...record, ...Object.fromEntries(members) };
}

function parametersOf(query: ModuleOperation["query"], entity: DocumentedEntity | null): readonly OpenapiObject[] {
  if (query === null) return [];
  if (typeof query === "string") return recordParameters(query, entity);
  return "followed" in query ? streamParameters(query.followed) : logParameters(query);
}

function streamParameters(followed: readonly string[]): readonly OpenapiObject[] {
  return [
    { name: "resource", in: "query", required: true, schema: { type: "string", enum: followed } },
    {
      name: "filter",
      in: "query",
      description: "Fields of the record, with the value that each must equal.",
      style: "form",
      explode: true,
      schema: { type: "object", additionalProperties: { type: "string" } },
    },
    {
      name: "Last-Event-ID",
      in: "header",
      description: "The id of the last event that the client received. The stream continues after it.",
      schema: { type: "string" },
    },
  ];
}

function recordParameters(
  query: Extract<ModuleOperation["query"], string>,
  entity: DocumentedEntity | null,
): readonly OpenapiObject[] {
  if (entity === null) throw new Error("records without an entity");
  switch (query) {
    case "records":
      return listParameters(entity);
    case "groups":
      return aggregateParameters(entity);
    case "record":
      return [...selectionParameters(entity), reference("parameters", "ifNoneMatch")];
    case "change":
      return [...selectionParameters(entity), ...writeParameters, reference("parameters", "ifMatch")];
  }
}

/** Pages of a log have the same size in every project. */
function logParameters({
  records,
  filters,
  limit = 20,
}: {
  readonly records: string;
  readonly filters: LogFilters;
  readonly limit?: number;
}): OpenapiObject[] {
  const noun = `${records.slice(0, 1).toUpperCase()}${records.slice(1)}`;
  return [
    {
      name: "limit",
      in: "query",
      description: `The maximum number of ${records} on a page.`,
      schema: { type: "integer", minimum: 1, maximum: 100, default: limit },
    },
    reference("parameters", "cursor"),
    ...Object.entries(filters).map(([name, kind]) => ({
      name,
      in: "query",
      description: `Only ${noun} whose \`${name}\` has exactly this value.`,
      schema: filterSchema(kind),
    })),
  ];
}

function filterSchema(kind: LogFilters[string]): OpenapiObject {
  if (kind === "text") return { type: "string" };
  return kind === "uuid" ? reference("schemas", "Id") : { type: "string", enum: kind };
}

function idParameter(name: string): OpenapiObject {
  return { name, in: "path", required: true, schema: reference("schemas", "Id") };
}

function idsIn(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
