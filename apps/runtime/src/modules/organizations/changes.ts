// A change of organizations, their members or their choice. In: what to do in a transaction. Out: what it answers, after the
// commit. The epoch moves in the same transaction: no replica believes an old membership for longer than a second.
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import type { ModuleContext } from "../../http/contracts.ts";
import { bumpEpoch, type Epoch } from "../../identity/epoch.ts";
import { type AuditEntry, actorOf, writeAudit } from "../audit.ts";
import { takeAttempt } from "../take-attempt.ts";
import type { OrganizationLimits } from "./limits.ts";

export interface ChangeOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly epoch: Epoch;
  readonly limits: OrganizationLimits;
}

/** @throws Fault rate_limited, and what the work throws. */
export async function change<T>(
  { scopeOf, epoch, limits }: ChangeOptions,
  { projectId, principal }: ModuleContext,
  work: (open: TenantTransaction) => Promise<T>,
): Promise<T> {
  if (principal.kind === "user") {
    takeAttempt(limits.changes, `${projectId}/${principal.userId}`, "Too many changes of organizations.");
  }
  const result = await scopeOf(projectId).transaction(async (open) => {
    const done = await work(open);
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await bumpEpoch(open.client, projectId);
    return done;
  });
  await epoch.refresh();
  return result;
}

/** The audit row of a change, in its transaction. */
export function audit(
  open: TenantTransaction,
  { incoming, principal, release }: ModuleContext,
  entry: Pick<AuditEntry, "operation" | "entity" | "recordId" | "changes">,
): Promise<void> {
  return writeAudit(open, release, { requestId: incoming.id, actor: actorOf(principal), ...entry });
}
