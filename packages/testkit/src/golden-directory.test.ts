import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { goldenDirectory } from "./golden-directory.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "golden-"));
  vi.stubEnv("UPDATE_GOLDENS", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});
const write = (name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
};

test("equal files pass, and inputs are ignored", async () => {
  write("input.yaml", "x");
  write("a.json", "1\n");
  write("deep/b.sql", "2\n");
  await goldenDirectory(folder, () => ({ "a.json": "1\n", "deep/b.sql": "2\n" }), { inputs: ["input.yaml"] });
});

test("every difference is named, and nothing is written", async () => {
  write("a.json", "1\n2\n3\n");
  write("gone.json", "x");
  const error = await goldenDirectory(folder, () => ({ "a.json": "1\ntwo\n3\n", "new.json": "y" })).catch(String);
  expect(error).toContain("a.json: line 2\n  - 2\n  - 3\n  - \n  + two\n  + 3");
  expect(error).toContain("gone.json: there, but not produced");
  expect(error).toContain("new.json: produced, but not there");
  expect(readFileSync(path.join(folder, "a.json"), "utf8")).toBe("1\n2\n3\n");
});

test("an update rewrites, adds and removes files, except inputs", async () => {
  write("input.yaml", "x");
  write("gone.json", "x");
  const produced = { "a.json": "1\n", "deep/b.sql": "2\n" };
  vi.stubEnv("UPDATE_GOLDENS", "1");
  await goldenDirectory(folder, () => produced, { inputs: ["input.yaml"] });
  vi.stubEnv("UPDATE_GOLDENS", "0");
  await goldenDirectory(folder, () => produced, { inputs: ["input.yaml"] });
  expect(readFileSync(path.join(folder, "input.yaml"), "utf8")).toBe("x");
});
