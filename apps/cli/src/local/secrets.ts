// What a local Plinth keeps between starts. In: the home. Out: its secrets, made once, in a file of mode 600.
// It leaves what others keep in that file alone, and never prints any of it.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ServiceSecrets {
  /** Between control and the runtime's internal listener. */
  readonly cell: string;
  /** Base64 of 32 bytes: encrypts what must be read back, such as signing keys. */
  readonly keyEncryptionKey: string;
  /** Signs the cookies of people in the console. */
  readonly auth: string;
  /** Control signs with the one; the runtime gets the other alone. */
  readonly controlKeys: ControlKeys;
}

/** Ed25519, DER in base64: PKCS #8 and SPKI. */
interface ControlKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** The local developer's own account, and what was made with it. */
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
  // Beside them, because a home of an earlier version has the others already.
  return { ...secrets, controlKeys: keep(home, "controlKeys", newControlKeys) };
}

function newControlKeys(): ControlKeys {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { format: "der", type: "pkcs8" },
    publicKeyEncoding: { format: "der", type: "spki" },
  });
  return { privateKey: privateKey.toString("base64"), publicKey: publicKey.toString("base64") };
}

/** Proves to the control API that the console speaks. Apart from the others: a home of an earlier release lacks it. */
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

/** Names of the projects that were served here; it makes nothing where nothing was. */
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
  const made = make();
  write(home, { ...all, [name]: made });
  return made;
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
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(aside, file);
}
