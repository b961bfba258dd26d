// Everything on one machine. In: settings. Out: database, runtime, control API and console, each with no more of the
// environment than it needs, and one way to stop them all in order. It never deletes data.
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadDatabaseSecrets, prepareDatabases, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger, leanNodeFlags } from "@plinth/service";
import { CommandFailure, messageOf } from "../failure.ts";
import { buildConsole } from "./console-build.ts";
import { checkPorts } from "./ports.ts";
import { loadServiceSecrets, type ServiceSecrets } from "./secrets.ts";
import { type Service, type ServiceSpec, startService } from "./service-process.ts";
import { type LocalSettings, repository } from "./settings.ts";

export interface Stack {
  /** API and control API answer. */
  readonly dataPlaneReady: Promise<void>;
  /** The console answers as well. */
  readonly ready: Promise<void>;
  /** Idempotent; also while it is still starting. */
  readonly stop: () => Promise<void>;
}

interface Databases {
  readonly control: string;
  readonly cell: string;
  readonly stop: () => Promise<void>;
}

/** Resolves once it is known that a start makes sense. @throws CommandFailure where a port is in use. */
export async function startStack(settings: LocalSettings, progress: (line: string) => void): Promise<Stack> {
  await checkPorts(settings.ports);
  mkdirSync(settings.home, { recursive: true });
  const running: { stop: () => unknown }[] = [];
  let stopped: Promise<void> | null = null;
  const keep = <Part extends { stop: () => unknown }>(part: Part): Part => {
    running.push(part);
    return part;
  };
  const start = (service: Service): Service => keep(service);

  // First, because it takes longest; the data plane does not wait for it.
  const build = keep(buildConsole(settings.passedOn, logFile(settings, "console-build")));
  build.finished.catch(() => {});

  const dataPlaneReady = (async () => {
    const started = Date.now();
    progress(settings.databaseUrl === null ? "Starting the embedded Postgres ..." : "Preparing the databases ...");
    const databases = keep(await openDatabases(settings));
    if (stopped !== null) return void (await databases.stop());
    progress("Starting the runtime and the control API ...");
    const secrets = loadServiceSecrets(settings.home);
    const parts = [
      start(startService(runtimeSpec(settings, databases, secrets), progress)),
      start(startService(controlSpec(settings, databases, secrets), progress)),
    ];
    await Promise.all(parts.map((part) => part.ready()));
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
    await start(startService(consoleSpec(settings), progress)).ready();
    progress(`The console is ready at ${settings.urls.console} (${seconds(started)}).`);
  })();
  ready.catch(() => {});

  const stopAll = async (): Promise<void> => {
    // Newest first: the console goes before the services, and the database last.
    for (const part of running.splice(0).reverse()) await part.stop();
  };
  return {
    dataPlaneReady,
    ready,
    stop: () => {
      stopped ??= stopAll();
      return stopped;
    },
  };
}

async function openDatabases(settings: LocalSettings): Promise<Databases> {
  try {
    if (settings.databaseUrl !== null) {
      const urls = await prepareDatabases(settings.databaseUrl, loadDatabaseSecrets(settings.home));
      return { ...urls, stop: () => Promise.resolve() };
    }
    const logger = createLogger({ name: "postgres", destination: logStream(logFile(settings, "postgres")) });
    const server = await startEmbeddedPostgres({ home: settings.home, logger });
    return { control: server.urls.control, cell: server.urls.cell, stop: () => server.stop() };
  } catch (cause) {
    const where = settings.databaseUrl === null ? "The embedded Postgres" : "The database of DATABASE_URL";
    throw new CommandFailure(`${where} can't be used: ${messageOf(cause)}`, 1, { cause });
  }
}

function runtimeSpec(settings: LocalSettings, databases: Databases, secrets: ServiceSecrets): ServiceSpec {
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
      PLINTH_KEK: secrets.keyEncryptionKey,
    },
    logFile: logFile(settings, "runtime"),
    readyUrl: `${settings.urls.api}/readyz`,
    readyMsMax: 60_000,
  };
}

function controlSpec(settings: LocalSettings, databases: Databases, secrets: ServiceSecrets): ServiceSpec {
  return {
    name: "control API",
    args: [join(repository, "apps/control/src/main.ts")],
    cwd: repository,
    env: {
      ...common(settings),
      CONTROL_DATABASE_URL: databases.control,
      PLINTH_CONTROL_PORT: String(settings.ports.control),
      PLINTH_CONTROL_URL: settings.urls.control,
      PLINTH_CONSOLE_URL: settings.urls.console,
      PLINTH_PUBLIC_API_URL: settings.urls.api,
      PLINTH_CELL_URL: settings.urls.internal,
      PLINTH_CELL_SECRET: secrets.cell,
      PLINTH_AUTH_SECRET: secrets.auth,
    },
    logFile: logFile(settings, "control"),
    readyUrl: `${settings.urls.control}/readyz`,
    readyMsMax: 60_000,
  };
}

function consoleSpec(settings: LocalSettings): ServiceSpec {
  const folder = join(repository, "apps/console");
  return {
    name: "console",
    args: [
      `--import=${join(import.meta.dirname, "parent-watch.ts")}`,
      join(folder, "node_modules/next/dist/bin/next"),
      "start",
      `--port=${settings.ports.console}`,
      "--hostname=127.0.0.1",
    ],
    cwd: folder,
    env: {
      ...common(settings),
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      PLINTH_CONTROL_URL: settings.urls.control,
    },
    logFile: logFile(settings, "console"),
    readyUrl: settings.urls.console,
    readyMsMax: 60_000,
  };
}

function common(settings: LocalSettings): Record<string, string> {
  return {
    ...settings.passedOn,
    NODE_COMPILE_CACHE: join(settings.home, "compile-cache"),
    PLINTH_PARENT_PID: String(process.pid),
    PLINTH_LOG_LEVEL: settings.logLevel,
  };
}

function logFile(settings: LocalSettings, name: string): string {
  return join(settings.home, "logs", `${name}.log`);
}

function logStream(file: string): { write(line: string): void } {
  mkdirSync(dirname(file), { recursive: true });
  return { write: (line) => appendFileSync(file, line, { mode: 0o600 }) };
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
