// The internal listener's routes. In: decoded orders of control. Out: what the cell made of them.
// Data is served by the same pipeline as the public API, under the name of the person who asks.
import { createHash } from "node:crypto";
import { isProjectId, type ProjectId } from "@plinth/bundle";
import type { ProjectScope } from "@plinth/postgres";
import { orUnavailable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Pool } from "pg";
import { z } from "zod";
import type { Incoming, Reply } from "../http/contracts.ts";
import type { SignedCall } from "../identity/authenticator.ts";
import type { Epoch } from "../identity/epoch.ts";
import type { KeyStore } from "../identity/key-store.ts";
import type { SigningKeys } from "../identity/signing-keys.ts";
import { readBody } from "../modules/json-body.ts";
import { grantRoles } from "../modules/users/grant-roles.ts";
import type { ActiveRelease, ReleaseRegistry } from "../project/active-release.ts";
import { inspectSchema } from "../release/drift.ts";
import { inspectProject, inspectRelease } from "../release/inspect.ts";
import { measurePlan } from "../release/measure.ts";
import type { Migrator } from "../release/migrate.ts";
import { provisionProject } from "../release/provision.ts";
import { type ControlTrust, receiveRelease } from "../release/receive.ts";
import { acceptAssertion } from "./assertion.ts";
import { createLoadReporter } from "./load-report.ts";
import { readMeasured } from "./plan-body.ts";

export interface InternalOptions extends ControlTrust {
  readonly pool: Pool;
  /** Its own: measuring a plan takes seconds, and nobody else is to wait for them. */
  readonly measurePool: Pool;
  readonly signingKeys: SigningKeys;
  readonly keys: KeyStore;
  readonly epoch: Epoch;
  readonly registry: ReleaseRegistry;
  readonly migrator: Migrator;
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** The public API's pipeline with operators in the place of keys and users. */
  readonly serve: (incoming: Incoming) => Promise<Reply>;
}

const projectBody = z.strictObject({ slug: z.string().max(63) });
const keyBody = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(["publishable", "secret"]),
  role: z.string().max(63).nullable(),
  name: z.string().max(200),
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
});
const grantBody = z.strictObject({ email: z.string().max(254), roles: z.array(z.string().max(63)).max(50) });

export function internalRoutes(app: FastifyInstance, options: InternalOptions): void {
  const { pool, epoch } = options;

  const load = createLoadReporter();
  app.addHook("onClose", async () => load.stop());
  app.get("/internal/load", async () => load.read());

  app.put("/internal/projects/:projectId", async (request) => {
    const projectId = projectOf(request);
    await orUnavailable(provisionProject(options, projectId, readBody(incomingOf(request), projectBody).slug));
    return { projectId };
  });

  app.get("/internal/projects/:projectId/status", async (request) => {
    return found(await orUnavailable(inspectProject(pool, projectOf(request))));
  });

  app.get("/internal/projects/:projectId/schema", async (request) => {
    return found(await orUnavailable(inspectSchema(pool, projectOf(request))));
  });

  app.post("/internal/projects/:projectId/measure", async (request) => {
    const projectId = projectOf(request);
    // It runs SQL of control's making: the secret alone must not be enough.
    const signed = await acceptAssertion(request.headers["plinth-assertion"], options, callOf(request));
    if (signed.role !== "measure" || signed.projectId !== projectId) {
      throw new Fault("unauthenticated", { detail: "Plinth-Assertion is for something else." });
    }
    found(await orUnavailable(inspectProject(pool, projectId)));
    const measured = readMeasured(jsonOf(request));
    const release = await orUnavailable(options.registry.get(projectId));
    return orUnavailable(measurePlan(options.measurePool, projectId, measured, release?.bundle ?? null));
  });

  app.post("/internal/projects/:projectId/releases", async (request, reply) => {
    const received = await orUnavailable(receiveRelease(options, projectOf(request), jsonOf(request)));
    options.migrator.start(received.releaseId);
    return reply.code(202).send(received);
  });

  app.get("/internal/projects/:projectId/releases/:releaseId", async (request) => {
    return found(await orUnavailable(inspectRelease(pool, projectOf(request), paramOf(request, "releaseId"))));
  });

  app.put("/internal/projects/:projectId/keys/:keyId", async (request, reply) => {
    const projectId = projectOf(request);
    const keyId = keyOf(request);
    const body = readBody(incomingOf(request), keyBody);
    if (body.kind === "publishable" && body.role !== null) {
      throw new Fault("validation_failed", { detail: "A publishable key acts as public; it is bound to no role." });
    }
    found(await orUnavailable(inspectProject(pool, projectId)));
    const stored = await orUnavailable(options.keys.put({ keyId, projectId, ...body }));
    if (!stored) throw new Fault("conflict", { detail: "This key id or hash is another key's." });
    return reply.code(204).send();
  });

  app.delete("/internal/projects/:projectId/keys/:keyId", async (request, reply) => {
    const revoked = await orUnavailable(options.keys.revoke(projectOf(request), keyOf(request)));
    if (!revoked) throw new Fault("not_found");
    await epoch.refresh();
    return reply.code(204).send();
  });

  app.post("/internal/projects/:projectId/users/grant", async (request) => {
    const release = await releaseOf(options, projectOf(request));
    const { email, roles } = readBody(incomingOf(request), grantBody);
    const principal = { kind: "operator", email: actorNameOf(request), roles: ["admin"], readOnly: false } as const;
    const acting = { release, principal, requestId: request.id, ip: request.ip, organization: null };
    return { user: await grantRoles(options, acting, { email }, roles) };
  });

  app.all("/internal/projects/:projectId/data/*", async (request, reply) => {
    const answer = await options.serve(dataIncomingOf(request, projectOf(request)));
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .send(answer.body ?? "");
  });
}

/** Control says on whose behalf it grants; the secret has vouched for control. */
function actorNameOf(request: FastifyRequest): string {
  const name = request.headers["plinth-actor"];
  return typeof name === "string" && name !== "" ? name.slice(0, 254) : "control";
}

async function releaseOf(options: InternalOptions, projectId: ProjectId): Promise<ActiveRelease> {
  const release = await orUnavailable(options.registry.get(projectId));
  if (release === null) throw new Fault("not_found", { detail: "Nothing is deployed in this project." });
  return release;
}

function found<T>(value: T | null): T {
  if (value === null) throw new Fault("not_found");
  return value;
}

function paramOf(request: FastifyRequest, name: string): string {
  return (request.params as Readonly<Record<string, string>>)[name] ?? "";
}

function projectOf(request: FastifyRequest): ProjectId {
  const projectId = paramOf(request, "projectId");
  if (!isProjectId(projectId)) throw new Fault("not_found");
  return projectId;
}

function keyOf(request: FastifyRequest): string {
  const keyId = paramOf(request, "keyId");
  if (!/^key_[0-9a-z]{20}$/.test(keyId)) throw new Fault("not_found");
  return keyId;
}

/** Plain JSON.parse: it is control that sends this, and the hashes say whether it arrived whole. */
function jsonOf(request: FastifyRequest): unknown {
  try {
    return JSON.parse(String(request.body ?? ""));
  } catch (cause) {
    throw new Fault("malformed_json", { cause });
  }
}

function incomingOf(request: FastifyRequest): Incoming {
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

function dataIncomingOf(request: FastifyRequest, projectId: ProjectId): Incoming {
  const incoming = incomingOf(request);
  const path = incoming.path.replace(/^\/internal\/projects\/[^/]+\/data/, "");
  if (!path.startsWith("/v1/")) throw new Fault("not_found");
  return { ...incoming, path, call: callOf(request), headers: { ...incoming.headers, "plinth-project": projectId } };
}

/** As it arrived: control has signed the bytes that it sent. */
function callOf(request: FastifyRequest): SignedCall {
  const body = Buffer.isBuffer(request.body) ? request.body : "";
  return { method: request.method, target: request.url, bodyHash: createHash("sha256").update(body).digest("hex") };
}

function splitOnce(url: string): readonly [string, string] {
  const at = url.indexOf("?");
  return at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
