// Routes with handlers of modules. In: the model. Out: their paths, and what is checked before a handler runs.
// `routes.ts` has the routes of built-in entities that work like those of any entity.
import { describeModules, type Model, type ModuleEntity, type ModuleOperation } from "@plinth/blueprint";
import type { ModuleRoute } from "@plinth/bundle";

/** Modules accept few fields, and read them at once. */
const BODY_BYTES_MAX = 65_536;

export function moduleRoutesOf(model: Model): readonly ModuleRoute[] {
  const described = describeModules(model).flatMap(({ entity, operations }) => [
    ...(entity === null ? [] : handledRoutes(entity)),
    ...operations.filter((one) => !one.isGenerated).map(routeOf),
  ]);
  return [...described, ...actionRoutes(model)];
}

/** One handler answers all of them; it reads the action from the path. */
function actionRoutes({ modules, background }: Model): readonly ModuleRoute[] {
  if (!modules.includes("workers")) return [];
  const shared = { operation: "project.call", method: "POST", audience: "caller", filters: null } as const;
  return background.actions.map(({ name }) => ({
    ...shared,
    path: `/v1/actions/${name}`,
    bodyBytesMax: BODY_BYTES_MAX,
  }));
}

function handledRoutes({ name, path, handled }: ModuleEntity): readonly ModuleRoute[] {
  const shared = { audience: "caller", filters: null } as const;
  return handled.map((operation) =>
    operation === "create"
      ? { operation: `${name}.create`, method: "POST", path, ...shared, bodyBytesMax: BODY_BYTES_MAX }
      : { operation: `${name}.delete`, method: "DELETE", path: `${path}/:id`, ...shared, bodyBytesMax: 0 },
  );
}

function routeOf({ id, method, path, audience, query, body, bodyBytesMax }: ModuleOperation): ModuleRoute {
  return {
    operation: id,
    method,
    path: path.replaceAll(/\{(\w+)\}/g, ":$1"),
    audience,
    filters: filtersOf(query),
    bodyBytesMax: body === null ? 0 : (bodyBytesMax ?? BODY_BYTES_MAX),
  };
}

/** In addition to the resource, the handler of a stream accepts filters of the entity. */
function filtersOf(query: ModuleOperation["query"]): ModuleRoute["filters"] {
  if (query === null || typeof query === "string") return null;
  return "followed" in query ? { resource: query.followed } : query.filters;
}
