// The file of secrets: made once, readable to its owner alone, shared with the embedded Postgres.
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDatabaseSecrets } from "@plinth/postgres/embedded";
import { expect, test } from "vitest";
import { loadDeveloper, loadServiceSecrets, saveDeveloper } from "./secrets.ts";

test("each is made once and kept beside the others", () => {
  const home = join(mkdtempSync(join(tmpdir(), "plinth-secrets-")), "home");
  try {
    const services = loadServiceSecrets(home);
    const database = loadDatabaseSecrets(home);
    const developer = loadDeveloper(home);
    const project = { id: "prj_x", keys: { secret: { id: "k1", key: "s" }, publishable: { id: "k2", key: "p" } } };
    saveDeveloper(home, { ...developer, projects: { notes: project } });
    expect(loadServiceSecrets(home)).toEqual(services);
    expect(loadDatabaseSecrets(home)).toEqual(database);
    expect(loadDeveloper(home)).toEqual({ ...developer, projects: { notes: project } });
    expect(Buffer.from(services.keyEncryptionKey, "base64")).toHaveLength(32);
    expect(new Set([services.cell, services.auth, services.keyEncryptionKey]).size).toBe(3);
    expect(statSync(join(home, "secrets.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, "secrets.json"), "utf8")).toContain(developer.password);
  } finally {
    rmSync(join(home, ".."), { recursive: true, force: true });
  }
});
