// The file of secrets: created once, readable only by its owner, shared with the embedded Postgres.
import { createPrivateKey, createPublicKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDatabaseSecrets } from "@plinth/postgres/embedded";
import { expect, test } from "vitest";
import { loadDeveloper, loadServiceSecrets, saveDeveloper } from "./secrets.ts";

test("each is created once and stored with the others", () => {
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
    const { privateKey, publicKey } = services.controlKeys;
    const der = { key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" } as const;
    const derived = createPublicKey(createPrivateKey(der)).export({ format: "der", type: "spki" });
    expect(derived.toString("base64")).toBe(publicKey);
    expect(new Set([services.cell, services.auth, services.keyEncryptionKey]).size).toBe(3);
    expect(statSync(join(home, "secrets.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, "secrets.json"), "utf8")).toContain(developer.password);
  } finally {
    rmSync(join(home, ".."), { recursive: true, force: true });
  }
});

test("a home of an earlier version keeps its secrets, and gets the missing ones", () => {
  const home = mkdtempSync(join(tmpdir(), "plinth-secrets-"));
  try {
    const earlier = { cell: "c", keyEncryptionKey: "k", auth: "a" };
    writeFileSync(join(home, "secrets.json"), JSON.stringify({ services: earlier }));
    const services = loadServiceSecrets(home);
    expect(services).toEqual({
      ...earlier,
      controlKeys: { privateKey: expect.any(String), publicKey: expect.any(String) },
    });
    expect(loadServiceSecrets(home)).toEqual(services);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
