// Checks whether subscribers may still follow, and with which rights. In: their previous credentials. Out: principals
// as they are now, or the reason why one is no longer valid. It asks the database once for all sessions and once for
// all keys, and uses no cache.

import type { Pool } from "pg";
import { rolesOfKey } from "../../identity/authenticate.ts";
import { findKeys } from "../../identity/key-store.ts";
import { expandRoles, USER_ROLES } from "../../identity/roles.ts";
import { findSessions } from "../../identity/user-store.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { organizationTables } from "../../project/organization-tables.ts";
import type { CallerPrincipal } from "../../project/principal.ts";
import type { Tenant } from "../../project/tenant.ts";

/** Null for a principal that is no longer valid. */
export type Judge = (principal: CallerPrincipal) => CallerPrincipal | null;

export async function judgeOf(
  { pool, tenant, release }: { readonly pool: Pool; readonly tenant: Tenant; readonly release: ActiveRelease },
  principals: readonly CallerPrincipal[],
): Promise<Judge> {
  const sessionIds = [...new Set(principals.flatMap((one) => (one.kind === "user" ? [one.sessionId] : [])))];
  const keyIds = [
    ...new Set(principals.flatMap((one) => (one.kind === "operator" || one.keyId === null ? [] : [one.keyId]))),
  ];
  const organizations = organizationTables(release);
  const [sessions, keys] = await Promise.all([
    sessionIds.length === 0 ? null : findSessions(tenant, release.projectId, sessionIds, organizations),
    keyIds.length === 0 ? null : findKeys(pool, keyIds),
  ]);
  return (principal) => {
    if (principal.kind === "operator") return { ...principal, roles: expandRoles(release, ["admin"]) };
    const key = principal.keyId === null ? null : (keys?.get(principal.keyId) ?? null);
    if (principal.keyId !== null && key === null) return null;
    if (principal.kind === "key") return key === null ? null : { ...principal, roles: rolesOfKey(key, release) };
    const user = sessions?.get(principal.sessionId);
    if (user === undefined) return null;
    const { email, memberships } = user;
    return { ...principal, email, memberships, roles: expandRoles(release, [...USER_ROLES, ...user.roles]) };
  };
}

/** Whether both see the same, as far as it depends on the principal. */
export function isSame(one: CallerPrincipal, other: CallerPrincipal): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
