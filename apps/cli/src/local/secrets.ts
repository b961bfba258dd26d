// The stored secrets of a local Plinth. In: the home. Out: its secrets, created once, in a file of mode 600. It keeps entries of
// others in that file, and never prints any of it.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ServiceSecrets {
  /** Shared by control and the runtime's internal listener. */
  readonly cell: string;
  /** Base64 of 32 bytes: encrypts secrets that must be decrypted later, such as signing keys. */
  readonly keyEncryptionKey: string;
  /** Signs the cookies of people in the console. */
  readonly auth: string;
  /** Control signs with the private key. The runtime only gets the public key. */
  readonly controlKeys: ControlKeys;
}

/** Ed25519, DER in base64: PKCS #8 and SPKI. */
interface ControlKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** The local developer's own account, and its projects. */
export interface Developer {
  readonly email: string;
  readonly password: string;
  /** By the project's name. */
  readonly projects: Readonly<Record<string, DeveloperProject>>;
}

export interface DeveloperProject {
  readonly id: string;
  readonly keys: Readonly<Record<"secret" | "publishable", { readonly id: string; readonly key: string }>>;
}

export function loadServiceSecrets(home: string): ServiceSecrets {
  const secrets = keep(home, "services", () => ({
    cell: randomBytes(32).toString("base64url"),
    keyEncryptionKey: randomBytes(32).toString("base64"),
    auth: randomBytes(32).toString("base64url"),
  }));
  // A separate entry, because a home of an earlier version already has the others.
  return { ...secrets, controlKeys: keep(home, "controlKeys", newControlKeys) };
}

function newControlKeys(): ControlKeys {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { format: "der", type: "pkcs8" },
    publicKeyEncoding: { format: "der", type: "spki" },
  });
  return { privateKey: privateKey.toString("base64"), publicKey: publicKey.toString("base64") };
}

/** Proves to the control API that the console sent a request. A separate entry, because a home of an earlier release lacks it. */
export function loadConsoleSecret(home: string): string {
  return keep(home, "console", () => randomBytes(32).toString("base64url"));
}

export function loadDeveloper(home: string): Developer {
  return keep(home, "developer", () => ({
    email: "developer@plinth.local",
    password: randomBytes(12).toString("base64url"),
    projects: {},
  }));
}

/** Names of the projects that were served here. It creates no file. */
export function knownProjects(home: string): readonly string[] {
  const { developer } = read(home) as { readonly developer?: Developer };
  return Object.keys(developer?.projects ?? {}).sort();
}

export function saveDeveloper(home: string, developer: Developer): void {
  write(home, { ...read(home), developer });
}

function keep<T>(home: string, name: string, make: () => T): T {
  const all = read(home);
  if (Object.hasOwn(all, name)) return all[name] as T;
  const created = make();
  write(home, { ...all, [name]: created });
  return created;
}

function read(home: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(join(home, "secrets.json"), "utf8")) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}

function write(home: string, all: Readonly<Record<string, unknown>>): void {
  mkdirSync(home, { recursive: true });
  const file = join(home, "secrets.json");
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
