// A request, top to bottom. In: a request from any listener. Out: a reply, and what the access log tells of it.
// It never throws and never answers with more than the caller may know; each stage stands in a file of its own.
import { asFault } from "@plinth/postgres";
import { type ByteGate, Fault, type Logger } from "@plinth/service";
import type { Authenticator } from "../identity/authenticator.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { hasModule } from "../project/has-module.ts";
import type { Caller } from "../project/principal.ts";
import { principalId } from "../project/principal.ts";
import type { Tenants } from "../project/tenant.ts";
import type { CursorCodec } from "../query/cursor.ts";
import { isStale } from "../query/database-faults.ts";
import { hasFollowed } from "../query/watched.ts";
import type { BodyThreads } from "./body/body-threads.ts";
import type { Arriving, Incoming, ModuleRoutes, Reply } from "./contracts.ts";
import { type Allowance, type RateLimit, type RateLimiter, rateLimitHeaders } from "./rate-limiter.ts";
import { authenticate } from "./stages/authenticate.ts";
import { checkRequestBody } from "./stages/check-body.ts";
import { decodeInput } from "./stages/decode-input.ts";
import { execute } from "./stages/execute.ts";
import { findOrganization } from "./stages/find-organization.ts";
import { limitOf, limitRate, requireAllowance } from "./stages/limit-rate.ts";
import { matchRoute } from "./stages/match-route.ts";
import { type Permitted, permit } from "./stages/permit.ts";
import { type Project, resolveProject } from "./stages/resolve-project.ts";
import { respond, respondWithFault } from "./stages/respond.ts";
import type { RefusalLog } from "./transport/refusal-log.ts";

export interface PipelineDependencies {
  readonly registry: ReleaseRegistry;
  readonly authenticator: Authenticator;
  readonly modules: ModuleRoutes;
  readonly tenants: Tenants;
  readonly limiter: RateLimiter;
  /** What all callers of one project may send together; the operator's word. */
  readonly projectLimit: RateLimit;
  /** Replies that nobody has read yet. */
  readonly replies: ByteGate;
  readonly refusals: RefusalLog;
  readonly bodyThreads: BodyThreads;
  /** In the place of what the project's own blueprint says. */
  readonly callerLimit: RateLimit | null;
  readonly cursors: CursorCodec;
  readonly secretBox: SecretBox;
  /** UUID v7, increasing. */
  readonly newRecordId: () => string;
  /** Something was written that events may tell of. */
  readonly onWrite: () => void;
  readonly logger: Logger;
}

export interface Answer {
  readonly reply: Reply;
  /** The route's pattern, without ids; null where the request didn't come that far. */
  readonly route: string | null;
  readonly projectId: string | null;
  readonly principal: string | null;
}

/** The head is judged first: who may not send a body makes nobody read it. */
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
    const acting = { ...caller, organization: findOrganization(caller.principal, arriving) };
    const permitted = permit(project.release, matched, caller.principal, arriving);
    const incoming = await withBody(arriving, project.release, permitted);
    reply = await serve(dependencies, incoming, acting, project, permitted);
    if (arriving.method !== "GET" && isHeard(project.release)) dependencies.onWrite();
  } catch (error) {
    reply = respondWithFault(publicFault(error, dependencies, arriving), arriving.id);
  }
  return {
    reply: allowance === null ? reply : { ...reply, headers: { ...reply.headers, ...rateLimitHeaders(allowance) } },
    route,
    projectId: caller?.projectId ?? null,
    principal: caller === null ? null : principalId(caller.principal),
  };
}

/** Whether somebody may wait for what is written. */
function isHeard(release: Project["release"]): boolean {
  const { background, entities } = release.bundle;
  return (
    background.workflows.length + background.actions.length > 0 ||
    hasModule(release, "webhooks") ||
    hasFollowed({ entities })
  );
}

/** The caller, in the organization in which the request is made. */
interface Acting extends Caller {
  readonly organization: string | null;
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

function requireRoom(replies: ByteGate, projectId: string): void {
  if (replies.hasRoom(projectId)) return;
  throw new Fault("unavailable", {
    detail: "This project's callers have not read the replies that are under way.",
    headers: { "retry-after": "1" },
  });
}

/** A replica may learn from Postgres that a new release is active: it reads that release and tries once more. */
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
    if (release === null || release.releaseId === project.release.releaseId) throw error;
    const again = permit(release, matchRoute(release, dependencies.modules, incoming), acting.principal, incoming);
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
      });
    case "generated": {
      const body = await checkRequestBody(dependencies.bodyThreads, release, permitted.route, incoming);
      const context = { ...dependencies, release, principal, organization };
      const call = decodeInput(context, permitted.route, incoming, body);
      const { id: requestId, ip } = incoming;
      const room = (): void => requireRoom(dependencies.replies, projectId);
      const request = {
        tenant,
        release,
        entity: call.entity,
        principal,
        organization,
        ip,
        requestId,
        requireRoom: room,
      };
      return respond(await execute(dependencies, request, call), incoming);
    }
  }
}

/** What a caller may see of any failure; what they may not is logged under the request's id. */
export function publicFault(
  error: unknown,
  { logger, refusals }: Pick<PipelineDependencies, "logger" | "refusals">,
  { id, method }: Pick<Incoming, "id" | "method">,
): Fault {
  const fault = asFault(error);
  if (fault instanceof Fault && fault.code !== "internal") {
    const { status, code } = fault;
    if (status >= 500 && refusals.note({ status, code, source: "causes" })) {
      logger.warn({ request_id: id, cause: causes(fault) }, fault.message);
    }
    return fault;
  }
  logger.error({ request_id: id, method, cause: causes(error) }, "request failed");
  return new Fault("internal", { cause: error });
}

/** Not the error as it is: Postgres's details and parameters hold tenants' values. */
function causes(error: unknown): readonly object[] {
  const chain: object[] = [];
  for (let each = error; each instanceof Error && chain.length < 5; each = each.cause) {
    const { name, message, stack } = each;
    chain.push({ name, message, code: (each as { code?: unknown }).code, stack });
  }
  return chain;
}
