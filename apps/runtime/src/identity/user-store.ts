// Finds whom a session belongs to, and what that user was given, as it is now. In: the ids in a token. Out: e-mail and
// roles, or null if the session or the user no longer exists. It never takes a role from a token.
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { bytesOfText } from "@plinth/service";
import type { OrganizationTables } from "../project/organization-tables.ts";
import type { Membership } from "../project/principal.ts";
import type { Tenant, Tenants } from "../project/tenant.ts";
import type { Epoch } from "./epoch.ts";
import { createEpochCache } from "./epoch-cache.ts";
import type { TokenSubject } from "./user-token.ts";

export interface SessionUser {
  readonly email: string;
  /** As given; not expanded. */
  readonly roles: readonly string[];
  /** Empty unless they were requested. */
  readonly memberships: readonly Membership[];
}

/** `organizations`: which of their tables the live release has, and so what can be read about memberships. */
export interface UserStore {
  peek(subject: TokenSubject, organizations: OrganizationTables): SessionUser | undefined;
  get(subject: TokenSubject, organizations: OrganizationTables): Promise<SessionUser | null>;
  /** Deletes a project's users from the cache. */
  forget(projectId: string): void;
}

const MEMBERSHIPS_MAX = 1_000;
/** For all projects. */
const CACHE_BYTES_MAX = 16_000_000;
/** A user's object with its arrays, and one membership: the id of an organization, its role, its object. */
const USER_BYTES = 200;
const MEMBERSHIP_BYTES = 160;

/** @param clock Monotonic milliseconds. */
export function createUserStore(options: {
  readonly tenants: Tenants;
  readonly epoch: Epoch;
  readonly clock: () => number;
}): UserStore {
  const cache = createEpochCache<SessionUser>({
    epoch: options.epoch,
    clock: options.clock,
    bytesMax: CACHE_BYTES_MAX,
    weigh,
    ttlMs: 60_000,
    load: async (key) => {
      const [projectId, sessionId, userId, organizations] = key.split("/") as [
        TokenSubject["projectId"],
        string,
        string,
        OrganizationTables,
      ];
      const tenant = options.tenants.forProject({ projectId });
      const schema = quoteIdentifier(tenantNames(projectId).schema);
      const { rows } = await tenant.run({
        lane: "fast",
        text: `SELECT u.email, array_to_json(u.roles)::text, ${membershipsOf(schema, organizations)}
               FROM ${schema}.sessions s
               JOIN ${schema}.users u ON u.id = s.user_id
               WHERE s.id = $1::uuid AND s.user_id = $2::uuid AND s.revoked_at IS NULL AND s.expires_at > now()`,
        values: [sessionId, userId],
      });
      const [email, roles, memberships] = rows[0] ?? [];
      if (email == null || roles == null) return null;
      const value = {
        email,
        roles: JSON.parse(roles) as string[],
        memberships: JSON.parse(memberships ?? "[]") as Membership[],
      };
      return { projectId, value };
    },
  });
  const keyOf = ({ projectId, sessionId, userId }: TokenSubject, organizations: OrganizationTables): string =>
    `${projectId}/${sessionId}/${userId}/${organizations}`;
  return {
    peek: (subject, organizations) => cache.peek(keyOf(subject, organizations)),
    get: (subject, organizations) => cache.get(keyOf(subject, organizations)),
    forget: cache.forget,
  };
}

/** The users of sessions now, by the id of the session. Ended sessions are missing. Always asks the database. */
export async function findSessions(
  tenant: Tenant,
  projectId: string,
  sessionIds: readonly string[],
  organizations: OrganizationTables,
): Promise<ReadonlyMap<string, SessionUser>> {
  const schema = quoteIdentifier(tenantNames(projectId).schema);
  const { rows } = await tenant.run({
    lane: "slow",
    text: `SELECT s.id::text, u.email, array_to_json(u.roles)::text, ${membershipsOf(schema, organizations)}
           FROM ${schema}.sessions s JOIN ${schema}.users u ON u.id = s.user_id
           WHERE s.id = ANY($1::uuid[]) AND s.revoked_at IS NULL AND s.expires_at > now()`,
    values: [`{${sessionIds.join(",")}}`],
  });
  return new Map(
    rows.map(([id, email, roles, memberships]) => [
      id ?? "",
      { email: email ?? "", roles: JSON.parse(roles ?? "[]"), memberships: JSON.parse(memberships ?? "[]") },
    ]),
  );
}

function weigh({ email, roles, memberships }: SessionUser, key: string): number {
  const texts = roles.reduce((bytes, role) => bytes + bytesOfText(role), bytesOfText(email) + bytesOfText(key));
  return texts + memberships.length * MEMBERSHIP_BYTES + USER_BYTES;
}

/** JSON of the memberships of the user `u`. The chosen one comes first, so that the limit never cuts it off. */
export function membershipsOf(schema: string, organizations: OrganizationTables): string {
  if (organizations === "none") return "'[]'";
  const chosen = organizations === "all" ? "chosen" : "false AS chosen";
  return (
    `(SELECT coalesce(json_agg(json_build_object('organization', m.organization_id, 'role', m.role, ` +
    `'chosen', m.chosen)), '[]'::json)::text ` +
    `FROM (SELECT organization_id, role, ${chosen} FROM ${schema}.memberships WHERE user_id = u.id ` +
    `ORDER BY ${organizations === "all" ? "chosen DESC, " : ""}organization_id LIMIT ${MEMBERSHIPS_MAX}) m)`
  );
}
