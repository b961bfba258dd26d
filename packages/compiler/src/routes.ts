// Lists the generated routes. In: the model. Out: method, path, entity, operation; the same entity under three names.
// A route stands for every operation: whether it is allowed, `access` says.
import type { Entity, Model } from "@plinth/blueprint";
import type { Route } from "@plinth/bundle";
import { hasOrganizations, ORGANIZATION_ENTITY, USER_ENTITY } from "./catalog.ts";

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
  const organizations = hasOrganizations(model) ? operationsAt("/v1/organizations", ORGANIZATION_ENTITY) : [];
  return [...userRoutes, ...organizations, ...plurals, ...aliases];
}

/** Who signs up becomes a user, and no route deletes one. `/v1/users/me` and the roles are the runtime's own. */
const userRoutes: readonly Route[] = operationsAt("/v1/users", USER_ENTITY).filter(
  (route) => route.operation === "list" || route.operation === "read" || route.operation === "update",
);

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
  return [...operationsAt(path, entity.name), ...restore, ...transitions];
}

function operationsAt(path: string, entity: string): readonly Route[] {
  return [
    { method: "GET", path, entity, operation: "list" },
    { method: "POST", path, entity, operation: "create" },
    { method: "GET", path: `${path}/:id`, entity, operation: "read" },
    { method: "PATCH", path: `${path}/:id`, entity, operation: "update" },
    { method: "DELETE", path: `${path}/:id`, entity, operation: "delete" },
  ];
}
