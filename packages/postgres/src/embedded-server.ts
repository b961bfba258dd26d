// The server as a process: initialise, start, find, stop. In: the folders of program and data. Out: a pid and a port.
// It never trusts a pid alone: a process is our server only if its working directory is the data folder.
import { execFile, spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  truncateSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import type { ServerPlace } from "./embedded-place.ts";
import type { ServerProgram } from "./embedded-program.ts";

const run = promisify(execFile);
const startMsMax = 60_000;
/** How often an adopted server is looked for. */
const goneMs = 250;
const logBytesMax = 10_000_000;

/** Sized for a laptop with other programs; crash recovery uses one syncfs instead of an fsync per file. */
const settingsOfOurs: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  password_encryption: "scram-sha-256",
  max_connections: "120",
  shared_buffers: "128MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  max_locks_per_transaction: "256",
  // Before a statement gives up its wait for a lock (a second), so that one of two goes on.
  deadlock_timeout: "100ms",
  max_wal_size: "1GB",
  wal_level: "minimal",
  max_wal_senders: "0",
  recovery_init_sync_method: "syncfs",
  jit: "off",
  log_timezone: "UTC",
  timezone: "UTC",
};

export async function initialise(
  program: ServerProgram,
  place: ServerPlace,
  data: string,
  passwordFile: string,
): Promise<void> {
  if (place.user !== null) chownSync(passwordFile, place.user.uid, place.user.gid);
  const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8"];
  const access = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  try {
    await run(program.initdb, [`--pgdata=${data}`, ...locale, ...access, "--no-instructions"], {
      cwd: place.folder,
      env: { LC_ALL: "C", PATH: "/usr/bin:/bin", TZ: "UTC" },
      ...(place.user ?? {}),
    });
  } catch (error) {
    throw new Error(`initdb failed: ${(error as { stderr?: string }).stderr?.trim()}`, { cause: error });
  }
}

export type ServerStart = {
  readonly program: ServerProgram;
  readonly place: ServerPlace;
  readonly data: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
};

export type SpawnedServer = {
  readonly pid: number;
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>;
};

/** Resolves when the server accepts connections. */
export async function spawnServer(start: ServerStart): Promise<SpawnedServer> {
  const settings = { ...settingsOfOurs, ...start.settings, port: String(start.port) };
  const logFile = path.join(start.place.folder, "postgres.log");
  const log = openLog(logFile);
  try {
    const child = spawn(
      start.program.postgres,
      ["-D", start.data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
      {
        cwd: start.place.folder,
        env: { LC_ALL: "C", PATH: "/usr/bin:/bin", TZ: "UTC" },
        stdio: ["ignore", log, log],
        // A session of its own: Ctrl-C in the terminal stops us, and we stop the server when we no longer need it.
        detached: true,
        ...(start.place.user ?? {}),
      },
    );
    const failure: { error: Error | null } = { error: null };
    child.once("error", (error) => {
      failure.error = error;
    });
    const onExit = (code: number | null): void => {
      failure.error = new Error(`The embedded Postgres ended at once (${code}):\n${tail(logFile)}`);
    };
    child.once("exit", onExit);
    const ended = new Promise<string>((done) => {
      child.once("exit", (code, signal) => done(signal ?? `exit code ${code}`));
    });
    child.unref();
    const until = Date.now() + startMsMax;
    while (Date.now() < until) {
      if (failure.error !== null) throw failure.error;
      const found = readPidFile(start.data);
      if (found !== null && found.pid === child.pid && found.ready) {
        child.off("exit", onExit);
        return { pid: found.pid, ended };
      }
      await sleep(20);
    }
    throw new Error(`The embedded Postgres was not ready after ${startMsMax} ms:\n${tail(logFile)}`);
  } finally {
    closeSync(log);
  }
}

/** The running server of this data, if there is one. */
export function runningServer(data: string): { pid: number; port: number } | null {
  const found = readPidFile(data);
  return found !== null && isServerOf(found.pid, data) ? { pid: found.pid, port: found.port } : null;
}

/** Resolves when the process has ended: there is no exit event for a server that somebody else started. */
export async function untilExited(pid: number, data: string): Promise<string> {
  while (isServerOf(pid, data)) await sleepQuietly(goneMs);
  return "it is gone";
}

/** A fast shutdown; after 15 s an immediate one, which costs a crash recovery and loses nothing committed. */
export async function stopServer(data: string, pid: number): Promise<void> {
  for (const [signal, waitMs] of [
    ["SIGINT", 15_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const) {
    if (!isServerOf(pid, data)) return;
    try {
      process.kill(pid, signal);
    } catch {
      // Gone between the two lines.
    }
    const until = Date.now() + waitMs;
    while (isServerOf(pid, data) && Date.now() < until) await sleep(10);
  }
}

/** Whether the server of these data answers in time. One that has just been killed may still look alive at first. */
export async function answersAt(connectionString: string, data: string, waitMs: number): Promise<boolean> {
  const until = Date.now() + waitMs;
  do {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      await client.query("SELECT 1");
      return true;
    } catch {
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  } while (Date.now() < until && runningServer(data) !== null);
  return false;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("No port")),
      );
    });
  });
}

export function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

/** postmaster.pid, line by line: pid, data directory, start, port, socket directory, address, memory key, status. */
function readPidFile(data: string): { pid: number; port: number; ready: boolean } | null {
  try {
    const lines = readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n");
    const pid = Number(lines[0]);
    const port = Number(lines[3]);
    if (!Number.isInteger(pid) || pid < 2 || !Number.isInteger(port)) return null;
    return { pid, port, ready: lines[7]?.trim() === "ready" };
  } catch {
    return null;
  }
}

function isServerOf(pid: number, data: string): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  try {
    // A zombie (a child that we have not waited for yet) has no working directory any more.
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
  } catch {
    return false;
  }
}

function openLog(file: string): number {
  try {
    if (statSync(file).size > logBytesMax) truncateSync(file, 0);
  } catch {
    // The first start.
  }
  return openSync(file, "a", 0o600);
}

function tail(file: string): string {
  // If somebody deletes the server's folder during its start, the first error is reported, not one about its log.
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(-15).join("\n").trim() : "";
}

/** Keeps no process alive. */
function sleepQuietly(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
