// A change that affects credentials: roles, memberships, sessions. In: the work in a transaction. Out: its result,
// after the commit. The epoch changes in the same transaction, so no replica uses the previous state for longer than a
// second.
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { bumpEpoch, type Epoch } from "../identity/epoch.ts";

export interface CredentialsOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly epoch: Epoch;
}

/** @param hasChanged Whether any credentials changed. Default: yes. */
export async function changeCredentials<T>(
  { scopeOf, epoch }: CredentialsOptions,
  projectId: string,
  work: (open: TenantTransaction) => Promise<T>,
  hasChanged: (done: T) => boolean = () => true,
): Promise<T> {
  const done = await scopeOf(projectId).transaction(async (open) => {
    const result = await work(open);
    if (!hasChanged(result)) return result;
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await bumpEpoch(open.client, projectId);
    return result;
  });
  if (hasChanged(done)) await epoch.refresh();
  return done;
}
