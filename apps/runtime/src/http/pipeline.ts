// A request, top to bottom. In: a request from any listener. Out: a reply, and the entry for the access log. It never
// throws, and never answers with more than the caller may know. Each stage has its own file.
import { Fault } from "@plinth/service";
import type { Authenticator } from "../identity/authenticator.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { hasModule } from "../project/has-module.ts";
import type { Caller } from "../project/principal.ts";
import { principalId } from "../project/principal.ts";
import type { Tenants } from "../project/tenant.ts";
import { isStale } from "../query/database-faults.ts";
import { hasFollowed } from "../query/watched.ts";
import type { Arriving, Incoming, InnerRequests, ModuleRoutes, Reply } from "./contracts.ts";
import { publicFault } from "./public-fault.ts";
import { type Allowance, rateLimitHeaders } from "./rate-limiter.ts";
import type { RouteMatch } from "./route-table.ts";
import { type Acting, type EntityDependencies, requireRoom, serveEntity } from "./serve-entity.ts";
import { authenticate } from "./stages/authenticate.ts";
import { findOrganization } from "./stages/find-organization.ts";
import { limitOf, limitRate, requireAllowance } from "./stages/limit-rate.ts";
import { matchMethod, matchRoute, type Performed } from "./stages/match-route.ts";
import { type Permitted, permit } from "./stages/permit.ts";
import { manyOf } from "./stages/read-many.ts";
import { type Project, resolveProject } from "./stages/resolve-project.ts";
import { respondWithFault } from "./stages/respond.ts";

export interface PipelineDependencies extends EntityDependencies {
  readonly registry: ReleaseRegistry;
  readonly authenticator: Authenticator;
  readonly modules: ModuleRoutes;
  readonly tenants: Tenants;
  /** Called after a write that may have created events. */
  readonly onWrite: () => void;
}

export interface Answer {
  readonly reply: Reply;
  /** The route's pattern, without ids; null if no route was matched. */
  readonly route: string | null;
  readonly projectId: string | null;
  readonly principal: string | null;
}

/** Judges the head first, so that the body of a caller who can't send one is never read. */
export async function runPipeline(dependencies: PipelineDependencies, arriving: Arriving): Promise<Answer> {
  let caller: Caller | null = null;
  let route: string | null = null;
  let allowance: Allowance | null = null;
  let reply: Reply;
  try {
    caller = await authenticate(dependencies.authenticator, arriving);
    const project = await resolveProject(dependencies.registry, dependencies.tenants, caller.projectId);
    const matched = matchRoute(project.release, dependencies.modules, arriving);
    route = matched.pattern;
    allowance = limitRate(dependencies, dependencies.callerLimit ?? limitOf(project.release), caller, arriving.ip);
    requireAllowance(allowance);
    requireRoom(dependencies.replies, caller.projectId);
    reply =
      matched.kind === "options"
        ? { status: 204, headers: { allow: matched.allow }, body: null }
        : await perform(dependencies, arriving, caller, project, matched);
  } catch (error) {
    reply = respondWithFault(publicFault(error, dependencies, arriving), arriving.id);
  }
  return {
    reply: allowance === null ? reply : { ...reply, headers: { ...rateLimitHeaders(allowance), ...reply.headers } },
    route,
    projectId: caller?.projectId ?? null,
    principal: caller === null ? null : principalId(caller.principal),
  };
}

async function perform(
  dependencies: PipelineDependencies,
  arriving: Arriving,
  caller: Caller,
  project: Project,
  matched: Performed,
): Promise<Reply> {
  const acting = { ...caller, organization: findOrganization(caller.principal, arriving) };
  const permitted = permit(project.release, matched, caller.principal, arriving);
  const incoming = await withBody(arriving, project.release, permitted);
  const reply = await serve(dependencies, incoming, acting, project, permitted);
  if (arriving.method !== "GET" && isHeard(project.release)) dependencies.onWrite();
  return reply;
}

/** Whether a write can start background work or reach a subscriber. */
function isHeard(release: Project["release"]): boolean {
  const { background, entities } = release.bundle;
  return (
    background.workflows.length + background.actions.length > 0 ||
    hasModule(release, "webhooks") ||
    hasFollowed({ entities })
  );
}

async function withBody(
  arriving: Arriving,
  { projectId, bundle }: Project["release"],
  permitted: Permitted,
): Promise<Incoming> {
  const { readBody, headers } = arriving;
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    throw new Fault("unsupported_media_type", { detail: "Send the body without a Content-Encoding." });
  }
  const { bodyBytesMax } = bundle.limits;
  const routeMax = permitted.kind === "module" ? permitted.match.bodyBytesMax : bodyBytesMax;
  if (routeMax === 0 && readBody !== null) throw new Fault("bad_request", { detail: "This route takes no body." });
  const bytesMax = Math.min(bodyBytesMax, routeMax);
  const reading = { project: projectId, bytesMax };
  return { ...arriving, body: readBody === null ? null : await readBody(reading) };
}

/** A replica may learn from Postgres that a new release is active. It then loads that release and tries once more. */
async function serve(
  dependencies: PipelineDependencies,
  incoming: Incoming,
  acting: Acting,
  project: Project,
  permitted: Permitted,
): Promise<Reply> {
  try {
    return await dispatch(dependencies, incoming, acting, project, permitted);
  } catch (error) {
    if (!isStale(error, project.release)) throw error;
    const release = await dependencies.registry.reload(acting.projectId);
    // The project was deleted during the request.
    if (release === null) throw new Fault("not_found", { cause: error });
    if (release.releaseId === project.release.releaseId) throw error;
    const again = permit(release, matchMethod(release, dependencies.modules, incoming), acting.principal, incoming);
    return dispatch(dependencies, incoming, acting, { ...project, release }, again);
  }
}

async function dispatch(
  dependencies: PipelineDependencies,
  incoming: Incoming,
  { principal, projectId, organization }: Acting,
  { release, tenant }: Project,
  permitted: Permitted,
): Promise<Reply> {
  switch (permitted.kind) {
    case "module":
      return permitted.match.answer({
        incoming,
        projectId,
        principal,
        organization,
        release,
        tenant,
        cursors: dependencies.cursors,
        inner: innerRequests(dependencies, { principal, projectId, organization }, release, incoming.ip),
      });
    case "generated": {
      const acting = { principal, projectId, organization };
      return serveEntity(dependencies, incoming, acting, { release, tenant }, permitted.route);
    }
  }
}

function innerRequests(
  dependencies: PipelineDependencies,
  acting: Acting,
  release: Project["release"],
  ip: string,
): InnerRequests {
  return {
    serve: async (sent, through) => {
      const permitted = permit(release, matchMethod(release, dependencies.modules, sent), acting.principal, sent);
      if (permitted.kind === "module" || !isOfOneRecord(permitted.route, sent)) {
        throw new Fault("bad_request", { detail: "The operation must read or write one record." });
      }
      const tenant = { ...through, transaction: nested };
      return serveEntity(dependencies, sent, acting, { release, tenant }, permitted.route);
    },
    spend: (requests) => {
      const allowance = limitRate(dependencies, dependencies.callerLimit ?? limitOf(release), acting, ip, requests);
      requireAllowance(allowance);
      return rateLimitHeaders(allowance);
    },
  };
}

function nested(): never {
  throw new Fault("bad_request", { detail: "In a batch, write a record's children in separate operations." });
}

function isOfOneRecord(route: RouteMatch, sent: Incoming): boolean {
  return route.operation !== "list" && route.operation !== "aggregate" && manyOf(route, sent) === null;
}
