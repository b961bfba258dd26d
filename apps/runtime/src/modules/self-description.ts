// What a project says of itself: OpenAPI, SDK types, and the keys that verify its tokens.
// In: a project. Out: the bundle's own text, or a JWKS (RFC 7517). A private key never stands in a JWKS.

import { isProjectId, type ProjectId } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { ModuleContext, ModuleHandler, ModuleRoutes, Reply } from "../http/contracts.ts";
import { orUnavailable } from "../identity/database-away.ts";
import type { SigningKeys } from "../identity/signing-keys.ts";

/** By the id, which never changes: a name is another project's in another organization. */
const OPEN_JWKS = /^\/p\/([a-z0-9_-]{1,64})\/\.well-known\/jwks\.json$/;

export function createSelfDescription({ signingKeys }: { readonly signingKeys: SigningKeys }): ModuleRoutes {
  async function jwks(projectId: ProjectId): Promise<Reply> {
    const keys = await orUnavailable(signingKeys.of(projectId));
    return {
      status: 200,
      headers: { "content-type": "application/jwk-set+json", "cache-control": "public, max-age=300" },
      body: JSON.stringify({ keys: keys.map((key) => key.publicJwk) }),
    };
  }

  const handlers: Readonly<Record<string, ModuleHandler>> = {
    "/v1/openapi.json": async (context) => ({
      status: 200,
      headers: { "content-type": "application/json; charset=utf-8", "cache-control": "private, no-cache" },
      body: openapiText(context),
    }),
    "/v1/sdk.d.ts": async ({ release }) => ({
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "private, no-cache" },
      body: release.bundle.sdkTypes,
    }),
    "/.well-known/jwks.json": ({ projectId }) => jwks(projectId),
  };

  return {
    match: (method, path) => (method === "GET" && Object.hasOwn(handlers, path) ? (handlers[path] ?? null) : null),
    matchOpen(method, path) {
      const named = method === "GET" ? OPEN_JWKS.exec(path)?.[1] : undefined;
      if (named === undefined) return null;
      return async () => {
        const reply = isProjectId(named) ? await jwks(named) : null;
        if (reply === null || reply.body === '{"keys":[]}') throw new Fault("not_found");
        return reply;
      };
    },
  };
}

/** Written once a release: it is large and the same for everybody. */
function openapiText({ release }: ModuleContext): string {
  const key = "openapi.json";
  let text = release.plans.get(key) as string | undefined;
  if (text === undefined) {
    text = JSON.stringify(release.bundle.openapi);
    release.plans.set(key, text);
  }
  return text;
}
