// An embedded Postgres for one machine. In: a state home. Out: a running server with our two databases. It listens only
// on 127.0.0.1, always has a password, and never starts a second server on the same data. If our process dies, the
// server keeps running, and the next start finds it by its postmaster.pid.
import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Logger } from "@plinth/service";
import { type DatabaseSecrets, loadDatabaseSecrets, saveDatabaseSecrets } from "./database-secrets.ts";
import { findPlace, type ServerPlace } from "./embedded-place.ts";
import { installProgram, type ServerProgram } from "./embedded-program.ts";
import {
  answersAt,
  freePort,
  initialise,
  portIsFree,
  runningServer,
  spawnServer,
  stopServer,
  untilExited,
} from "./embedded-server.ts";
import { prepareDatabases } from "./prepare-databases.ts";

export { type DatabaseSecrets, loadDatabaseSecrets } from "./database-secrets.ts";
export { type DatabaseUrls, type OwnedDatabase, prepareDatabase, prepareDatabases } from "./prepare-databases.ts";

export type EmbeddedOptions = {
  /** The state home; made when missing. Its secrets.json holds the port and the passwords. */
  readonly home: string;
  readonly logger: Logger;
  /** Server settings, in addition to ours or instead of them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder of the program; by default next to the data. */
  readonly programFolder?: string;
  /** The port of the last start, or an error: other programs already have its address. */
  readonly samePort?: boolean;
};

export type EmbeddedServer = {
  readonly adminUrl: string;
  readonly port: number;
  readonly pid: number;
  /** The folder with program, data and log. */
  readonly folder: string;
  /** True if the server was already running. */
  readonly adopted: boolean;
  /** Resolves with the reason when the server has ended, for any reason. */
  readonly ended: Promise<string>;
  /** Ends sessions, writes a checkpoint, and resolves when the process is gone. Idempotent. */
  stop(): Promise<void>;
};

export type EmbeddedPostgres = EmbeddedServer & {
  readonly urls: { readonly admin: string; readonly control: string; readonly cell: string };
};

export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedServer(options);
  const urls = await prepareDatabases(server.adminUrl, loadDatabaseSecrets(options.home));
  return { ...server, urls: { admin: server.adminUrl, ...urls } };
}

/** The server alone, without our databases. */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { home, logger } = options;
  const secrets = loadDatabaseSecrets(home);
  const place = findPlace(home);
  const data = path.join(place.folder, "data");

  const running = runningServer(data);
  if (running !== null) {
    const adminUrl = adminUrlOf(secrets, running.port);
    if (await answersAt(adminUrl, data, 5_000)) {
      logger.info({ port: running.port }, "connected to the running embedded Postgres");
      if (secrets.port !== running.port) saveDatabaseSecrets(home, { ...secrets, port: running.port });
      const ended = untilExited(running.pid, data);
      return server({ ...running, adminUrl, data, folder: place.folder, adopted: true, ended });
    }
    logger.warn({ pid: running.pid }, "the running embedded Postgres does not answer: starting a new one");
    await stopServer(data, running.pid);
  }

  const program = installProgram(options.programFolder ?? place.folder);
  if (!existsSync(path.join(data, "PG_VERSION"))) await makeData(program, place, data, secrets, logger);
  const port = await choosePort(secrets.port, options.samePort === true);
  if (port !== secrets.port) saveDatabaseSecrets(home, { ...secrets, port });
  const { pid, ended } = await spawnServer({ program, place, data, port, settings: options.settings ?? {} });
  const adminUrl = adminUrlOf(secrets, port);
  if (!(await answersAt(adminUrl, data, 10_000))) {
    await stopServer(data, pid);
    throw new Error(`The embedded Postgres does not answer. Its log is ${path.join(place.folder, "postgres.log")}`);
  }
  logger.info({ port }, "embedded Postgres is ready");
  return server({ adminUrl, data, folder: place.folder, pid, port, adopted: false, ended });
}

async function choosePort(last: number | null, samePort: boolean): Promise<number> {
  if (last !== null && (await portIsFree(last))) return last;
  if (last !== null && samePort) throw new Error(`Port ${last} of the embedded Postgres is in use by another program`);
  return freePort();
}

/** Stops the server of a state home, whichever process started it. Does nothing if none runs. */
export async function stopEmbeddedServer(home: string): Promise<void> {
  const data = path.join(findPlace(home).folder, "data");
  const running = runningServer(data);
  if (running !== null) await stopServer(data, running.pid);
}

/** Stops the server of a state home and removes its program, data and log, wherever they are. For tests and resets. */
export async function removeEmbeddedServer(home: string): Promise<void> {
  await stopEmbeddedServer(home);
  rmSync(findPlace(home).folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

async function makeData(
  program: ServerProgram,
  place: ServerPlace,
  data: string,
  secrets: DatabaseSecrets,
  logger: Logger,
): Promise<void> {
  logger.info({ folder: place.folder }, "creating the embedded Postgres");
  // The rest of an interrupted initdb (there is no PG_VERSION) is useless and would prevent the next one.
  rmSync(data, { recursive: true, force: true });
  const passwordFile = path.join(place.folder, `.password-${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(passwordFile, `${secrets.adminPassword}\n`, { mode: 0o600 });
    await initialise(program, place, data, passwordFile);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function server(found: Omit<EmbeddedServer, "stop"> & { readonly data: string }): EmbeddedServer {
  let stopped: Promise<void> | null = null;
  const { data, ...rest } = found;
  return {
    ...rest,
    stop() {
      stopped ??= stopServer(data, found.pid).then(() => keepingAlive(found.ended));
      return stopped;
    },
  };
}

/**
 * Waits for a server that keeps no process alive. Without this, Node would end a process that has nothing else to do in
 * the middle of its own stop.
 */
async function keepingAlive(ended: Promise<unknown>): Promise<void> {
  const alive = setInterval(() => {}, 60_000);
  await ended.finally(() => clearInterval(alive));
}

function adminUrlOf(secrets: DatabaseSecrets, port: number): string {
  return `postgres://postgres:${secrets.adminPassword}@127.0.0.1:${port}/postgres`;
}
