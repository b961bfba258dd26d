// The hand-written routes, in one table. In: each module's routes. Out: the first that matches.
import type { ModuleRoutes } from "../http/contracts.ts";

export function combineRoutes(modules: readonly ModuleRoutes[]): ModuleRoutes {
  return {
    match(method, path) {
      for (const module of modules) {
        const handler = module.match(method, path);
        if (handler !== null) return handler;
      }
      return null;
    },
    matchOpen(method, path) {
      for (const module of modules) {
        const handler = module.matchOpen?.(method, path) ?? null;
        if (handler !== null) return handler;
      }
      return null;
    },
  };
}
