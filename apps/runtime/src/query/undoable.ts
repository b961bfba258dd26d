// A part of a transaction that can be undone alone. In: an open transaction and the part. Out: what it gives; where it throws, the
// transaction is as it was before, and goes on.
import type { TenantTransaction } from "@plinth/postgres";

/** Savepoints of one name nest: Postgres goes back to the innermost. */
export async function undoable<Result>(open: TenantTransaction, work: () => Promise<Result>): Promise<Result> {
  await open.client.query("SAVEPOINT _part");
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    // A connection that was lost has nothing to go back to: the error that says so is the one to tell.
    await open.client.query("ROLLBACK TO SAVEPOINT _part").catch(() => {});
    await open.client.query("RELEASE SAVEPOINT _part").catch(() => {});
    throw error;
  }
  await open.client.query("RELEASE SAVEPOINT _part");
  return result;
}
