// Lists the generated routes. In: the model. Out: method, path, entity, operation; each entity under three names. There
// is a route for every operation; `access` decides whether it is allowed.
import { type Entity, type Model, type ModuleEntity, moduleEntities } from "@plinth/blueprint";
import type { Route } from "@plinth/bundle";
import { keysOf } from "./keys.ts";

export function routesOf(model: Model): readonly Route[] {
  const { entities } = model;
  const plurals = entities.flatMap((entity) => [
    ...entityRoutes(`/v1/resources/${entity.plural}`, entity),
    ...entityRoutes(`/api/${entity.plural}`, entity),
  ]);
  const taken = new Set(entities.map((entity) => entity.plural));
  const aliases = entities
    .filter((entity) => !taken.has(entity.name))
    .flatMap((entity) => entityRoutes(`/v1/resources/${entity.name}`, entity));
  return [...moduleEntities(model).flatMap(builtinRoutes), ...plurals, ...aliases];
}

function builtinRoutes(entity: ModuleEntity): readonly Route[] {
  const { name, path, generated } = entity;
  const all = [...operationsAt(path, name), ...byKeyAt(path, name, keysOf({ ...entity, orgField: null }))];
  return all.filter((route) => generated.some((operation) => operation === route.operation));
}

function entityRoutes(path: string, entity: Entity): readonly Route[] {
  const restore: readonly Route[] = entity.softDelete
    ? [{ method: "POST", path: `${path}/:id/restore`, entity: entity.name, operation: "restore" }]
    : [];
  const transitions = (entity.stateMachine?.edges ?? []).map(
    (edge): Route => ({
      method: "POST",
      path: `${path}/:id/transitions/${edge.name}`,
      entity: entity.name,
      operation: "transition",
      edge: edge.name,
    }),
  );
  const views = (entity.views ?? []).map(
    ({ name }): Route => ({
      method: "GET",
      path: `${path}/${name}`,
      entity: entity.name,
      operation: "list",
      view: name,
    }),
  );
  return [
    ...operationsAt(path, entity.name),
    ...manyAt(path, entity.name),
    ...byKeyAt(path, entity.name, keysOf(entity)),
    ...views,
    ...restore,
    ...transitions,
  ];
}

function operationsAt(path: string, entity: string): readonly Route[] {
  return [
    { method: "GET", path, entity, operation: "list" },
    { method: "GET", path: `${path}/aggregate`, entity, operation: "aggregate" },
    { method: "POST", path, entity, operation: "create" },
    { method: "GET", path: `${path}/:id`, entity, operation: "read" },
    { method: "PATCH", path: `${path}/:id`, entity, operation: "update" },
    { method: "DELETE", path: `${path}/:id`, entity, operation: "delete" },
  ];
}

function byKeyAt(path: string, entity: string, keys: readonly (readonly string[])[]): readonly Route[] {
  return keys.flatMap((key): readonly Route[] => {
    const named = { path: `${path}/by/${key.join(",")}/:key`, entity, key };
    return [
      { method: "GET", ...named, operation: "read" },
      { method: "PUT", ...named, operation: "upsert" },
      { method: "PATCH", ...named, operation: "update" },
      { method: "DELETE", ...named, operation: "delete" },
    ];
  });
}

/** For several records in one request; the route for one create also creates several. */
function manyAt(path: string, entity: string): readonly Route[] {
  return [
    { method: "PATCH", path, entity, operation: "update_many" },
    { method: "DELETE", path, entity, operation: "delete_many" },
  ];
}
