// Users that an operator has disabled. In: an open transaction and a user. Out: whether they are disabled, or a Fault.
// The state is in the cell's own tables, where no rule or statement of the project can change it.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool } from "pg";

export interface Disabled {
  /** RFC 3339. */
  readonly at: string;
  readonly by: string;
}

/** @returns the disabled users among the given ones, by id. */
export async function disabledAmong(
  pool: Pool,
  projectId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Disabled>> {
  const { rows } = await pool.query<{ user_id: string; at: Date; disabled_by: string }>(
    "SELECT user_id, at, disabled_by FROM plinth.disabled_users WHERE project_id = $1 AND user_id = ANY ($2::uuid[])",
    [projectId, userIds],
  );
  return new Map(rows.map(({ user_id, at, disabled_by }) => [user_id, { at: at.toISOString(), by: disabled_by }]));
}

/**
 * The last step of a transaction that signs a user in, under `lockAccount`, because the worker role can't read the
 * table. @throws Fault forbidden.
 */
export async function refuseDisabled(open: TenantTransaction, projectId: string, userId: string): Promise<void> {
  await open.client.query("SET LOCAL ROLE NONE");
  const { rowCount } = await open.client.query(
    "SELECT FROM plinth.disabled_users WHERE project_id = $1 AND user_id = $2::uuid",
    [projectId, userId],
  );
  if (rowCount !== 0) throw new Fault("forbidden", { detail: "This account is disabled." });
}

/** The last step of its transaction, as above. @returns whether that changed anything. */
export async function markDisabled(
  open: TenantTransaction,
  projectId: string,
  userId: string,
  by: string | null,
): Promise<boolean> {
  await open.client.query("SET LOCAL ROLE NONE");
  const { rowCount } =
    by === null
      ? await open.client.query("DELETE FROM plinth.disabled_users WHERE project_id = $1 AND user_id = $2::uuid", [
          projectId,
          userId,
        ])
      : await open.client.query(
          `INSERT INTO plinth.disabled_users (project_id, user_id, disabled_by) VALUES ($1, $2::uuid, $3)
           ON CONFLICT DO NOTHING`,
          [projectId, userId, by],
        );
  return rowCount === 1;
}
