// Deletes old data: rows of mails, counts of past hours, and tokens that no longer work. Out: the number of deleted
// rows.
import type { Pool } from "pg";

const MAIL_DAYS = 30;
const BATCH_MAX = 5_000;

export async function sweepMail(pool: Pool): Promise<Readonly<Record<string, number>>> {
  const removed = async (table: string, condition: string): Promise<number> => {
    const { rowCount } = await pool.query(
      `DELETE FROM plinth.${table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM plinth.${table} WHERE ${condition} LIMIT ${BATCH_MAX}))`,
    );
    return rowCount ?? 0;
  };
  return {
    mails: await removed("emails", `created_at < now() - interval '${MAIL_DAYS} days'`),
    hours: await removed("email_hours", "hour < now() - interval '2 days'"),
    attempts: await removed("attempts", "ends_at < now()"),
    account_mails: await removed("account_mails", "expires_at < now() AND due_at < now()"),
    tokens: await removed("account_tokens", "expires_at < now()"),
  };
}
