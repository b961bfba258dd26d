// Gives a project another secret to sign calls with. In: an admin's request. Out: the secret and its line in the audit log, in one
// transaction. The log says that it was changed, never what it is.
import type { ProjectScope } from "@plinth/postgres";
import type { ModuleContext } from "../../http/contracts.ts";
import type { CallSecrets } from "../../identity/call-secrets.ts";
import { actorOf } from "../audit.ts";

export async function rotateSecret(
  secrets: CallSecrets,
  scope: ProjectScope,
  { release, incoming, principal, projectId }: ModuleContext,
): Promise<void> {
  const actor = actorOf(principal);
  await scope.transaction(async (open) => {
    await open.query(
      `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
       VALUES ($1, $2, $3, 'rotate', 'signing_secret', NULL, '{}'::jsonb)`,
      [incoming.id, actor.kind, actor.id],
    );
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await secrets.rotate(open.client, projectId);
  });
}
