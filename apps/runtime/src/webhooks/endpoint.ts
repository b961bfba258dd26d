// A stored endpoint, and who sees its events. In: rows. Out: endpoints, and whether one subscribes to an event.
import { expandRoles, USER_ROLES } from "../identity/roles.ts";
import { membershipsOf } from "../identity/user-store.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { organizationTables } from "../project/organization-tables.ts";
import type { Membership, Principal } from "../project/principal.ts";
import type { TextRow } from "../project/tenant.ts";

export interface Endpoint {
  readonly id: string;
  readonly events: readonly string[];
  readonly role: string;
  readonly owner_kind: "user" | "organization" | null;
  readonly owner_id: string | null;
  readonly payload: "full" | "thin";
  /** The version of payloads. */
  readonly version: number;
}

/** The columns of an `Endpoint`, of the row `e`. */
export const ENDPOINT = "e.id, e.events, e.role, e.owner_kind, e.owner_id, e.payload, e.version";

/**
 * Names of events, `order.*` for all of a noun, `*` for all.
 * @param isOwn Plinth's own event about failed work. `*` doesn't mean these: an endpoint for all events of the project
 * would otherwise receive its own failures.
 */
export function asksFor(patterns: readonly string[], event: string, isOwn: boolean): boolean {
  return patterns.some(
    (pattern) =>
      (pattern === "*" && !isOwn) ||
      pattern === event ||
      (pattern.endsWith(".*") && event.startsWith(pattern.slice(0, -1))),
  );
}

/** The rights that decide what an endpoint receives. */
export interface Reader {
  readonly principal: Principal;
  /** The organization to which it is bound; null if its events may be of any. */
  readonly organization: string | null;
}

type Ask = (text: string, values: readonly string[]) => Promise<readonly TextRow[]>;

/**
 * With the current rights. @param ask Runs a statement under the project's own role. @returns null if the owner is
 * gone, or the role is no longer declared.
 */
export async function readerOf(ask: Ask, release: ActiveRelease, endpoint: Endpoint): Promise<Reader | null> {
  const { owner_kind: kind, owner_id: owner } = endpoint;
  if (kind === "user" && owner !== null) return userReader(ask, release, owner);
  if (!release.bundle.roles.some(({ name }) => name === endpoint.role)) return null;
  const given = kind === null ? [endpoint.role] : [...USER_ROLES, endpoint.role];
  const roles = expandRoles(release, given);
  const principal: Principal = { kind: "key", keyId: endpoint.id, keyKind: "secret", roles, user: null };
  if (kind === null || owner === null) return { principal, organization: null };
  const rows = await ask(`SELECT 1 FROM ${release.schema}.organizations WHERE id = $1::uuid`, [owner]);
  return rows.length === 0 ? null : { principal, organization: owner };
}

async function userReader(ask: Ask, release: ActiveRelease, id: string): Promise<Reader | null> {
  return (await userReaders(ask, release, [id])).get(id) ?? null;
}

/** In one statement. A user who no longer exists is left out. */
export async function userReaders(
  ask: Ask,
  release: ActiveRelease,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Reader>> {
  const memberships = membershipsOf(release.schema, organizationTables(release));
  const rows = await ask(
    `SELECT u.id::text, u.email, array_to_json(u.roles)::text, ${memberships} FROM ${release.schema}.users u WHERE u.id = ANY ($1::uuid[])`,
    [`{${ids.join(",")}}`],
  );
  return new Map(rows.flatMap(([id, ...row]) => (id == null ? [] : [[id, readerOfUser(release, id, row)]])));
}

function readerOfUser(release: ActiveRelease, id: string, [email, roles, belongs]: TextRow): Reader {
  const principal: Principal = {
    kind: "user",
    userId: id,
    sessionId: "",
    email: email ?? "",
    roles: expandRoles(release, [...USER_ROLES, ...(JSON.parse(roles ?? "[]") as string[])]),
    keyId: null,
    keyKind: null,
    memberships: JSON.parse(belongs ?? "[]") as Membership[],
  };
  return { principal, organization: null };
}
