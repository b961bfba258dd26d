// One Plinth for each home. In: the home. Out: a lock, or a failure that names the process that holds it.
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../failure.ts";
import { type Holder, type ProcessLock, tryLock } from "./process-lock.ts";

/** A Plinth that is being stopped may still hold the lock for a moment. */
const graceMs = 2500;

/** @throws CommandFailure if another process uses the home. */
export async function lockHome(home: string): Promise<ProcessLock> {
  const isNew = mkdirSync(home, { recursive: true }) !== undefined;
  const deadline = Date.now() + graceMs;
  for (;;) {
    const lock = tryLock(join(home, "plinth.lock"));
    if ("release" in lock) {
      return {
        release: () => {
          lock.release();
          if (isNew) removeIfEmpty(home);
        },
      };
    }
    if (Date.now() > deadline) throw inUse(home, lock);
    await pause(100);
  }
}

/** Folders that were created only for the lock: the start has failed. */
function removeIfEmpty(home: string): void {
  try {
    rmdirSync(home);
  } catch {
    // It is in use now.
  }
}

function inUse(home: string, { pid, since }: Holder): CommandFailure {
  return new CommandFailure(
    `${home} is in use by another Plinth (process ${pid}, since ${since}): stop that one, or set PLINTH_HOME to another folder`,
  );
}
