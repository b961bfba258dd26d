// Runs a part of a transaction that can be rolled back separately. In: an open transaction and the part. Out: its
// result. If it throws, the transaction continues in the state before the part.
import type { TenantTransaction } from "@plinth/postgres";

/** Savepoints of one name nest: Postgres returns to the innermost. */
export async function undoable<Result>(open: TenantTransaction, work: () => Promise<Result>): Promise<Result> {
  await open.client.query("SAVEPOINT _part");
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    // After a lost connection there is nothing to roll back. The first error is the one to report.
    await open.client.query("ROLLBACK TO SAVEPOINT _part").catch(() => {});
    await open.client.query("RELEASE SAVEPOINT _part").catch(() => {});
    throw error;
  }
  await open.client.query("RELEASE SAVEPOINT _part");
  return result;
}
