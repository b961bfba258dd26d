// API keys of a project. In: the purpose of a key. Out: the key, once; afterwards only its name. Control stores neither keys nor
// their hashes, and never shows a key that the cell doesn't know.
import { type ApiKeyKind, hashApiKey, newApiKey, newId } from "@plinth/bundle";
import { callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import { notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { Provision } from "../projects/provision.ts";
import type { CreatedKey, KeySummary } from "./api.ts";
import type { KeyStore } from "./store.ts";

interface KeyRequest {
  readonly name: string;
  readonly kind: ApiKeyKind;
  readonly role?: string | undefined;
  readonly expiresAt?: string | undefined;
}

export interface KeyService {
  create(by: Person, project: ProjectAccess, request: KeyRequest): Promise<CreatedKey>;
  list(project: ProjectAccess): Promise<readonly KeySummary[]>;
  revoke(by: Person, project: ProjectAccess, keyId: string): Promise<KeySummary>;
}

export interface KeyServiceOptions {
  readonly store: KeyStore;
  readonly cells: Cells;
  readonly provision: Provision;
  /** The roles of the live version. Null before the first deployment. */
  readonly liveRoles: (by: Person, project: ProjectAccess) => Promise<readonly string[] | null>;
}

const BUILTIN_ROLES: readonly string[] = ["public", "user", "owner", "admin"];

export function createKeyService({ store, cells, provision, liveRoles }: KeyServiceOptions): KeyService {
  return {
    create: async (by, project, request) => {
      const role = await roleOf(request, () => liveRoles(by, project));
      const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
      if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
        throw refuse("BAD_REQUEST", "The expiry is in the past.");
      }
      const key = newApiKey(request.kind);
      const { name, kind } = request;
      const created = { id: newId("key"), projectId: project.id, name, kind, role, last4: key.slice(-4), expiresAt };
      await callCell(provision(project));
      const row = await store.insert({ ...created, createdBy: by.id });
      try {
        const hash = hashApiKey(key);
        await cells.putKey(project, { id: created.id, hash, kind, role, name, expiresAt: row.expiresAt });
      } catch (error) {
        // Nobody has seen the key, so it does no harm if the cell got it and only its answer was lost.
        await store.withdraw({ ...created, createdBy: by.id });
        return await callCell(Promise.reject(error));
      }
      return { ...row, key };
    },

    list: (project) => store.list(project.id),

    revoke: async (by, project, keyId) => {
      if ((await store.get(keyId)) === null) throw notFound("key");
      // The cell first: it must refuse a key before the key is shown as revoked.
      await callCell(cells.revokeKey(project, keyId));
      return store.markRevoked(keyId, project.id, by.id);
    },
  };
}

/** A publishable key always acts as `public`. A secret key acts as its role, by default `admin`. */
async function roleOf(request: KeyRequest, live: () => Promise<readonly string[] | null>): Promise<string | null> {
  if (request.kind === "publishable") {
    if (request.role === undefined) return null;
    throw refuse("BAD_REQUEST", "A publishable key acts as public and can't have a role.");
  }
  const role = request.role ?? "admin";
  const known = (await live()) ?? BUILTIN_ROLES;
  if (!known.includes(role)) throw refuse("BAD_REQUEST", `There is no role "${role}" in the live blueprint.`);
  return role;
}
