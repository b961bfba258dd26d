// A file that one process holds. In: its path. Out: a lock, or the process that holds it. The lock of a process that has
// ended is taken over. A lock also stores the start of its process, since process ids are reused.
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

export interface ProcessLock {
  /** Idempotent. */
  readonly release: () => void;
}

export interface Holder {
  readonly pid: number;
  /** The start of the process, in clock ticks since the machine's start. Null if the system doesn't report it. */
  readonly processStart: string | null;
  readonly since: string;
}

/** Its folder must exist. Out: the lock, or its holder, which is another running process or this one. */
export function tryLock(file: string): ProcessLock | Holder {
  const own: Holder = { pid: process.pid, processStart: startOf(process.pid), since: new Date().toISOString() };
  const text = JSON.stringify({ ...own, key: randomBytes(4).toString("hex") });
  for (;;) {
    if (create(file, text)) {
      return {
        release: () => {
          if (read(file) === text) rmSync(file, { force: true });
        },
      };
    }
    const found = read(file);
    if (found === null) continue;
    const holder = parse(found);
    if (holder !== null && isAlive(holder)) return holder;
    takeAway(file, found);
  }
}

/** The file is complete or missing: a half-written lock would look stale. */
function create(file: string, text: string): boolean {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
  writeFileSync(temporary, text, { mode: 0o600 });
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Another process may have taken over the stale lock in the meantime. If so, its lock is put back. */
function takeAway(file: string, stale: string): void {
  const temporary = `${file}.stale-${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    renameSync(file, temporary);
    if (read(temporary) !== stale) linkSync(temporary, file);
  } catch {
    // The lock was removed or taken again. The next round finds out.
  } finally {
    rmSync(temporary, { force: true });
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

/** Null for a process that has ended, even if its parent has not waited for it, and on systems without /proc. */
function startOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  // The program's name, in parentheses, can contain spaces.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined || fields[0] === "Z" ? null : (fields[19] ?? null);
}
