// A change of organizations, their members or their choice. In: what to do in a transaction. Out: what it answers, after the commit.
import type { TenantTransaction } from "@plinth/postgres";
import type { ModuleContext } from "../../http/contracts.ts";
import { type CredentialsOptions, changeCredentials } from "../change-credentials.ts";
import { takeAttempt } from "../take-attempt.ts";
import { actingIn, type Change, writeChange } from "../write-change.ts";
import type { OrganizationLimits } from "./limits.ts";

export interface ChangeOptions extends CredentialsOptions {
  readonly limits: OrganizationLimits;
}

/** @throws Fault rate_limited, and what the work throws. */
export async function change<T>(
  options: ChangeOptions,
  { projectId, principal }: ModuleContext,
  work: (open: TenantTransaction) => Promise<T>,
): Promise<T> {
  if (principal.kind === "user") {
    takeAttempt(options.limits.changes, `${projectId}/${principal.userId}`, "Too many changes of organizations.");
  }
  return changeCredentials(options, projectId, work);
}

/** What belongs to an organization is written: its members, its invitations. Out: the values that it asks for, by row. */
export function writeWithin(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  written: Omit<Change, "entity" | "record">,
): ReturnType<typeof writeChange> {
  return writeChange(open, actingIn(context), { entity: "organization", record: { id: organizationId }, ...written });
}
