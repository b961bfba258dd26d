// The sign-ins of the command line. In: the user's configuration folder. Out: the access token of each server, in a file that
// only its owner can read. The server of the last sign-in is the current one.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandFailure } from "../failure.ts";

export interface Credential {
  /** The address of the control API. */
  readonly control: string;
  /** The email address of the token's person. */
  readonly email: string;
  readonly token: string;
}

export interface Credentials {
  /** An address of `servers`. Null if there is no sign-in. */
  readonly current: string | null;
  /** By the address of the console. */
  readonly servers: Readonly<Record<string, Credential>>;
}

/** In the folder of the XDG Base Directory Specification. */
export function credentialsFile(env: Readonly<Record<string, string | undefined>>): string {
  const folder = env["XDG_CONFIG_HOME"] || join(env["HOME"] || ".", ".config");
  return join(folder, "plinth", "credentials.json");
}

/** @throws CommandFailure if the file exists and can't be read, so that a new sign-in never overwrites it by mistake. */
export function readCredentials(file: string): Credentials {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return { current: null, servers: {} };
    }
    throw new CommandFailure(`${file} can't be read: ${String(error)}`, 1, { cause: error });
  }
  try {
    const { current, servers } = JSON.parse(text) as Credentials;
    if (typeof servers === "object" && servers !== null) return { current: current ?? null, servers };
  } catch {
    // Reported below.
  }
  throw new CommandFailure(`${file} is broken: remove it, and run \`plinth login\` again`);
}

export function keepCredential(file: string, server: string, credential: Credential): void {
  const { servers } = readCredentials(file);
  write(file, { current: server, servers: { ...servers, [server]: credential } });
}

/** Makes another server the current one, if there is one. */
export function forgetCredential(file: string, server: string): void {
  const { current, servers } = readCredentials(file);
  const { [server]: _, ...others } = servers;
  write(file, { current: current === server ? (Object.keys(others)[0] ?? null) : current, servers: others });
}

function write(file: string, credentials: Credentials): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  // The mode above is ignored if the file already existed.
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
