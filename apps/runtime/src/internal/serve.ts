// Answers a call of control. In: a call of the protocol and a request. Out: a route, and the values in a request.
import { createHash } from "node:crypto";
import { isProjectId, type ProjectId } from "@plinth/bundle";
import type { CellCall } from "@plinth/bundle/cell";
import { orUnavailable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Incoming } from "../http/contracts.ts";
import type { SignedCall } from "../identity/authenticator.ts";
import { readBody } from "../modules/json-body.ts";
import type { ActiveRelease, ReleaseRegistry } from "../project/active-release.ts";

/** @param handle Reads the body itself, so that the body of a refused call is never read. */
export function serve<Body, Answer>(
  app: FastifyInstance,
  { method, path, body, status }: CellCall<Body, Answer>,
  handle: (request: FastifyRequest, body: () => Body) => Promise<Answer>,
): void {
  const read = (request: FastifyRequest): Body => {
    if (body === null) throw new Error(`${method} ${path} has no body`);
    return readBody(incomingOf(request), body);
  };
  app.route({
    method,
    url: path,
    handler: async (request, reply) => {
      const answer = await handle(request, () => read(request));
      return reply.code(status).send(answer ?? undefined);
    },
  });
}

/** @throws Fault not_found. */
export async function releaseOf(registry: ReleaseRegistry, projectId: ProjectId): Promise<ActiveRelease> {
  const release = await orUnavailable(registry.get(projectId));
  if (release === null) throw new Fault("not_found", { detail: "Nothing is deployed in this project." });
  return release;
}

export function found<T>(value: T | null): T {
  if (value === null) throw new Fault("not_found");
  return value;
}

export function paramOf(request: FastifyRequest, name: string): string {
  return (request.params as Readonly<Record<string, string>>)[name] ?? "";
}

export function projectOf(request: FastifyRequest): ProjectId {
  const projectId = paramOf(request, "projectId");
  if (!isProjectId(projectId)) throw new Fault("not_found");
  return projectId;
}

export function incomingOf(request: FastifyRequest): Incoming {
  const [path = "", query = ""] = splitOnce(request.url);
  return {
    id: request.id,
    method: request.method,
    path,
    query,
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : null,
    ip: request.ip,
  };
}

/** The call as it arrived, because control has signed the bytes that it sent. */
export function callOf(request: FastifyRequest): SignedCall {
  const body = Buffer.isBuffer(request.body) ? request.body : "";
  return { method: request.method, target: request.url, bodyHash: createHash("sha256").update(body).digest("hex") };
}

function splitOnce(url: string): readonly [string, string] {
  const at = url.indexOf("?");
  return at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
