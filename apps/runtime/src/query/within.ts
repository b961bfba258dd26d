// Runs statements within an open transaction like the statements of a request. In: the transaction. Out: access to the
// same rows, while it is open. It commits nothing.
import {
  isRetryable,
  isTimeout,
  limitStatements,
  Overtaken,
  type TenantTransaction,
  takeLocks,
} from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Tenant, TenantRows } from "../project/tenant.ts";
import { busy } from "./database-faults.ts";
import { isBehind, isLocked } from "./repeated.ts";
import { undoable } from "./undoable.ts";

export interface WithinOptions {
  /** Whether a statement can be repeated if others overtook it. It is rolled back first. */
  readonly isRepeated: boolean;
  /** Whether the same few texts run for many records. */
  readonly isForMany?: boolean;
  /** Whether everything is rolled back at its end. */
  readonly isTried?: boolean;
  /** The maximum time after its first number, because all others wait for their numbers until it ends. */
  readonly numbersMsMax?: number;
}

export function within(open: TenantTransaction, options: WithinOptions): Tenant {
  const { isRepeated, isForMany = false, isTried = false, numbersMsMax = null } = options;
  let untilMs = Number.POSITIVE_INFINITY;
  const hold = async (numbers: readonly string[]): Promise<void> => {
    if (numbers.length === 0 || numbersMsMax === null || untilMs !== Number.POSITIVE_INFINITY) return;
    untilMs = Date.now() + numbersMsMax;
    await limitStatements(open.client, numbersMsMax);
  };
  return {
    ...(isTried && { tried: new Map<string, number>() }),
    run: async (statement) => {
      if (Date.now() > untilMs) throw heldTooLong();
      const run = (): Promise<TenantRows> => runWithin(open, statement, isForMany);
      try {
        const rows = await (isRepeated || statement.lock !== undefined ? undoable(open, run) : run());
        await hold(statement.numbers ?? []);
        return rows;
      } catch (error) {
        if (untilMs !== Number.POSITIVE_INFINITY && (isTimeout(error) || isLocked(error))) throw heldTooLong();
        throw isRetryable(error) || isLocked(error) ? behindOthers(error) : error;
      }
    },
  };
}

/** A repetition would take as long, so the cause isn't one for `isBehindOthers`. */
function heldTooLong(): Fault {
  const detail =
    "The operations after the first numbered record took too long, while other requests wait for their numbers. Send fewer operations, or send that record last.";
  return new Fault("conflict", { detail });
}

/**
 * Others hold locks that this transaction needs. Repeating the statement alone would fail again, so the cause is hidden
 * from the code that does. The whole transaction can be repeated.
 */
function behindOthers(cause: unknown): Fault {
  return busy(busy(cause));
}

/**
 * Whether the failed transaction had to give way to others, and can be repeated. Such a failure says nothing about the
 * request, so no step may handle it.
 */
export function isBehindOthers(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (isBehind(each)) return true;
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
  const toConfirm = confirm?.values(result.rows[0]) ?? null;
  if (confirm !== undefined && toConfirm !== null) {
    const [row] = (await open.query(confirm.text, [...toConfirm])).rows;
    if (row?.[0] === "t") throw new Overtaken();
  }
  return result;
}
