// What a project says of itself: OpenAPI, SDK types, and the keys that verify its tokens.
// In: a project. Out: the bundle's own text, or a JWKS (RFC 7517). A private key never stands in a JWKS.
// The bundle's texts are read from the cell's tables whenever somebody asks: they are most of a bundle, and seldom asked for.

import { isProjectId, type ProjectId } from "@plinth/bundle";
import { boundedQuery, LOOK_UP_MS_MAX, orUnavailable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool } from "pg";
import type { MatchOpen, OpenRoute, Reply } from "../http/contracts.ts";
import { type ProjectOfHost, requireHostOf } from "../identity/project-host.ts";
import type { SigningKeys } from "../identity/signing-keys.ts";
import type { ModuleHandlers } from "./module-routes.ts";

const OPENAPI = "SELECT (bundle::json -> 'openapi')::text AS text FROM plinth.releases WHERE id = $1";
const SDK_TYPES = "SELECT bundle::json ->> 'sdkTypes' AS text FROM plinth.releases WHERE id = $1";
/** By the id, which never changes: a name is another project's in another organization. */
const OWN_JWKS = "/.well-known/jwks.json";
const OPEN_JWKS = /^\/p\/([a-z0-9_-]{1,64})\/\.well-known\/jwks\.json$/;

export interface SelfDescriptionOptions {
  readonly pool: Pool;
  readonly signingKeys: SigningKeys;
}

export function selfDescriptionHandlers({ pool, signingKeys }: SelfDescriptionOptions): ModuleHandlers {
  async function textOf(releaseId: string, sql: string): Promise<string> {
    const { rows } = await orUnavailable(
      pool.query<{ text: string }>(boundedQuery({ text: sql, values: [releaseId] }, LOOK_UP_MS_MAX)),
    );
    if (rows[0] === undefined) throw new Error(`release ${releaseId} is served and not stored`);
    return rows[0].text;
  }

  return {
    "project.openapi": async ({ release }) => ({
      status: 200,
      headers: { "content-type": "application/json; charset=utf-8", "cache-control": "private, no-cache" },
      body: await textOf(release.releaseId, OPENAPI),
    }),
    "project.sdk_types": async ({ release }) => ({
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "private, no-cache" },
      body: await textOf(release.releaseId, SDK_TYPES),
    }),
    "project.jwks": ({ projectId }) => jwks(signingKeys, projectId),
  };
}

async function jwks(signingKeys: SigningKeys, projectId: ProjectId): Promise<Reply> {
  const keys = await orUnavailable(signingKeys.of(projectId));
  return {
    status: 200,
    headers: { "content-type": "application/jwk-set+json", "cache-control": "public, max-age=300" },
    body: JSON.stringify({ keys: keys.map((key) => key.publicJwk) }),
  };
}

/** The JWKS without a credential. */
export function createOpenJwks(options: {
  readonly signingKeys: SigningKeys;
  readonly projectOfHost: ProjectOfHost;
}): MatchOpen {
  const { signingKeys, projectOfHost } = options;

  async function openJwks(projectId: ProjectId): Promise<Reply> {
    const reply = await jwks(signingKeys, projectId);
    if (reply.body === '{"keys":[]}') throw new Fault("not_found");
    return reply;
  }

  const openRoute = (projectId: ProjectId): OpenRoute => ({
    projectId,
    bodyBytesMax: 0,
    handler: () => openJwks(projectId),
  });

  return ({ method, path, headers }) => {
    const { host = "" } = headers;
    if (method !== "GET") return null;
    const named = OPEN_JWKS.exec(path)?.[1];
    if (named !== undefined) {
      if (!isProjectId(named)) throw new Fault("not_found");
      requireHostOf(named, projectOfHost(host));
      return openRoute(named);
    }
    // With a credential, the route is one like any other: the host is compared with the credential's project.
    if (path !== OWN_JWKS || headers.authorization !== undefined) return null;
    const byHost = projectOfHost(host);
    return byHost === "none" || byHost === "malformed" ? null : openRoute(byHost);
  };
}
