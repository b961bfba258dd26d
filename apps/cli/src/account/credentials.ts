// What the command line is signed in with. In: the user's configuration folder. Out: for each server its access token, in a file that
// its owner alone reads. The last server that somebody signed in to is the current one.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandFailure } from "../failure.ts";

export interface Credential {
  /** Where the control API is reached. */
  readonly control: string;
  /** Whose token it is. */
  readonly email: string;
  readonly token: string;
}

export interface Credentials {
  /** An address of `servers`; null where nobody is signed in. */
  readonly current: string | null;
  /** By the address of the console. */
  readonly servers: Readonly<Record<string, Credential>>;
}

/** In the folder that the XDG Base Directory Specification names. */
export function credentialsFile(env: Readonly<Record<string, string | undefined>>): string {
  const folder = env["XDG_CONFIG_HOME"] || join(env["HOME"] || ".", ".config");
  return join(folder, "plinth", "credentials.json");
}

/** @throws CommandFailure where the file is there and can't be read: nobody shall sign in over it by mistake. */
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
    // Said below.
  }
  throw new CommandFailure(`${file} is broken: remove it, and run \`plinth login\` again`);
}

export function keepCredential(file: string, server: string, credential: Credential): void {
  const { servers } = readCredentials(file);
  write(file, { current: server, servers: { ...servers, [server]: credential } });
}

/** Another server becomes the current one, where there is one. */
export function forgetCredential(file: string, server: string): void {
  const { current, servers } = readCredentials(file);
  const { [server]: _, ...others } = servers;
  write(file, { current: current === server ? (Object.keys(others)[0] ?? null) : current, servers: others });
}

function write(file: string, credentials: Credentials): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  // Where a file of another mode was left there.
  chmodSync(aside, 0o600);
  renameSync(aside, file);
}
