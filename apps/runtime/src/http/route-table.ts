// The generated routes of a release, by path. In: the bundle's list. Out: a look-up that costs one or two hashes.
// It never decodes a path: no name of an entity needs percent-encoding, and an id that does is none.
import type { Route, RouteOperation } from "@plinth/bundle";
import { type Derivation, derived } from "../query/derived.ts";
import type { ActiveRelease } from "./contracts.ts";

export interface RouteMatch {
  readonly operation: RouteOperation;
  readonly entity: string;
  /** As the bundle writes it, with `:id`. */
  readonly pattern: string;
  readonly recordId: string | null;
}

export type RouteLookup =
  | { readonly kind: "found"; readonly match: RouteMatch }
  | { readonly kind: "method_not_allowed"; readonly allow: string }
  | { readonly kind: "not_found" };

type Methods = Map<string, Route>;

interface RouteTable {
  readonly collections: ReadonlyMap<string, Methods>;
  /** By what stands before `/:id`. */
  readonly records: ReadonlyMap<string, Methods>;
}

const ID_SUFFIX = "/:id";

const routeTable: Derivation<RouteTable> = {
  name: "routes",
  make: (release) => {
    const collections = new Map<string, Methods>();
    const records = new Map<string, Methods>();
    for (const route of release.bundle.routes) {
      const isRecord = route.path.endsWith(ID_SUFFIX);
      const path = isRecord ? route.path.slice(0, -ID_SUFFIX.length) : route.path;
      const paths = isRecord ? records : collections;
      const methods = paths.get(path) ?? new Map<string, Route>();
      methods.set(route.method, route);
      paths.set(path, methods);
    }
    return { collections, records };
  },
};

export function findRoute(release: ActiveRelease, method: string, path: string): RouteLookup {
  const table = derived(release, routeTable);
  const collection = table.collections.get(path);
  if (collection !== undefined) return lookUp(collection, method, null);
  const slash = path.lastIndexOf("/");
  const record = slash < path.length - 1 ? table.records.get(path.slice(0, slash)) : undefined;
  return record === undefined ? { kind: "not_found" } : lookUp(record, method, path.slice(slash + 1));
}

function lookUp(methods: Methods, method: string, recordId: string | null): RouteLookup {
  const route = methods.get(method);
  if (route === undefined) {
    return { kind: "method_not_allowed", allow: [...methods.keys(), "OPTIONS"].join(", ") };
  }
  const { operation, entity, path } = route;
  return { kind: "found", match: { operation, entity, pattern: path, recordId } };
}
