// The internal listener's routes. In: decoded orders of control. Out: the cell's answers. The same pipeline as in the
// public API serves data, in the name of the person who made the request.
import type { ProjectId } from "@plinth/bundle";
import { ACTOR_HEADER, ASSERTION_HEADER, cellCalls, cellPath, DATA_PATH } from "@plinth/bundle/cell";
import type { ProjectScope } from "@plinth/postgres";
import { orUnavailable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Pool } from "pg";
import type { Incoming, Reply } from "../http/contracts.ts";
import type { Epoch } from "../identity/epoch.ts";
import type { KeyStore } from "../identity/key-store.ts";
import type { SigningKeys } from "../identity/signing-keys.ts";
import { grantRoles } from "../modules/users/grant-roles.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { inspectSchema } from "../release/drift.ts";
import { eraseProject } from "../release/erase.ts";
import { inspectProject, inspectRelease } from "../release/inspect.ts";
import { measurePlan } from "../release/measure.ts";
import type { Migrator } from "../release/migrate.ts";
import { provisionProject } from "../release/provision.ts";
import type { PublicationReader } from "../release/read-publication.ts";
import { type ControlTrust, receiveRelease } from "../release/receive.ts";
import { setSuspended } from "../release/suspend.ts";
import { acceptAssertion } from "./assertion.ts";
import { createLoadReporter } from "./load-report.ts";
import { callOf, found, incomingOf, paramOf, projectOf, releaseOf, serve } from "./serve.ts";
import { type TransferRouteOptions, transferRoutes } from "./transfer-routes.ts";
import { type UserRoutesOptions, userRoutes } from "./user-routes.ts";

export interface InternalOptions
  extends ControlTrust,
    TransferRouteOptions,
    Pick<UserRoutesOptions, "accountTokens" | "accountMails"> {
  readonly pool: Pool;
  /** A separate pool: measuring a plan takes seconds, and nothing else should wait for it. */
  readonly measurePool: Pool;
  readonly signingKeys: SigningKeys;
  readonly keys: KeyStore;
  readonly epoch: Epoch;
  readonly registry: ReleaseRegistry;
  readonly migrator: Migrator;
  /** Reads publications, perhaps in a thread. */
  readonly read: PublicationReader;
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** The public API's pipeline, with operators instead of keys and users. */
  readonly serve: (incoming: Incoming) => Promise<Reply>;
}

export function internalRoutes(app: FastifyInstance, options: InternalOptions): void {
  const { pool, epoch } = options;

  /** For calls that end a project: the secret alone must not be enough. */
  const retiring = async (request: FastifyRequest): Promise<ProjectId> => {
    const projectId = projectOf(request);
    const signed = await acceptAssertion(request.headers[ASSERTION_HEADER], options, callOf(request));
    if (signed.role !== "retire" || signed.projectId !== projectId)
      throw new Fault("unauthenticated", { detail: "Plinth-Assertion is for another call." });
    return projectId;
  };

  const load = createLoadReporter();
  app.addHook("onClose", async () => load.stop());
  app.get("/internal/load", async () => load.read());

  serve(app, cellCalls.provision, async (request, body) => {
    await orUnavailable(provisionProject(options, projectOf(request), body().slug));
    return null;
  });

  serve(app, cellCalls.suspend, async (request, body) => {
    const projectId = await retiring(request);
    if (!(await orUnavailable(setSuspended(pool, projectId, body().suspended)))) throw new Fault("not_found");
    await epoch.refresh();
    // This process has the change before it answers; the others have it within a second.
    await orUnavailable(options.registry.reload(projectId));
    return null;
  });

  serve(app, cellCalls.erase, async (request) => {
    await orUnavailable(eraseProject({ pool: options.measurePool, epoch }, await retiring(request)));
    return null;
  });

  serve(app, cellCalls.inspectProject, async (request) => {
    return found(await orUnavailable(inspectProject(pool, projectOf(request))));
  });

  serve(app, cellCalls.inspectSchema, async (request) => {
    return found(await orUnavailable(inspectSchema(pool, projectOf(request))));
  });

  serve(app, cellCalls.measurePlan, async (request, body) => {
    const projectId = projectOf(request);
    // It runs SQL from control, so the secret alone must not be enough.
    const signed = await acceptAssertion(request.headers[ASSERTION_HEADER], options, callOf(request));
    if (signed.role !== "measure" || signed.projectId !== projectId) {
      throw new Fault("unauthenticated", { detail: "Plinth-Assertion is for another call." });
    }
    found(await orUnavailable(inspectProject(pool, projectId)));
    const measured = body();
    const release = await orUnavailable(options.registry.get(projectId));
    return orUnavailable(measurePlan(options.measurePool, projectId, measured, release?.bundle ?? null));
  });

  serve(app, cellCalls.publish, async (request) => {
    const received = await orUnavailable(receiveRelease(options, projectOf(request), bytesOf(request)));
    options.migrator.start(received.releaseId);
    return null;
  });

  serve(app, cellCalls.inspectRelease, async (request) => {
    return found(await orUnavailable(inspectRelease(pool, projectOf(request), paramOf(request, "releaseId"))));
  });

  serve(app, cellCalls.putKey, async (request, body) => {
    const projectId = projectOf(request);
    const keyId = keyOf(request);
    const key = body();
    if (key.kind === "publishable" && key.role !== null) {
      throw new Fault("validation_failed", { detail: "A publishable key acts as `public` and can't have a role." });
    }
    found(await orUnavailable(inspectProject(pool, projectId)));
    const stored = await orUnavailable(options.keys.put({ keyId, projectId, ...key }));
    if (!stored) throw new Fault("conflict", { detail: "Another key has this id or hash." });
    return null;
  });

  serve(app, cellCalls.revokeKey, async (request) => {
    const revoked = await orUnavailable(options.keys.revoke(projectOf(request), keyOf(request)));
    if (!revoked) throw new Fault("not_found");
    await epoch.refresh();
    return null;
  });

  serve(app, cellCalls.grantUser, async (request, body) => {
    const release = await releaseOf(options.registry, projectOf(request));
    const { email, roles } = body();
    const principal = { kind: "operator", email: actorNameOf(request), roles: ["admin"], readOnly: false } as const;
    const acting = { release, principal, requestId: request.id, ip: request.ip, organization: null };
    await grantRoles(options, acting, { email }, roles);
    return null;
  });

  transferRoutes(app, options);
  userRoutes(app, options);

  app.all(`${DATA_PATH}/*`, async (request, reply) => {
    const answer = await options.serve(dataIncomingOf(request, projectOf(request)));
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .send(answer.body ?? "");
  });
}

/** Control says on whose behalf it grants roles. The secret has proved that it is control. */
function actorNameOf(request: FastifyRequest): string {
  const name = request.headers[ACTOR_HEADER];
  return typeof name === "string" && name !== "" ? name.slice(0, 254) : "control";
}

function keyOf(request: FastifyRequest): string {
  const keyId = paramOf(request, "keyId");
  if (!/^key_[0-9a-z]{20}$/.test(keyId)) throw new Fault("not_found");
  return keyId;
}

function bytesOf(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

function dataIncomingOf(request: FastifyRequest, projectId: ProjectId): Incoming {
  const incoming = incomingOf(request);
  const path = incoming.path.slice(cellPath(DATA_PATH, { projectId }).length);
  if (!path.startsWith("/v1/")) throw new Fault("not_found");
  return { ...incoming, path, call: callOf(request), headers: { ...incoming.headers, "plinth-project": projectId } };
}
