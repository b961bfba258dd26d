// One Plinth for each home. In: the home. Out: a lock, or a failure that names the process that holds it. A lock whose process
// is gone is taken over; a process id alone doesn't hold one, since ids are given again.
import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../failure.ts";

export interface HomeLock {
  /** Idempotent. */
  readonly release: () => void;
}

interface Holder {
  readonly pid: number;
  /** Of the process, in clock ticks since the machine's start; null where the system doesn't tell. */
  readonly processStart: string | null;
  readonly since: string;
}

/** A Plinth that was just told to stop may still hold it for a moment. */
const graceMs = 2500;

/** @throws CommandFailure where another process uses the home. */
export async function lockHome(home: string): Promise<HomeLock> {
  const isNew = mkdirSync(home, { recursive: true }) !== undefined;
  const file = join(home, "plinth.lock");
  const own: Holder = { pid: process.pid, processStart: startOf(process.pid), since: new Date().toISOString() };
  const text = JSON.stringify(own);
  const deadline = Date.now() + graceMs;
  for (;;) {
    if (create(file, text)) {
      return {
        release: () => {
          if (read(file) === text) rmSync(file, { force: true });
          if (isNew) removeIfEmpty(home);
        },
      };
    }
    const found = read(file);
    if (found === null) continue;
    const holder = parse(found);
    if (holder === null || !isAlive(holder)) takeAway(file, found);
    else if (Date.now() > deadline) throw inUse(home, holder);
    else await pause(100);
  }
}

/** What was made for the lock alone: nothing came of the start. */
function removeIfEmpty(home: string): void {
  try {
    rmdirSync(home);
  } catch {
    // It is in use by now.
  }
}

function inUse(home: string, { pid, since }: Holder): CommandFailure {
  return new CommandFailure(
    `${home} is in use by another Plinth (process ${pid}, since ${since}): stop that one, or set PLINTH_HOME to another folder`,
  );
}

/** Whole or not at all: a lock that is half written would be taken for a stale one. */
function create(file: string, text: string): boolean {
  const aside = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
  writeFileSync(aside, text, { mode: 0o600 });
  try {
    linkSync(aside, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Somebody else may have taken the stale one over meanwhile: what turns out to be theirs is put back. */
function takeAway(file: string, stale: string): void {
  const aside = `${file}.stale-${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    renameSync(file, aside);
    if (read(aside) !== stale) linkSync(aside, file);
  } catch {
    // Gone, or taken anew: the next round sees which.
  } finally {
    rmSync(aside, { force: true });
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

function parse(text: string): Holder | null {
  try {
    const { pid, processStart, since } = JSON.parse(text) as Holder;
    return Number.isInteger(pid) && pid > 0 ? { pid, processStart, since } : null;
  } catch {
    return null;
  }
}

function isAlive({ pid, processStart }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return processStart === null || startOf(pid) === processStart;
}

/** Null for a process that is gone, or dead and not yet waited for; and where there is no /proc. */
function startOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  // The program's name, in parentheses, may hold blanks.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined || fields[0] === "Z" ? null : (fields[19] ?? null);
}
