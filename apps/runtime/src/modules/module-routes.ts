// The hand-written routes, in one table. In: each module's routes. Out: the first that matches.
// Few of them take a query parameter, and no GET a body: what is sent anyway is refused, never ignored.
import { Fault } from "@plinth/service";
import type { ModuleHandler, ModuleRoutes } from "../http/contracts.ts";

export function combineRoutes(modules: readonly ModuleRoutes[]): ModuleRoutes {
  return {
    match(method, path, release) {
      for (const module of modules) {
        const handler = module.match(method, path, release);
        if (handler !== null) return strict(method, module.readsQuery ?? false, handler);
      }
      return null;
    },
    matchOpen(head) {
      for (const module of modules) {
        const route = module.matchOpen?.(head) ?? null;
        if (route !== null) return route;
      }
      return null;
    },
  };
}

function strict(method: string, readsQuery: boolean, handler: ModuleHandler): ModuleHandler {
  return async (context) => {
    const { query, body } = context.incoming;
    if (query !== "" && !readsQuery) {
      throw new Fault("unknown_parameter", { detail: "This route takes no query parameters." });
    }
    if (method === "GET" && body !== null) throw new Fault("bad_request", { detail: "This route takes no body." });
    return handler(context);
  };
}
