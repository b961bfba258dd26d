// A folder for each test run, with the id of its process. In: nothing. Out: a folder. It never removes the folder of a
// running process.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { freemem, tmpdir } from "node:os";
import path from "node:path";
import { stopEmbeddedServer } from "@plinth/postgres/embedded";

export type RunFolder = {
  readonly folder: string;
  /** Shared by all runs: the server's program, copied once. */
  readonly programFolder: string;
  remove(): void;
};

export function makeRunFolder(): RunFolder {
  const root = rootIn(hasRoom(MEMORY) ? MEMORY : tmpdir());
  const folder = path.join(root, `run-${process.pid}-${Date.now().toString(36)}`);
  // If we are root, the server's user can enter it but not list it.
  mkdirSync(folder, { mode: 0o711 });
  writeFileSync(path.join(folder, "owner"), JSON.stringify({ pid: process.pid, since: startOf(process.pid) }));
  return {
    folder,
    programFolder: path.join(rootIn(tmpdir()), "program"),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/** Stops the servers of runs that were killed, and removes their data. */
export async function sweepDeadRuns(): Promise<void> {
  const roots = [tmpdir(), ...(existsSync(MEMORY) ? [MEMORY] : [])].map(rootIn);
  const folders = roots.flatMap((root) => readdirSync(root).map((name) => path.join(root, name)));
  for (const folder of folders.filter((each) => path.basename(each).startsWith("run-"))) {
    if (ownerLives(folder)) continue;
    const server = path.join(folder, "server");
    if (existsSync(server)) await stopEmbeddedServer(server);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/**
 * A file system in memory, on Linux. A run creates and removes hundreds of databases; on a disk, the file system needs
 * more time for their thousands of files than Postgres does.
 */
const MEMORY = "/dev/shm";
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * It is often 64 MB in a container. Programs can't use the memory that it takes, so the same amount must remain free.
 */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ROOM_BYTES && freemem() >= 2 * ROOM_BYTES;
}

function rootIn(parent: string): string {
  const root = path.join(parent, `plinth-testkit-${process.getuid?.() ?? "user"}`);
  mkdirSync(root, { recursive: true, mode: 0o711 });
  // In a folder that everybody can write to, somebody else may have created it first.
  if (statSync(root).uid !== (process.getuid?.() ?? statSync(root).uid))
    throw new Error(`${root} belongs to another user`);
  chmodSync(root, 0o711);
  return root;
}

function ownerLives(folder: string): boolean {
  try {
    const owner = JSON.parse(readFileSync(path.join(folder, "owner"), "utf8")) as { pid: number; since: string | null };
    process.kill(owner.pid, 0);
    return owner.since === startOf(owner.pid);
  } catch (error) {
    // A folder that was just created has no owner file yet.
    return (error as NodeJS.ErrnoException).code === "ENOENT" && Date.now() - statSync(folder).ctimeMs < 5_000;
  }
}

/** The start time of a process, in clock ticks: distinguishes it from a later process with the same id. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
