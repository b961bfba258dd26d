// Routes without a credential, such as a project's public keys. In: a request. Out: its answer, or null if no module
// has such a route. They are limited by address, because there is no caller to count.
import { networkOf } from "../identity/attempt-limit.ts";
import type { Arriving, Incoming, OpenRoute } from "./contracts.ts";
import type { Answer, PipelineDependencies } from "./pipeline.ts";
import { publicFault } from "./public-fault.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { requireAllowance } from "./stages/limit-rate.ts";
import { resolveProject } from "./stages/resolve-project.ts";
import { respondWithFault } from "./stages/respond.ts";

export interface OpenRouteDependencies extends PipelineDependencies {
  readonly openLimiter: RateLimiter;
}

export async function runOpenRoute(dependencies: OpenRouteDependencies, arriving: Arriving): Promise<Answer | null> {
  const { modules, registry, tenants, openLimiter } = dependencies;
  const anonymous = { route: null, projectId: null, principal: null };
  try {
    const route = modules.matchOpen?.(arriving) ?? null;
    if (route === null) return null;
    requireAllowance(openLimiter.take(networkOf(arriving.ip)));
    if (route.projectId === null) return { ...anonymous, reply: await route.reply() };
    const { projectId } = route;
    const project = await resolveProject(registry, tenants, projectId);
    const incoming = await withBody(arriving, route);
    return { ...anonymous, reply: await route.handler({ incoming, projectId, ...project }) };
  } catch (error) {
    return { ...anonymous, reply: respondWithFault(publicFault(error, dependencies, arriving), arriving.id) };
  }
}

async function withBody(arriving: Arriving, { projectId, bodyBytesMax: bytesMax }: OpenRoute): Promise<Incoming> {
  const { readBody } = arriving;
  const isRead = readBody !== null && bytesMax > 0;
  return { ...arriving, body: isRead ? await readBody({ project: projectId, bytesMax }) : null };
}
