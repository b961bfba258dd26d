// Runs statements within a transaction that is open, as a request's statements run for themselves. In: the transaction. Out: a door
// to the same rows, for as long as it is open. It commits nothing.
import { isRetryable, Overtaken, type TenantTransaction, takeLocks } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Tenant, TenantRows } from "../project/tenant.ts";
import { undoable } from "./undoable.ts";

export interface WithinOptions {
  /** Whether a statement may be run again where others overtook it: it is undone first. */
  readonly isRepeated: boolean;
  /** Whether the same few texts are run for many records. */
  readonly isForMany?: boolean;
}

export function within(open: TenantTransaction, { isRepeated, isForMany = false }: WithinOptions): Tenant {
  return {
    run: async (statement) => {
      const run = (): Promise<TenantRows> => runWithin(open, statement, isForMany);
      try {
        return await (isRepeated || statement.lock !== undefined ? undoable(open, run) : run());
      } catch (error) {
        throw isRetryable(error) ? new BehindOthers(error) : error;
      }
    },
  };
}

/**
 * Others wait for what this transaction has locked: the statement alone would meet them again, so it is the whole that may be begun
 * again.
 */
class BehindOthers extends Fault {
  constructor(cause: unknown) {
    const detail = "Another request changed the same records; try again.";
    super("unavailable", { detail, headers: { "retry-after": "1" }, cause: new Fault("unavailable", { cause }) });
  }
}

/** Whether the transaction that failed so may be begun again. */
export function isBehindOthers(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof Overtaken || isRetryable(each)) return true;
  }
  return false;
}

async function runWithin(
  open: TenantTransaction,
  { text, values, bytesMax, lock, confirm }: Parameters<Tenant["run"]>[0],
  isForMany: boolean,
): Promise<TenantRows> {
  if (lock !== undefined) await takeLocks(lock, (locking, ids) => open.query(locking, [...ids]));
  const result = isForMany ? await open.repeat(text, values) : await open.query(text, [...values], bytesMax);
  const asked = confirm?.values(result.rows[0]) ?? null;
  if (confirm !== undefined && asked !== null) {
    const [row] = (await open.query(confirm.text, [...asked])).rows;
    if (row?.[0] === "t") throw new Overtaken();
  }
  return result;
}
