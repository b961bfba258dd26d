// Stage 3: finds the route of the request. In: method and path. Out: a module's route, a generated one, or the reason
// why there is none. It never throws, because requests without a route also count against the rate limit.
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../../project/active-release.ts";
import type { Head, ModuleMatch, ModuleRoutes } from "../contracts.ts";
import { meantPath } from "../meant-path.ts";
import { findRoute, type RouteMatch } from "../route-table.ts";

/** `OPTIONS` only asks for the methods of a path. */
export type Matched = Performed | { readonly kind: "options"; readonly pattern: string; readonly allow: string };

export type Performed =
  | { readonly kind: "module"; readonly pattern: string; readonly match: ModuleMatch }
  | { readonly kind: "generated"; readonly pattern: string; readonly route: RouteMatch }
  | { readonly kind: "none"; readonly pattern: string; readonly fault: Fault };

export function matchRoute(release: ActiveRelease, modules: ModuleRoutes, head: Head): Matched {
  const allow = head.method === "OPTIONS" ? allowed(release, modules, head.path) : [];
  return allow.length === 0
    ? matchMethod(release, modules, head)
    : { kind: "options", pattern: "(options)", allow: allow.join(", ") };
}

export function matchMethod(release: ActiveRelease, modules: ModuleRoutes, head: Head): Performed {
  const { method, path } = head;
  const match = modules.match(method, path, release);
  if (match !== null) return { kind: "module", pattern: match.pattern, match };
  const found = findRoute(release, method, path);
  if (found.kind === "found") return { kind: "generated", pattern: found.match.pattern, route: found.match };
  const allow = allowed(release, modules, path);
  return notHere(allow.length > 0 ? methodNotAllowed(allow.join(", ")) : noSuchRoute(release, modules, path));
}

/** The methods of the path; empty if there is no such route. */
function allowed(release: ActiveRelease, modules: ModuleRoutes, path: string): readonly string[] {
  const found = findRoute(release, "OPTIONS", path);
  const known = found.kind === "found" ? [] : found.methods;
  const taken = methods.filter((each) => known.includes(each) || modules.match(each, path, release) !== null);
  if (taken.length === 0) return [];
  return [...taken.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])), "OPTIONS"];
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

function noSuchRoute(release: ActiveRelease, modules: ModuleRoutes, path: string): Fault {
  const isRoute = (other: string): boolean => allowed(release, modules, other).length > 0;
  const meant = meantPath(release.bundle, path, isRoute);
  const hint = meant === null ? "" : ` Did you mean ${meant}?`;
  return new Fault("not_found", { detail: `This route does not exist; /v1/openapi.json lists all routes.${hint}` });
}

function methodNotAllowed(allow: string): Fault {
  return new Fault("method_not_allowed", { detail: `Allowed here: ${allow}.`, headers: { allow } });
}

function notHere(fault: Fault): Performed {
  return { kind: "none", pattern: "(none)", fault };
}
