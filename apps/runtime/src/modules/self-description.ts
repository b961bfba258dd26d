// A project's description of itself: OpenAPI, SDK types, and the keys that verify its tokens. In: a project. Out: the
// stored description of its release, or a JWKS (RFC 7517). A JWKS never contains a private key. A document may have 10
// MB. Clients that accept gzip get it as it is stored; for others it is unpacked piece by piece. A client that already
// has it is told so without reading it.

import { isProjectId, type ProjectId } from "@plinth/bundle";
import { orUnavailable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { MatchOpen, ModuleContext, OpenRoute, Reply } from "../http/contracts.ts";
import { isUnchanged } from "../http/stages/conditions.ts";
import { acceptsGzip, createUnpacker, UNPACKING_BYTES } from "../http/unpacked.ts";
import { type ProjectOfHost, requireHostOf } from "../identity/project-host.ts";
import type { SigningKeys } from "../identity/signing-keys.ts";
import { type DescriptionPart, unpackedLength } from "../project/stored-description.ts";
import type { Descriptions } from "./descriptions.ts";
import type { ModuleHandlers } from "./module-routes.ts";

const MEDIA_TYPES: Readonly<Record<DescriptionPart, string>> = {
  openapi: "application/json; charset=utf-8",
  sdkTypes: "text/plain; charset=utf-8",
};
/** By the id, which never changes. A name can belong to another project in another organization. */
const OWN_JWKS = "/.well-known/jwks.json";
const OPEN_JWKS = /^\/p\/([a-z0-9_-]{1,64})\/\.well-known\/jwks\.json$/;

export interface SelfDescriptionOptions {
  readonly descriptions: Descriptions;
  readonly signingKeys: SigningKeys;
}

export function selfDescriptionHandlers({ descriptions, signingKeys }: SelfDescriptionOptions): ModuleHandlers {
  const unpacker = createUnpacker();

  async function describe({ release, incoming }: ModuleContext, part: DescriptionPart): Promise<Reply> {
    // A release's description never changes. Weak, because the bytes depend on the encodings that the client accepts.
    const etag = `"${release.releaseId}"`;
    const common = { etag: `W/${etag}`, "cache-control": "private, no-cache", vary: "accept-encoding" };
    if (isUnchanged(incoming.headers, etag)) return { status: 304, headers: common, body: null };
    const compressed = await descriptions.of(release, part);
    const headers = { ...common, "content-type": MEDIA_TYPES[part] };
    if (acceptsGzip(incoming.headers["accept-encoding"])) {
      return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: compressed };
    }
    return {
      status: 200,
      headers: { ...headers, "content-length": String(unpackedLength(compressed)) },
      body: unpacker.stream(release.projectId, compressed),
      heldBytes: UNPACKING_BYTES,
    };
  }

  return {
    "project.openapi": (context) => describe(context, "openapi"),
    "project.sdk_types": (context) => describe(context, "sdkTypes"),
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
    // With a credential, the route is like any other: the host is compared with the credential's project.
    if (path !== OWN_JWKS || headers.authorization !== undefined) return null;
    const byHost = projectOfHost(host);
    return byHost === "none" || byHost === "malformed" ? null : openRoute(byHost);
  };
}
