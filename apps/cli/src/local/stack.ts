// Everything on one machine. In: settings. Out: database, runtime, control API and console, each with only the environment that
// it needs, and one function that stops them in order. It never deletes data.
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type DatabaseUrls,
  type EmbeddedServer,
  loadDatabaseSecrets,
  prepareDatabases,
  startEmbeddedServer,
} from "@plinth/postgres/embedded";
import { createLogger, leanNodeFlags } from "@plinth/service";
import { CommandFailure, messageOf } from "../failure.ts";
import { keepLogBounded } from "./bounded-log.ts";
import { serveBuildingPage } from "./building-page.ts";
import { buildConsole } from "./console-build.ts";
import { lockHome } from "./home-lock.ts";
import { type ChosenPorts, choosePorts } from "./ports.ts";
import { removeRunning, writeRunning } from "./running.ts";
import { loadConsoleSecret, loadServiceSecrets, type ServiceSecrets } from "./secrets.ts";
import { logTail, type ServiceSpec, servicePart } from "./service-process.ts";
import { type LocalSettings, localUrl, mailboxFolder, type Ports, repository } from "./settings.ts";
import { type Part, type Supervised, supervise } from "./supervise.ts";
import { watchMailbox } from "./watch-mailbox.ts";

export interface Stack {
  readonly controlUrl: string;
  /** API and control API answer. */
  readonly dataPlaneReady: Promise<void>;
  /** The console answers too. */
  readonly ready: Promise<void>;
  /** Idempotent. Also works while it is still starting. */
  readonly stop: () => Promise<void>;
}

interface StackSettings extends LocalSettings {
  readonly ports: Ports;
}

/** Resolves when all checks before the start have passed. @throws CommandFailure if the home or a port is in use. */
export async function startStack(wanted: LocalSettings, progress: (line: string) => void): Promise<Stack> {
  const lock = await lockHome(wanted.home);
  let ports: ChosenPorts;
  try {
    ports = await choosePorts(wanted.ports);
  } catch (error) {
    lock.release();
    throw error;
  }
  const settings: StackSettings = { ...wanted, ports };
  const controlUrl = localUrl(ports.control);
  writeRunning(settings.home, { control: controlUrl, console: settings.urls.console });
  const running: { stop: () => unknown }[] = [];
  let stopped: Promise<void> | null = null;
  const keep = <Kept extends { stop: () => unknown }>(part: Kept): Kept => {
    running.push(part);
    return part;
  };
  const start = (part: Part): Supervised => keep(supervise(part, progress));

  // Started first, because it takes longest. The data plane does not wait for it.
  const build = keep(buildConsole(settings.passedOn, logFile(settings, "console-build")));
  build.finished.catch(() => {});
  keep(watchMailbox(mailboxFolder(settings), progress));
  const buildingPage = keep(await serveBuildingPage(settings.ports.console));

  const dataPlaneReady = (async () => {
    const started = Date.now();
    progress(settings.databaseUrl === null ? "Starting the embedded Postgres ..." : "Preparing the databases ...");
    const databases = await openDatabases(settings, start);
    if (stopped !== null) return;
    progress("Starting the runtime and the control API ...");
    const secrets = loadServiceSecrets(settings.home);
    const specs = [runtimeSpec(settings, databases, secrets), controlSpec(settings, databases, secrets)];
    const parts = specs.map((spec) => start(servicePart(spec)));
    await Promise.all(parts.map((part) => part.ready));
    progress(`The API is ready at ${settings.urls.api} (${seconds(started)}).`);
  })();

  const ready = (async () => {
    await dataPlaneReady;
    const started = Date.now();
    const note = setTimeout(
      () => progress("Building the console (after a change of its sources; up to a minute). The API already answers."),
      1500,
    );
    await build.finished.finally(() => clearTimeout(note));
    if (stopped !== null) return;
    await buildingPage.stop();
    await start(servicePart(consoleSpec(settings))).ready;
    progress(`The console is ready at ${settings.urls.console} (${seconds(started)}).`);
  })();
  ready.catch(() => {});

  const stopAll = async (): Promise<void> => {
    // Newest first: the console before the services, and the database last.
    try {
      for (const part of running.splice(0).reverse()) await part.stop();
    } finally {
      removeRunning(settings.home);
      ports.release();
      lock.release();
    }
  };
  return {
    controlUrl,
    dataPlaneReady,
    ready,
    stop: () => {
      stopped ??= stopAll();
      return stopped;
    },
  };
}

async function openDatabases(settings: LocalSettings, start: (part: Part) => Supervised): Promise<DatabaseUrls> {
  try {
    if (settings.databaseUrl !== null) {
      return await prepareDatabases(settings.databaseUrl, loadDatabaseSecrets(settings.home));
    }
    const embedded = embeddedPart(settings);
    await start(embedded).ready;
    return await prepareDatabases(embedded.adminUrl(), loadDatabaseSecrets(settings.home));
  } catch (cause) {
    const where = settings.databaseUrl === null ? "The embedded Postgres" : "The database of DATABASE_URL";
    throw new CommandFailure(`${where} can't be used: ${messageOf(cause)}`, 1, { cause });
  }
}

/** Clients store its address at the first start, so later starts keep it. */
function embeddedPart(settings: LocalSettings): Part & { readonly adminUrl: () => string } {
  const ownLog = logFile(settings, "postgres");
  const serverLog = ({ folder }: EmbeddedServer): string => join(folder, "postgres.log");
  const logger = createLogger({ name: "postgres", destination: logStream(ownLog) });
  let last: EmbeddedServer | null = null;
  return {
    name: "embedded Postgres",
    start: async () => {
      last = await startEmbeddedServer({ home: settings.home, logger, samePort: last !== null });
      const stopBounding = [ownLog, serverLog(last)].map((file) => keepLogBounded(file));
      void last.ended.then(() => {
        for (const stop of stopBounding) stop();
      });
      return last;
    },
    logTail: () => (last === null ? "" : logTail(serverLog(last))),
    adminUrl: () => last?.adminUrl ?? "",
  };
}

function runtimeSpec(settings: StackSettings, databases: DatabaseUrls, secrets: ServiceSecrets): ServiceSpec {
  return {
    name: "runtime",
    args: [...leanNodeFlags, join(repository, "apps/runtime/src/main.ts"), "all"],
    cwd: repository,
    env: {
      ...common(settings),
      CELL_DATABASE_URL: databases.cell,
      PLINTH_API_HOST: settings.apiHost,
      PLINTH_API_PORT: String(settings.ports.api),
      PLINTH_INTERNAL_PORT: String(settings.ports.internal),
      PLINTH_PUBLIC_API_URL: settings.urls.api,
      PLINTH_CELL_SECRET: secrets.cell,
      PLINTH_CONTROL_PUBLIC_KEYS: secrets.controlKeys.publicKey,
      PLINTH_MAILBOX: "on",
      ...settings.limits,
      PLINTH_KEK: secrets.keyEncryptionKey,
      PLINTH_TRUSTED_PROXIES: settings.trustedProxies,
    },
    logFile: logFile(settings, "runtime"),
    readyUrl: `${settings.urls.api}/readyz`,
    readyMsMax: 60_000,
  };
}

function controlSpec(settings: StackSettings, databases: DatabaseUrls, secrets: ServiceSecrets): ServiceSpec {
  return {
    name: "control API",
    args: [join(repository, "apps/control/src/main.ts")],
    cwd: repository,
    env: {
      ...common(settings),
      CONTROL_DATABASE_URL: databases.control,
      PLINTH_CONTROL_PORT: String(settings.ports.control),
      PLINTH_CONTROL_URL: localUrl(settings.ports.control),
      PLINTH_CONSOLE_URL: settings.urls.console,
      PLINTH_PUBLIC_API_URL: settings.urls.api,
      PLINTH_CELL_URL: localUrl(settings.ports.internal),
      PLINTH_CELL_SECRET: secrets.cell,
      PLINTH_SIGNING_KEY: secrets.controlKeys.privateKey,
      ...settings.limits,
      ...settings.ownMail,
      PLINTH_MAILBOX_FOLDER: mailboxFolder(settings),
      PLINTH_AUTH_SECRET: secrets.auth,
      PLINTH_CONSOLE_SECRET: loadConsoleSecret(settings.home),
    },
    logFile: logFile(settings, "control"),
    readyUrl: `${localUrl(settings.ports.control)}/readyz`,
    readyMsMax: 60_000,
  };
}

function consoleSpec(settings: StackSettings): ServiceSpec {
  const folder = join(repository, "apps/console");
  return {
    name: "console",
    args: [`--import=${join(import.meta.dirname, "parent-watch.ts")}`, join(folder, "src/main.ts")],
    cwd: folder,
    env: {
      ...common(settings),
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      PLINTH_CONSOLE_PORT: String(settings.ports.console),
      PLINTH_TRUSTED_PROXIES: settings.trustedProxies,
      PLINTH_CONTROL_URL: localUrl(settings.ports.control),
      PLINTH_CONSOLE_SECRET: loadConsoleSecret(settings.home),
    },
    logFile: logFile(settings, "console"),
    readyUrl: settings.urls.console,
    readyMsMax: 60_000,
  };
}

function common(settings: LocalSettings): Record<string, string> {
  return {
    ...settings.passedOn,
    NODE_COMPILE_CACHE: join(repository, "node_modules", ".cache", "compile"),
    PLINTH_PARENT_PID: String(process.pid),
    PLINTH_LOG_LEVEL: settings.logLevel,
  };
}

function logFile(settings: LocalSettings, name: string): string {
  return join(settings.home, "logs", `${name}.log`);
}

function logStream(file: string): { write(line: string): void } {
  mkdirSync(dirname(file), { recursive: true });
  return {
    write: (line) => {
      try {
        appendFileSync(file, line, { mode: 0o600 });
      } catch {
        // On a full disk the line is lost, but the service goes on.
      }
    },
  };
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
