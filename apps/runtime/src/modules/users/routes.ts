// The parts of /v1/users that generated routes can't do: the caller's own record, and setting roles. In: an
// authenticated request. Out: a user. Only an admin can change a role.

import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { organizationTables } from "../../project/organization-tables.ts";
import type { CredentialsOptions } from "../change-credentials.ts";
import { jsonReply, readBody } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { actingIn } from "../write-change.ts";
import { grantRoles } from "./grant-roles.ts";
import { readUser, userColumns } from "./user-record.ts";

const rolesBody = z.strictObject({ roles: z.array(z.string().max(63)).max(50) });

export function userHandlers(options: CredentialsOptions): ModuleHandlers {
  return { "user.me": readMe, "user.set_roles": (context) => setRoles(options, context) };
}

async function readMe({ principal, release, tenant }: ModuleContext): Promise<Reply> {
  if (principal.kind !== "user") throw new Fault("user_required");
  const organizations = organizationTables(release) !== "none";
  const { rows } = await tenant.run({
    lane: "fast",
    text: `SELECT ${userColumns(release, "u")}${organizations ? `, ${membershipsOf(release)}` : ""} FROM ${release.schema}.users u WHERE u.id = $1::uuid`,
    values: [principal.userId],
  });
  // Deleted since the credential was looked up.
  if (rows[0] === undefined) throw new Fault("unauthenticated");
  const user = readUser(release.bundle, rows[0]);
  return jsonReply(200, organizations ? { ...user, memberships: JSON.parse(rows[0].at(-1) ?? "[]") } : user);
}

function membershipsOf(release: ActiveRelease): string {
  const chosen = organizationTables(release) === "all" ? "m.chosen" : "false";
  return (
    `(SELECT coalesce(json_agg(json_build_object('organization_id', m.organization_id, 'role', m.role, ` +
    `'chosen', ${chosen}) ORDER BY m.organization_id), '[]'::json)::text ` +
    `FROM ${release.schema}.memberships m WHERE m.user_id = u.id)`
  );
}

async function setRoles(options: CredentialsOptions, context: ModuleContext): Promise<Reply> {
  const { roles } = readBody(context.incoming, rolesBody);
  const [id = ""] = context.ids;
  const user = await grantRoles(options, actingIn(context), { id }, roles);
  return jsonReply(200, user);
}
