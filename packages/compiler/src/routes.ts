// Lists the generated routes. In: the entities. Out: method, path, entity, operation; the same entity under three names.
// A route stands for every operation: whether it is allowed, `access` says.
import type { Entity } from "@plinth/blueprint";
import type { Route } from "@plinth/bundle";
import { USER_ENTITY } from "./catalog.ts";

export function routesOf(entities: readonly Entity[]): readonly Route[] {
  const plurals = entities.flatMap((entity) => [
    ...operationsAt(`/v1/resources/${entity.plural}`, entity.name),
    ...operationsAt(`/api/${entity.plural}`, entity.name),
  ]);
  const taken = new Set(entities.map((entity) => entity.plural));
  const aliases = entities
    .filter((entity) => !taken.has(entity.name))
    .flatMap((entity) => operationsAt(`/v1/resources/${entity.name}`, entity.name));
  return [...userRoutes, ...plurals, ...aliases];
}

/** Who signs up becomes a user, and no route deletes one. `/v1/users/me` and the roles are the runtime's own. */
const userRoutes: readonly Route[] = operationsAt("/v1/users", USER_ENTITY).filter(
  (route) => route.operation === "list" || route.operation === "read" || route.operation === "update",
);

function operationsAt(path: string, entity: string): readonly Route[] {
  return [
    { method: "GET", path, entity, operation: "list" },
    { method: "POST", path, entity, operation: "create" },
    { method: "GET", path: `${path}/:id`, entity, operation: "read" },
    { method: "PATCH", path: `${path}/:id`, entity, operation: "update" },
    { method: "DELETE", path: `${path}/:id`, entity, operation: "delete" },
  ];
}
