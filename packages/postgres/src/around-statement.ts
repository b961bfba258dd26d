// What runs before and after a statement in its transaction, each with a snapshot of its own: locks for what it must not overtake, and
// a look at what it has missed. In: SQL, and a connection in a transaction. Out: nothing, or Overtaken.
import type { RawResult } from "./lane-statement.ts";
import type { RawRow } from "./row-bytes.ts";

type Query = (text: string, values: readonly unknown[]) => Promise<RawResult>;

/** Locks rows, and returns what tells them apart as its first column. */
export type RowLock = {
  readonly text: string;
  readonly values: readonly unknown[];
  /** While it waits, others may change which rows it is about: it is asked again until it finds the same ones. */
  readonly mayChange: boolean;
};

/** A look at what others have committed while the statement waited for their locks. */
export type Confirmation = {
  /** Its first column is true where the statement has missed something: all of it is undone then. */
  readonly text: string;
  /** From the statement's own row; null where there is nothing to ask. */
  readonly values: (row: RawRow | undefined) => readonly unknown[] | null;
};

/** Others have come in between: the statement was undone, and may be run again. */
export class Overtaken extends Error {
  constructor() {
    super("A statement did not see what others committed while it waited");
    this.name = "Overtaken";
  }
}

const LOCKED_AGAIN_MAX = 4;

/** @throws Overtaken where others keep changing which rows are to be locked. */
export async function takeLocks({ text, values, mayChange }: RowLock, query: Query): Promise<void> {
  const lockedNow = async (): Promise<string> => (await query(text, values)).rows.map(([id]) => id).join(",");
  let before = await lockedNow();
  for (let again = 0; mayChange; again++) {
    const now = await lockedNow();
    if (now === before) return;
    if (again >= LOCKED_AGAIN_MAX) throw new Overtaken();
    before = now;
  }
}

/** @throws Overtaken where the statement has missed what others committed meanwhile. */
export async function confirmed(confirm: Confirmation | undefined, result: RawResult, query: Query): Promise<void> {
  const values = confirm?.values(result.rows[0]) ?? null;
  if (confirm === undefined || values === null) return;
  const [row] = (await query(confirm.text, values)).rows;
  if (row?.[0] === "t") throw new Overtaken();
}
