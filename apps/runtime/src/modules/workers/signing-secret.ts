// Audits who read and who changed the secret that signs a project's calls. In: an admin's request. Out: a line in the
// audit log, and a new secret in the same transaction. The log never contains the secret.
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import type { ModuleContext } from "../../http/contracts.ts";
import type { CallSecrets } from "../../identity/call-secrets.ts";
import { actorOf } from "../audit.ts";

export async function rotateSecret(secrets: CallSecrets, scope: ProjectScope, context: ModuleContext): Promise<void> {
  await scope.transaction(async (open) => {
    await note(open, context, "rotate");
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await secrets.rotate(open.client, context.projectId);
  });
}

/** Committed before the secret is returned, because its holder can impersonate the project. */
export async function noteReading(scope: ProjectScope, context: ModuleContext): Promise<void> {
  await scope.transaction((open) => note(open, context, "read"));
}

async function note(
  open: TenantTransaction,
  { release, incoming, principal }: ModuleContext,
  operation: "read" | "rotate",
): Promise<void> {
  const actor = actorOf(principal);
  await open.query(
    `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
     VALUES ($1, $2, $3, $4, 'signing_secret', NULL, '{}'::jsonb)`,
    [incoming.id, actor.kind, actor.id, operation],
  );
}
