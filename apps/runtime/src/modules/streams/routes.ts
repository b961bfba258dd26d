// `GET /v1/events/stream`: the changes of one entity as they happen. In: the resource, filters, and the position to
// continue from. Out: a stream.
import { Fault } from "@plinth/service";
import { decodeJwt } from "jose";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { type EntityView, findEntity } from "../../query/entity-view.ts";
import { type Filter, isOfOwnFields } from "../../query/reading/filter.ts";
import { filterIn } from "../../query/reading/parse-list.ts";
import { parseQueryString } from "../../query/reading/query-string.ts";
import { bad } from "../../query/reading/refusals.ts";
import { requireOperation } from "../../query/require-operation.ts";
import { didYouMean } from "../../query/suggest.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import type { StreamHub } from "./hub.ts";

export interface StreamRoutesOptions {
  readonly hub: StreamHub;
}

const RESOURCE = "resource";
const OPERATOR_MS = 30_000;

export function streamHandlers({ hub }: StreamRoutesOptions): ModuleHandlers {
  return { "project.changes": (context) => follow(hub, context) };
}

async function follow(hub: StreamHub, context: ModuleContext): Promise<Reply> {
  const { incoming, principal, release, tenant, cursors, organization } = context;
  const parameters = parseQueryString(incoming.query);
  const view = followedEntity(release, parameters.get(RESOURCE));
  requireOperation(release, view.entity.name, "read", principal.roles);
  const readFilter = (of: EntityView, roles: readonly string[]): Filter =>
    requireOwnFields(filterIn(parameters, of, roles, [RESOURCE, "where"]));
  const named = incoming.headers["plinth-organization"];
  const lastId = incoming.headers["last-event-id"];
  const body = await hub.follow({
    release,
    tenant,
    cursors,
    entity: view.entity.name,
    principal,
    organization,
    named: typeof named === "string" ? named : undefined,
    tokenEndsAt: tokenEnd(context),
    ip: incoming.ip,
    requestId: incoming.id,
    filter: readFilter(view, principal.roles),
    readFilter,
    lastId: typeof lastId === "string" && lastId !== "" ? lastId : null,
  });
  const headers = {
    "content-type": "text/event-stream; charset=utf-8",
    // Proxies that compress or buffer replies would delay events.
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  };
  return { status: 200, headers, body };
}

/**
 * Filters over other records aren't allowed: a change of another record could make a record match without any event.
 */
function requireOwnFields(filter: Filter): Filter {
  if (isOfOwnFields(filter)) return filter;
  throw bad("", "not_allowed", "A stream can only be filtered by fields of its own records.");
}

function followedEntity(release: ActiveRelease, name: string | undefined): EntityView {
  const followed = release.bundle.entities.filter(({ realtime }) => realtime === true);
  const entity = followed.find((each) => each.plural === name || each.name === name);
  const view = entity === undefined ? null : findEntity(release, entity.name);
  if (view !== null) return view;
  const plurals = followed.map(({ plural }) => plural);
  const hint = name === undefined ? "" : didYouMean(name, plurals);
  const message = `It must be one of ${plurals.join(", ")}.${hint}`;
  throw new Fault("bad_request", {
    detail: `${RESOURCE}: ${message}`,
    errors: [{ path: RESOURCE, code: name === undefined ? "required" : "not_allowed", message }],
  });
}

/** How long the caller's identity is certain. The token has already been verified. */
function tokenEnd({ incoming, principal }: ModuleContext): number | null {
  // Control vouches for an operator for a single call. The stream lasts as long as such a statement may be relied on,
  // and the client then connects again.
  if (principal.kind === "operator") return Date.now() + OPERATOR_MS;
  if (principal.kind !== "user") return null;
  const userToken = incoming.headers["plinth-user-token"];
  const token =
    typeof userToken === "string" ? userToken : (incoming.headers.authorization ?? "").replace(/^bearer +/i, "");
  const { exp } = decodeJwt(token);
  return exp === undefined ? null : exp * 1000;
}
