// A change of organizations, their members or a user's chosen organization. In: the work in a transaction. Out: its
// result, after the commit.
import type { TenantTransaction } from "@plinth/postgres";
import type { ModuleContext } from "../../http/contracts.ts";
import { type CredentialsOptions, changeCredentials } from "../change-credentials.ts";
import { takeAttempt } from "../take-attempt.ts";
import { actingIn, type Change, writeChange } from "../write-change.ts";
import type { OrganizationLimits } from "./limits.ts";

export interface ChangeOptions extends CredentialsOptions {
  readonly limits: OrganizationLimits;
}

/** @throws Fault rate_limited, and the errors of the work. */
export async function change<T>(
  options: ChangeOptions,
  { projectId, principal }: ModuleContext,
  work: (open: TenantTransaction) => Promise<T>,
): Promise<T> {
  if (principal.kind === "user") {
    takeAttempt(
      options.limits.changes,
      `${projectId}/${principal.userId}`,
      "You have changed too many organizations. Try again later.",
    );
  }
  return changeCredentials(options, projectId, work);
}

/** Writes rows that belong to an organization: its members, its invitations. Returns the requested values, by row. */
export function writeWithin(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  written: Omit<Change, "entity" | "record">,
): ReturnType<typeof writeChange> {
  return writeChange(open, actingIn(context), { entity: "organization", record: { id: organizationId }, ...written });
}
