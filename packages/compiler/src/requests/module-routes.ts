// The routes that modules serve by handlers of their own. In: the model. Out: their addresses and what is checked before a handler
// is called. Routes of the built-in entities that are served like those of any entity are in `routes.ts`.
import { describeModules, type Model, type ModuleEntity, type ModuleOperation } from "@plinth/blueprint";
import type { ModuleRoute } from "@plinth/bundle";

/** Modules take a few fields, and read them in one piece. */
const BODY_BYTES_MAX = 65_536;

export function moduleRoutesOf(model: Model): readonly ModuleRoute[] {
  const described = describeModules(model).flatMap(({ entity, operations }) => [
    ...(entity === null ? [] : handledRoutes(entity)),
    ...operations.filter((one) => !one.isGenerated).map(routeOf),
  ]);
  return [...described, ...actionRoutes(model)];
}

/** One handler answers them all: which action is meant, it reads from the path. */
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

/** What the handler of a stream takes beside the resource, are filters of the entity's own. */
function filtersOf(query: ModuleOperation["query"]): ModuleRoute["filters"] {
  if (query === null || typeof query === "string") return null;
  return "followed" in query ? { resource: query.followed } : query.filters;
}
