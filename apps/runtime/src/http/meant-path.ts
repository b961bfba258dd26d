// Suggests the path that somebody may have meant. In: a path that is no route. Out: a path that is one, or null.
// Suggestions only use what the API's document shows to every caller: entities, transitions and routes of modules,
// never records.
import type { Bundle, BundleEntity } from "@plinth/bundle";
import { suggest } from "../query/suggest.ts";

type Known = Pick<Bundle, "entities" | "moduleRoutes">;

/** Longer suggestions aren't shown. */
const CHARS_MAX = 256;

/** @param isRoute Whether a path has any method. */
export function meantPath(bundle: Known, path: string, isRoute: (path: string) => boolean): string | null {
  if (path.length > CHARS_MAX) return null;
  const trimmed = path.replace(/\/+$/, "");
  if (trimmed !== path && isRoute(trimmed)) return trimmed;
  return ofEntity(bundle, trimmed, isRoute) ?? ofModule(bundle, trimmed);
}

/** `/v1/auth/signup`: another route of the same module. */
function ofModule({ moduleRoutes }: Known, path: string): string | null {
  const [parent, name] = parted(path);
  const siblings = moduleRoutes.map((route) => parted(route.path)).filter(([other]) => other === parent);
  const names = siblings.map(([, last]) => last).filter((last) => !last.startsWith(":"));
  const nearest = suggest(name, names);
  return nearest === null ? null : `${parent}/${nearest}`;
}

function parted(path: string): readonly [parent: string, name: string] {
  const slash = path.lastIndexOf("/");
  return [path.slice(0, slash), path.slice(slash + 1)];
}

/** `/products`, `/v1/products`, `/api/prodcuts` and `/api/products/<id>/transitions/activat`. */
function ofEntity({ entities }: Known, path: string, isRoute: (path: string) => boolean): string | null {
  const [, prefix = "", name = "", rest = ""] =
    /^(\/api\/|\/v1\/resources\/|\/v1\/|\/)([^/]+)(\/.*)?$/.exec(path) ?? [];
  const isFull = prefix === "/api/" || prefix === "/v1/resources/";
  const entity = entities.find((one) => one.plural === name || (prefix === "/v1/resources/" && one.name === name));
  if (entity !== undefined) {
    if (isFull) return transitionOf(entity, `${prefix}${name}`, rest);
    return isRoute(`/api/${name}${rest}`) ? `/api/${name}${rest}` : `/api/${name}`;
  }
  const names = new Map(
    entities.flatMap((one) => [[one.name, one.plural] as const, [one.plural, one.plural] as const]),
  );
  const nearest = suggest(name, names.keys());
  return nearest === null ? null : `${isFull ? prefix : "/api/"}${names.get(nearest)}`;
}

function transitionOf({ stateMachine }: BundleEntity, path: string, rest: string): string | null {
  const [, id = "", name = ""] = /^\/([^/]+)\/transitions\/([^/]+)$/.exec(rest) ?? [];
  const edges = (stateMachine?.edges ?? []).map((edge) => edge.name);
  const nearest = name === "" ? null : suggest(name, edges);
  return nearest === null ? null : `${path}/${id.slice(0, 64)}/transitions/${nearest}`;
}
