// The settings of a local Plinth. In: environment variables. Out: ports, addresses, folders. It never reads the environment
// itself; `main.ts` passes it in.
import { join, resolve } from "node:path";
import { credentialsFile } from "../account/credentials.ts";
import { CommandFailure } from "../failure.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Ports {
  readonly api: number;
  readonly internal: number;
  readonly control: number;
  readonly console: number;
}

/** People and apps use the public ports. Only our own parts use the others. Null: any free port. */
export interface WantedPorts {
  readonly api: number;
  readonly internal: number | null;
  readonly control: number | null;
  readonly console: number;
}

export interface LocalSettings {
  /** Contains data, secrets and logs. */
  readonly home: string;
  readonly ports: WantedPorts;
  readonly urls: Readonly<Record<"api" | "console", string>>;
  /** The address on which the public API listens. By default only this machine. */
  readonly apiHost: string;
  /** Proxies before the console, in the console's format. By default none. */
  readonly trustedProxies: string;
  /** An administrator's address of the user's own server. Null for the embedded one. */
  readonly databaseUrl: string | null;
  readonly logLevel: string;
  /** The operator's limits for authors, in the format of control and the runtime. */
  readonly limits: Readonly<Record<string, string>>;
  /** The mail server for the console's own mails. Only control gets it. */
  readonly ownMail: Readonly<Record<string, string>>;
  /** For commands of the operator on a server. Null on one's own machine. */
  readonly operator: { readonly databaseUrl: string | null; readonly consoleUrl: string | null };
  /** The Plinth that commands use. See `account/server.ts`. */
  readonly server: ServerSettings;
  /** The part of the caller's environment that every child process gets. */
  readonly passedOn: Readonly<Record<string, string>>;
}

export interface ServerSettings {
  /** An access token from the environment. */
  readonly token: string | null;
  /** The address of a console, or `local`. */
  readonly url: string | null;
  readonly credentialsFile: string;
}

export const repository: string = resolve(import.meta.dirname, "../../../..");

export const portVariables: Readonly<Record<keyof Ports, string>> = {
  api: "PLINTH_API_PORT",
  internal: "PLINTH_INTERNAL_PORT",
  control: "PLINTH_CONTROL_PORT",
  console: "PLINTH_CONSOLE_PORT",
};

/** Internal ports are the usual ones if those are free. */
export const usualPorts: Ports = { api: 4000, internal: 4001, control: 4100, console: 3000 };
const passedOnNames = /^(PATH|HOME|LANG|LC_ALL|TZ|TMPDIR|NODE_USE_SYSTEM_CA|NODE_EXTRA_CA_CERTS)$/;

/** @throws CommandFailure (usage) with the name of the wrong variable. */
export function readLocalSettings(env: Environment): LocalSettings {
  const ports: WantedPorts = {
    api: portOf(env, "api") ?? usualPorts.api,
    internal: portOf(env, "internal"),
    control: portOf(env, "control"),
    console: portOf(env, "console") ?? usualPorts.console,
  };
  return {
    home: resolve(env.PLINTH_HOME || join(repository, ".plinth")),
    ports,
    urls: { api: localUrl(ports.api), console: localUrl(ports.console) },
    apiHost: env.PLINTH_API_HOST || "127.0.0.1",
    trustedProxies: env.PLINTH_TRUSTED_PROXIES || "",
    databaseUrl: env.DATABASE_URL || null,
    logLevel: env.PLINTH_LOG_LEVEL || "info",
    limits: named(
      env,
      /^PLINTH_(MAX|AUTHORING)_|^PLINTH_MAILBOX$|^PLINTH_(PROJECT_(?:CALLS|CALLS_MB|MAILS_PER_HOUR|RATE_LIMIT|RUNS|STREAMS|WAITS|WORK_ROWS)|CALLS|CALLS_MB|WORK_PLACES|CALLER_STREAMS|PROJECT_SLOW_MS|SOCKETS_PER_ADDRESS|CACHE_MB|PREPARED_STATEMENTS|API_DOMAIN|OUTBOUND_(?:ALLOW|PORTS)|WORK_RETENTION_DAYS|PUBLIC_WEBHOOK_URL|INBOUND_(?:RATE|BODY_BYTES|REQUESTS|RETENTION_DAYS)|WEBHOOK_(?:CONCURRENCY|FAILING_DAYS|PENDING|PENDING_BYTES))$/,
    ),
    ownMail: named(env, /^PLINTH_(?:SMTP_URL|MAIL_FROM)$/),
    operator: { databaseUrl: env.CONTROL_DATABASE_URL || null, consoleUrl: env.PLINTH_CONSOLE_URL || null },
    server: {
      token: env.PLINTH_TOKEN || null,
      url: env.PLINTH_URL || null,
      credentialsFile: credentialsFile(env),
    },
    passedOn: named(env, passedOnNames),
  };
}

/** The mails of a console without a mail server. */
export function mailboxFolder({ home }: LocalSettings): string {
  return join(home, "mailbox");
}

export function localUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function named(env: Environment, names: RegExp): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => names.test(entry[0]) && !!entry[1]),
  );
}

function portOf(env: Environment, name: keyof Ports): number | null {
  const variable = portVariables[name];
  const text = env[variable];
  if (!text) return null;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new CommandFailure(`${variable} must be a port from 1 to 65535; it is ${JSON.stringify(text)}`, 2);
}
