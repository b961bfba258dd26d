// A change that credentials depend on: roles, memberships, sessions. In: what to do in a transaction. Out: what it answers, after the
// commit. The epoch moves in the same transaction: no replica believes what was before for longer than a second.
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { bumpEpoch, type Epoch } from "../identity/epoch.ts";

export interface CredentialsOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly epoch: Epoch;
}

/** @param hasChanged Whether anybody's credentials did. Default: they did. */
export async function changeCredentials<T>(
  { scopeOf, epoch }: CredentialsOptions,
  projectId: string,
  work: (open: TenantTransaction) => Promise<T>,
  hasChanged: (done: T) => boolean = () => true,
): Promise<T> {
  const done = await scopeOf(projectId).transaction(async (open) => {
    const made = await work(open);
    if (!hasChanged(made)) return made;
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await bumpEpoch(open.client, projectId);
    return made;
  });
  if (hasChanged(done)) await epoch.refresh();
  return done;
}
