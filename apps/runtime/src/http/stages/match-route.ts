// Stage 3: which route the request is for. In: method and path. Out: a module's route, a generated one, or why there is none.
// It never throws: what matches nothing counts against the rate limit like everything else.
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../../project/active-release.ts";
import { suggest } from "../../query/suggest.ts";
import type { Head, ModuleMatch, ModuleRoutes } from "../contracts.ts";
import { findRoute, type RouteMatch } from "../route-table.ts";

export type Matched =
  | { readonly kind: "module"; readonly pattern: string; readonly match: ModuleMatch }
  | { readonly kind: "generated"; readonly pattern: string; readonly route: RouteMatch }
  | { readonly kind: "none"; readonly pattern: string; readonly fault: Fault };

export function matchRoute(release: ActiveRelease, modules: ModuleRoutes, head: Head): Matched {
  const { method, path } = head;
  const match = modules.match(method, path, release);
  if (match !== null) return { kind: "module", pattern: match.pattern, match };
  const found = findRoute(release, method, path);
  if (found.kind === "found") return { kind: "generated", pattern: found.match.pattern, route: found.match };
  const allowed = methods.filter((each) => found.methods.includes(each) || modules.match(each, path, release) !== null);
  return notHere(
    allowed.length > 0 ? methodNotAllowed([...allowed, "OPTIONS"].join(", ")) : noSuchRoute(release, path),
  );
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The document of the API is open to every caller, so this says nothing that is hidden. */
function noSuchRoute({ bundle }: ActiveRelease, path: string): Fault {
  const [, prefix = "", name = ""] = /^(\/api\/|\/v1\/resources\/)([^/]+)/.exec(path) ?? [];
  const plurals = bundle.entities.map((entity) => entity.plural);
  const nearest = plurals.includes(name) ? null : suggest(name, plurals);
  const hint = nearest === null ? "" : ` Did you mean ${prefix}${nearest}?`;
  return new Fault("not_found", { detail: `There is no such route; /v1/openapi.json lists all.${hint}` });
}

function methodNotAllowed(allow: string): Fault {
  return new Fault("method_not_allowed", { detail: `Allowed here: ${allow}.`, headers: { allow } });
}

function notHere(fault: Fault): Matched {
  return { kind: "none", pattern: "(none)", fault };
}
