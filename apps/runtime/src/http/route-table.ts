// The generated routes of a release, by path. In: the bundle's list. Out: a look-up that costs one or two hashes. It
// never decodes a path: no entity name needs percent-encoding, and a text that does is no id.
import type { Route, RouteOperation } from "@plinth/bundle";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Derivation, derived } from "../project/derived.ts";

export interface RouteMatch {
  readonly operation: RouteOperation;
  readonly entity: string;
  /** As in the bundle, with `:id` or `:key`. */
  readonly pattern: string;
  readonly recordId: string | null;
  /** The unique key that names the record: its fields, and their values as written in the path. */
  readonly key: { readonly fields: readonly string[]; readonly text: string } | null;
  /** The name of a transition. */
  readonly edge: string | null;
  /** The view that a list reads. */
  readonly view: string | null;
}

export type RouteLookup =
  | { readonly kind: "found"; readonly match: RouteMatch }
  /** `methods`: the methods that the path has. */
  | { readonly kind: "not_found"; readonly methods: readonly string[] };

type Methods = Map<string, Route>;

interface RouteTable {
  readonly collections: ReadonlyMap<string, Methods>;
  /** By the part before `/:id` or `/:key`. */
  readonly records: ReadonlyMap<string, Methods>;
  /** By the whole pattern, for routes with more after `/:id`. */
  readonly actions: ReadonlyMap<string, Methods>;
}

const ID = "/:id";
const KEY = "/:key";

const routeTable: Derivation<RouteTable> = {
  name: "routes",
  make: (bundle) => {
    const collections = new Map<string, Methods>();
    const records = new Map<string, Methods>();
    const actions = new Map<string, Methods>();
    for (const route of bundle.routes) {
      const at = route.path.indexOf(ID);
      if (route.key !== undefined) add(records, route.path.slice(0, -KEY.length), route);
      else if (at === -1) add(collections, route.path, route);
      else if (at + ID.length === route.path.length) add(records, route.path.slice(0, at), route);
      else add(actions, route.path, route);
    }
    return { collections, records, actions };
  },
};

function add(paths: Map<string, Methods>, path: string, route: Route): void {
  const methods = paths.get(path) ?? new Map<string, Route>();
  methods.set(route.method, route);
  paths.set(path, methods);
}

export function findRoute(release: ActiveRelease, method: string, path: string): RouteLookup {
  const table = derived(release, routeTable);
  const collection = table.collections.get(path);
  if (collection !== undefined) return lookUp(collection, method, null);
  const slash = path.lastIndexOf("/");
  const record = slash < path.length - 1 ? table.records.get(path.slice(0, slash)) : undefined;
  if (record !== undefined) return lookUp(record, method, path.slice(slash + 1));
  return findAction(table, method, path, slash);
}

/** `<records>/<id>/restore` or `<records>/<id>/transitions/<edge>`: the id is the second or third part from the end. */
function findAction(table: RouteTable, method: string, path: string, last: number): RouteLookup {
  for (let end = last, hops = 0; hops < 2 && end > 0; hops++) {
    const start = path.lastIndexOf("/", end - 1);
    const methods = table.actions.get(`${path.slice(0, start)}${ID}${path.slice(end)}`);
    if (methods !== undefined && start + 1 < end) return lookUp(methods, method, path.slice(start + 1, end));
    end = start;
  }
  return { kind: "not_found", methods: [] };
}

/** @param last The text in the place of `:id` or `:key`. */
function lookUp(methods: Methods, method: string, last: string | null): RouteLookup {
  const route = methods.get(method);
  if (route === undefined) return { kind: "not_found", methods: [...methods.keys()] };
  const { operation, entity, path, edge = null, view = null, key: fields } = route;
  const key = fields === undefined || last === null ? null : { fields, text: last };
  const recordId = key === null ? last : null;
  return { kind: "found", match: { operation, entity, pattern: path, recordId, key, edge, view } };
}
