// Sets the roles of an end user. In: the user, the roles, and the caller. Out: the user, or a Fault.
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../../project/active-release.ts";
import { arrayLiteral } from "../../query/parameters.ts";
import { type CredentialsOptions, changeCredentials } from "../change-credentials.ts";
import { type Acting, writeChange } from "../write-change.ts";
import { readUser, type UserRecord, userColumns } from "./user-record.ts";

/** @throws Fault validation_failed (a role that the blueprint doesn't declare), not_found. */
export async function grantRoles(
  options: CredentialsOptions,
  acting: Acting,
  user: { readonly id: string } | { readonly email: string },
  wanted: readonly string[],
): Promise<UserRecord> {
  const { release } = acting;
  const roles = [...new Set(wanted)].sort();
  requireKnownRoles(release, roles);
  const [condition, value] = "id" in user ? ["u.id = $1::uuid", user.id] : ["u.email = $1", user.email.toLowerCase()];
  return changeCredentials(options, release.projectId, async (open) => {
    const found = await open.query(
      `SELECT u.id::text, array_to_json(u.roles)::text FROM ${release.schema}.users u WHERE ${condition} FOR UPDATE`,
      [value],
    );
    const [id, old] = found.rows[0] ?? [];
    if (id == null || old == null) throw new Fault("not_found");
    const before = JSON.parse(old) as readonly string[];
    const isChanged = JSON.stringify(before.toSorted()) !== JSON.stringify(roles);
    const rows = await writeChange(open, acting, {
      entity: "user",
      operation: "set_roles",
      mutation: `UPDATE ${release.schema}.users u SET roles = $2::text[], version = u.version + 1, updated_at = now()
        WHERE u.id = $1::uuid RETURNING u.*`,
      values: [id, arrayLiteral(roles)],
      record: "written",
      changes: { roles: [before, roles] },
      // Setting the same roles again changes nothing that a listener needs to know.
      events: isChanged
        ? [{ name: "user.roles_changed", old: { roles: before }, data: { roles, roles_before: before } }]
        : [],
      returning: userColumns(release, "_w"),
    });
    return readUser(release.bundle, rows[0] ?? []);
  });
}

/** A caller who can give roles may know their names. A message lists up to this number. */
const NAMED_MAX = 20;

/** @throws Fault validation_failed. */
export function requireKnownRoles(release: ActiveRelease, roles: readonly string[]): void {
  const declared = new Set(release.bundle.roles.map((role) => role.name));
  // Everybody has `public`: it can neither be given nor taken away.
  declared.delete("public");
  const named = [...declared].sort().slice(0, NAMED_MAX);
  const known = `These can be given: ${named.join(", ")}${declared.size > NAMED_MAX ? " and more" : ""}.`;
  const errors = roles
    .map((role, at) => ({ role, path: `/roles/${at}` }))
    .filter(({ role }) => !declared.has(role))
    .map(({ role, path }) => ({ path, code: "unknown_role", message: `The role "${role}" can't be given. ${known}` }));
  if (errors.length > 0) throw new Fault("validation_failed", { errors });
}
