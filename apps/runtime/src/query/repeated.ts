// Runs a write again if another one was in its way. In: the write, and which failures mean that. Out: its result, or the
// last failure. It was rolled back each time, so nothing of it is left.
import { isForeignKeyViolation, isLockTimeout, isRetryable, isTimeout, LocksHeld, Overtaken } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { busy } from "./database-faults.ts";
import type { Statement } from "./statement.ts";

/** How often a statement runs if others keep overtaking it. */
export const TRIES_MAX = 4;

type IsObstacle = (cause: unknown) => boolean;

export async function repeated<Result>(write: () => Promise<Result>, isObstacle: IsObstacle): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (tries >= TRIES_MAX || !isObstacle(error instanceof Fault ? error.cause : error)) throw error;
    }
  }
}

/** Whether the write had to give way. */
export function isBehind(cause: unknown): boolean {
  return cause instanceof Overtaken || isRetryable(cause) || isLocked(cause);
}

/** Whether it waited too long for locks: the records are held, and the database itself isn't slow. */
export function isLocked(cause: unknown): boolean {
  return cause instanceof LocksHeld || isLockTimeout(cause);
}

/** For a statement that only locks. @throws the error, as one of those that `isLocked` and `isBehindOthers` know. */
export function heldUp(error: unknown): never {
  throw isTimeout(error) ? busy(new LocksHeld(error)) : error;
}

/** Also if a reference appeared or lost its target after the statement began: the next run finds it. */
export function isOverlooked(cause: unknown): boolean {
  return isBehind(cause) || isForeignKeyViolation(cause);
}

/** A statement that doesn't wait first rarely overlooks something, and in a transaction it can't run again. */
export function obstacleOf({ lock }: Statement): IsObstacle {
  return lock === undefined ? isBehind : isOverlooked;
}
