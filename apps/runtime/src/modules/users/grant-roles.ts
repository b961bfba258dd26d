// Sets the roles of an end user. In: whom, which, and who acts. Out: the user, or a Fault.
// The change, its audit row and the epoch are one transaction: no replica believes the old roles for a second longer.
import type { ProjectScope } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { bumpEpoch, type Epoch } from "../../identity/epoch.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { type Actor, writeAudit } from "../audit.ts";
import { readUser, type UserRecord, userColumns } from "./user-record.ts";

export interface GrantOptions {
  readonly scope: ProjectScope;
  readonly epoch: Epoch;
  readonly release: ActiveRelease;
  readonly user: { readonly id: string } | { readonly email: string };
  readonly roles: readonly string[];
  readonly actor: Actor;
  readonly requestId: string;
}

/** @throws Fault validation_failed (a role that the blueprint doesn't declare), not_found. */
export async function grantRoles(options: GrantOptions): Promise<UserRecord> {
  const { scope, release, actor, requestId } = options;
  const roles = [...new Set(options.roles)].sort();
  refuseUnknown(release, roles);
  const [condition, value] =
    "id" in options.user ? ["u.id = $1::uuid", options.user.id] : ["u.email = $1", options.user.email.toLowerCase()];
  const granted = await scope.transaction(async (open) => {
    const before = await open.query(
      `SELECT u.id::text, array_to_json(u.roles)::text FROM ${release.schema}.users u WHERE ${condition} FOR UPDATE`,
      [value],
    );
    const [id, old] = before.rows[0] ?? [];
    if (id == null || old == null) throw new Fault("not_found");
    const { rows } = await open.query(
      `UPDATE ${release.schema}.users u SET roles = $2::text[], version = u.version + 1, updated_at = now()
       WHERE u.id = $1::uuid RETURNING ${userColumns(release, "u")}`,
      [id, roles],
    );
    await writeAudit(open, release, {
      requestId,
      actor,
      operation: "set_roles",
      entity: "user",
      recordId: id,
      changes: { roles: [JSON.parse(old), roles] },
    });
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await bumpEpoch(open.client, release.projectId);
    return readUser(release.bundle, rows[0] ?? []);
  });
  await options.epoch.refresh();
  return granted;
}

function refuseUnknown(release: ActiveRelease, roles: readonly string[]): void {
  const declared = new Set(release.bundle.roles.map((role) => role.name));
  // Everybody is public: it can neither be given nor taken away.
  declared.delete("public");
  const errors = roles
    .map((role, at) => ({ role, path: `/roles/${at}` }))
    .filter(({ role }) => !declared.has(role))
    .map(({ role, path }) => ({ path, code: "unknown_role", message: `No role "${role}" can be given.` }));
  if (errors.length > 0) throw new Fault("validation_failed", { errors });
}
