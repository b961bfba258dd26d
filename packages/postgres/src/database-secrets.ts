// Passwords and port of the databases that we create ourselves. In: the state home. Out: the same values at every
// start. It never logs them, never leaves the file readable to others, and keeps other entries of the file.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

export type DatabaseSecrets = {
  readonly adminPassword: string;
  readonly controlPassword: string;
  readonly cellPassword: string;
  /** The port of the embedded server; null until it has one. */
  readonly port: number | null;
};

/** Reads `secrets.json` in the home, and generates missing values. */
export function loadDatabaseSecrets(home: string): DatabaseSecrets {
  const known = (readAll(home).postgres ?? {}) as Partial<DatabaseSecrets>;
  const secrets: DatabaseSecrets = {
    adminPassword: known.adminPassword ?? newPassword(),
    controlPassword: known.controlPassword ?? newPassword(),
    cellPassword: known.cellPassword ?? newPassword(),
    port: known.port ?? null,
  };
  if (Object.entries(secrets).some(([name, value]) => known[name as keyof DatabaseSecrets] !== value)) {
    saveDatabaseSecrets(home, secrets);
  }
  return secrets;
}

export function saveDatabaseSecrets(home: string, secrets: DatabaseSecrets): void {
  mkdirSync(home, { recursive: true });
  const file = path.join(home, "secrets.json");
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, `${JSON.stringify({ ...readAll(home), postgres: secrets }, null, 2)}\n`, { mode: 0o600 });
  chmodSync(aside, 0o600);
  renameSync(aside, file);
}

function readAll(home: string): Record<string, unknown> {
  const file = path.join(home, "secrets.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>) : {};
}

/** 192 bits in characters that need no escaping in a URL. */
function newPassword(): string {
  return randomBytes(24).toString("base64url");
}
