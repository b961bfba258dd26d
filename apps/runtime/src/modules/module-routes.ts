// The routes of all modules, in one table. In: their descriptions in the release, and a handler for each operation.
// Out: the route of a request. It makes the checks that all routes share: the callers, the ids, and that no unknown
// input is sent.
import type { ModuleRoute } from "@plinth/bundle";
import { Fault, isUuid } from "@plinth/service";
import type { MatchOpen, ModuleContext, ModuleHandler, ModuleMatch, ModuleRoutes } from "../http/contracts.ts";
import { notAnId } from "../http/not-an-id.ts";
import { type Derivation, derived } from "../project/derived.ts";

/** Operation > its handler. */
export type ModuleHandlers = Readonly<Record<string, ModuleHandler>>;

interface RouteTable {
  /** By path, then method: routes without ids. */
  readonly plain: ReadonlyMap<string, ReadonlyMap<string, ModuleRoute>>;
  /** By the number of their parts: routes with ids. */
  readonly withIds: ReadonlyMap<number, readonly RouteWithIds[]>;
}

interface RouteWithIds {
  readonly route: ModuleRoute;
  /** Null in the place of an id. */
  readonly parts: readonly (string | null)[];
}

interface Found {
  readonly route: ModuleRoute;
  readonly ids: readonly string[];
}

const routeTable: Derivation<RouteTable> = {
  name: "module-routes",
  make: (bundle) => {
    const plain = new Map<string, Map<string, ModuleRoute>>();
    const withIds = new Map<number, RouteWithIds[]>();
    for (const route of bundle.moduleRoutes) {
      const parts = route.path.split("/").map((part) => (part.startsWith(":") ? null : part));
      if (parts.includes(null)) {
        withIds.set(parts.length, [...(withIds.get(parts.length) ?? []), { route, parts }]);
      } else {
        plain.set(route.path, (plain.get(route.path) ?? new Map<string, ModuleRoute>()).set(route.method, route));
      }
    }
    return { plain, withIds };
  },
};

export function createModuleRoutes(handlers: ModuleHandlers, matchOpen?: MatchOpen): ModuleRoutes {
  return {
    match(method, path, release) {
      const found = findRoute(derived(release, routeTable), method, path);
      if (found === null || !Object.hasOwn(handlers, found.route.operation)) return null;
      return matchOf(found, handlers[found.route.operation] as ModuleHandler);
    },
    ...(matchOpen === undefined ? {} : { matchOpen }),
  };
}

function findRoute({ plain, withIds }: RouteTable, method: string, path: string): Found | null {
  const route = plain.get(path)?.get(method);
  if (route !== undefined) return { route, ids: [] };
  const sent = path.split("/");
  for (const { route, parts } of withIds.get(sent.length) ?? []) {
    if (route.method !== method || !parts.every((part, i) => part === null || part === sent[i])) continue;
    return { route, ids: sent.filter((_, i) => parts[i] === null) };
  }
  return null;
}

function matchOf({ route, ids }: Found, handler: ModuleHandler): ModuleMatch {
  const { filters } = route;
  return {
    pattern: route.path,
    bodyBytesMax: route.bodyBytesMax,
    answer: async (context) => {
      const wrong = ids.find((id) => !isUuid(id));
      if (wrong === undefined && filters === null && context.incoming.query !== "") {
        throw new Fault("unknown_parameter", { detail: "This route takes no query parameters." });
      }
      requireAudience(route, context);
      if (wrong !== undefined) throw notAnId(wrong);
      return handler({ ...context, ids: ids.map((id) => id.toLowerCase()), filters });
    },
  };
}

function requireAudience({ audience }: ModuleRoute, { principal }: Pick<ModuleContext, "principal">): void {
  switch (audience) {
    case "caller":
      return;
    case "user":
      if (principal.kind !== "user") throw new Fault("user_required");
      return;
    case "admin":
      if (!principal.roles.includes("admin")) throw new Fault("forbidden", { detail: "Only admins can do this." });
      return;
    case "key":
      // The key identifies the app. A user's token alone must not be enough.
      if (principal.kind === "operator") throw new Fault("forbidden");
      if (principal.keyId === null) throw new Fault("unauthenticated", { detail: "This route needs an API key." });
  }
}
