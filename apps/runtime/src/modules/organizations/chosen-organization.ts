// The organization in which a user's requests are made if they name none. In: a transaction, the user, their choice.
// Out: nothing. Only the user's own request can choose: if somebody else could choose for them, that organization would
// get their next records.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext } from "../../http/contracts.ts";
import { actingIn, writeChange } from "../write-change.ts";

/** Null: none. @throws Fault organization_forbidden if the user doesn't belong to it. */
export async function setChoice(
  open: TenantTransaction,
  context: ModuleContext,
  userId: string,
  organizationId: string | null,
): Promise<void> {
  const { schema } = context.release;
  const before = await lockChoice(open, schema, userId);
  if (organizationId === before) return;
  if (before !== null) {
    await open.query(`UPDATE ${schema}.memberships SET chosen = false WHERE user_id = $1::uuid AND chosen`, [userId]);
  }
  // The choice isn't part of the user's record, so its version stays.
  const mutation =
    organizationId === null
      ? `SELECT u.* FROM ${schema}.users u WHERE u.id = $1::uuid AND $2::uuid IS NULL`
      : `UPDATE ${schema}.memberships SET chosen = true WHERE user_id = $1::uuid AND organization_id = $2::uuid RETURNING *`;
  const rows = await writeChange(open, actingIn(context), {
    entity: "user",
    operation: "choose_organization",
    mutation,
    values: [userId, organizationId],
    record: { id: userId },
    changes: { organization_id: [before, organizationId] },
    events: [],
    returning: "true::text",
  });
  if (rows.length === 0) throw new Fault("organization_forbidden");
}

/**
 * For a user who creates an organization and has chosen none: it is their own, and nobody else can have influenced it.
 */
export async function chooseIfNone(
  open: TenantTransaction,
  context: ModuleContext,
  userId: string,
  organizationId: string,
): Promise<void> {
  if ((await lockChoice(open, context.release.schema, userId)) !== null) return;
  await setChoice(open, context, userId, organizationId);
}

/** Locks the user's row until the end, so that the later of two simultaneous choices counts. */
async function lockChoice(open: TenantTransaction, schema: string, userId: string): Promise<string | null> {
  await open.query(`SELECT 1 FROM ${schema}.users WHERE id = $1::uuid FOR NO KEY UPDATE`, [userId]);
  const { rows } = await open.query(
    `SELECT organization_id::text FROM ${schema}.memberships WHERE user_id = $1::uuid AND chosen`,
    [userId],
  );
  return rows[0]?.[0] ?? null;
}
