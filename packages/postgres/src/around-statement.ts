// Runs SQL before and after a statement in its transaction, each with its own snapshot: locks, and a check for changes
// that the statement did not see. In: SQL, and a connection in a transaction. Out: nothing, or Overtaken.
import { isTimeout } from "./errors.ts";
import type { RawResult } from "./lane-statement.ts";
import type { RawRow } from "./row-bytes.ts";

type Query = (text: string, values: readonly unknown[]) => Promise<RawResult>;

/** Locks rows, and returns their identity as its first column. */
export type RowLock = {
  readonly text: string;
  readonly values: readonly unknown[];
  /** While it waits, others can change which rows are concerned: it is repeated until it finds the same ones. */
  readonly mayChange: boolean;
};

/** A check for changes that others committed while the statement waited for locks. */
export type Confirmation = {
  /** Its first column is true if the statement missed a change: everything is then rolled back. */
  readonly text: string;
  /** From the statement's own row; null if there is nothing to check. */
  readonly values: (row: RawRow | undefined) => readonly unknown[] | null;
};

/** Others have made changes meanwhile: the statement was rolled back and can run again. */
export class Overtaken extends Error {
  constructor() {
    super("A statement did not see what others committed while it waited");
    this.name = "Overtaken";
  }
}

/** Others hold the locks. Several waits can exceed the limit of a statement before one exceeds the limit of a lock. */
export class LocksHeld extends Error {
  constructor(cause: unknown) {
    super("A statement waited too long for locks that others hold", { cause });
    this.name = "LocksHeld";
  }
}

const LOCKED_AGAIN_MAX = 4;

/** @throws Overtaken if others keep changing which rows to lock. LocksHeld if they hold them for too long. */
export async function takeLocks({ text, values, mayChange }: RowLock, query: Query): Promise<void> {
  const lockedNow = async (): Promise<string> => {
    const { rows } = await query(text, values).catch((error: unknown) => {
      throw isTimeout(error) ? new LocksHeld(error) : error;
    });
    return rows.map(([id]) => id).join(",");
  };
  let before = await lockedNow();
  for (let again = 0; mayChange; again++) {
    const now = await lockedNow();
    if (now === before) return;
    if (again >= LOCKED_AGAIN_MAX) throw new Overtaken();
    before = now;
  }
}

/** @throws Overtaken if the statement missed changes that others committed meanwhile. */
export async function confirmed(confirm: Confirmation | undefined, result: RawResult, query: Query): Promise<void> {
  const values = confirm?.values(result.rows[0]) ?? null;
  if (confirm === undefined || values === null) return;
  const [row] = (await query(confirm.text, values)).rows;
  if (row?.[0] === "t") throw new Overtaken();
}
