import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createLogger } from "@plinth/service";
import { startProcess } from "@plinth/testkit";
import pg from "pg";
import { afterAll, expect, test, vi } from "vitest";
import { removeEmbeddedServer, startEmbeddedPostgres } from "./embedded.ts";
import { findPlace } from "./embedded-place.ts";

const logger = createLogger({ name: "embedded under test", level: "silent" });
// One copy of the program for all tests, because it has 60 MB.
const programFolder = mkdtempSync(path.join(tmpdir(), "plinth-program-"));
chmodSync(programFolder, 0o755);
afterAll(() => rmSync(programFolder, { recursive: true, force: true }));
const homes: string[] = [];
function newHome(mode = 0o755): string {
  const home = mkdtempSync(path.join(tmpdir(), "plinth-embedded-"));
  chmodSync(home, 0o755);
  mkdirSync(path.join(home, "state"), { mode });
  homes.push(path.join(home, "state"));
  return path.join(home, "state");
}

// initdb is by far the slowest part, so the tests after the first share one home. Each leaves its server stopped.
const home = newHome();
vi.setConfig({ testTimeout: 60_000 });

afterAll(async () => {
  for (const home of homes.splice(0)) {
    await removeEmbeddedServer(home);
    rmSync(path.dirname(home), { recursive: true, force: true });
  }
});

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: "array" })).rows[0] as unknown[];
  } finally {
    await client.end();
  }
}

test("the first start creates two databases, each with an owner who only has the necessary rights", async () => {
  const server = await startEmbeddedPostgres({ home, logger, programFolder });
  const who =
    "SELECT current_user, current_database(), rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user";
  expect(await ask(server.urls.control, who)).toEqual(["plinth_control", "plinth_control", false, false, false]);
  expect(await ask(server.urls.cell, who)).toEqual(["plinth_cell", "plinth_cell", false, true, false]);
  // Neither can access the other's database, and nobody can connect without a password.
  const crossed = new URL(server.urls.cell);
  crossed.pathname = "/plinth_control";
  await expect(ask(crossed.href, "SELECT 1")).rejects.toMatchObject({ code: "42501" });
  const bare = new URL(server.urls.admin);
  bare.password = "wrong";
  await expect(ask(bare.href, "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
  expect(await ask(server.urls.admin, "SHOW listen_addresses")).toEqual(["127.0.0.1"]);
  expect(await ask(server.urls.admin, "SHOW unix_socket_directories")).toEqual([""]);
  expect(statSync(path.join(home, "secrets.json")).mode & 0o777).toBe(0o600);
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  await expect(ask(server.urls.admin, "SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("the next start keeps the data, the port, the passwords and other secrets", async () => {
  const secrets = path.join(home, "secrets.json");
  writeFileSync(secrets, JSON.stringify({ ...JSON.parse(readFileSync(secrets, "utf8")), kek: "not ours" }));
  const first = await startEmbeddedPostgres({ home, logger, programFolder });
  await ask(first.urls.cell, "CREATE SCHEMA kept");
  await first.stop();
  const second = await startEmbeddedPostgres({ home, logger, programFolder });
  expect(second.urls).toEqual(first.urls);
  expect(second.adopted).toBe(false);
  expect(await ask(second.urls.cell, "SELECT count(*)::int FROM pg_namespace WHERE nspname = 'kept'")).toEqual([1]);
  expect(JSON.parse(readFileSync(secrets, "utf8"))).toMatchObject({ kek: "not ours" });
  await second.stop();
});

test("a port that another program has taken is changed", async () => {
  const first = await startEmbeddedPostgres({ home, logger, programFolder });
  await first.stop();
  const squatter = createServer().listen(first.port, "127.0.0.1");
  await new Promise((resolve) => squatter.once("listening", resolve));
  const second = await startEmbeddedPostgres({ home, logger, programFolder });
  expect(second.port).not.toBe(first.port);
  expect(await ask(second.urls.cell, "SELECT 1")).toEqual([1]);
  await second.stop();
  await new Promise((resolve) => squatter.close(resolve));
});

test("a server whose parent was killed continues and is adopted", async () => {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(path.join(import.meta.dirname, "embedded.ts"))};
    import { createLogger } from "@plinth/service";
    const server = await startEmbeddedPostgres({ home: ${JSON.stringify(home)}, logger: createLogger({ name: "x", level: "silent" }), programFolder: ${JSON.stringify(programFolder)} });
    console.log("pid " + server.pid);
    setInterval(() => {}, 1000);`;
  const parent = await startProcess({
    command: process.execPath,
    args: ["--input-type=module", "--eval", script],
    cwd: import.meta.dirname,
    readyPattern: /pid (\d+)/,
  });
  expect(await parent.stop("SIGKILL")).toBe("SIGKILL");
  const server = await startEmbeddedPostgres({ home, logger, programFolder });
  expect([server.adopted, server.pid]).toEqual([true, Number(parent.ready?.[1])]);
  await server.stop();
  // The process has ended. If nobody waits for it, a zombie remains.
  expect(existsSync(path.join(server.folder, "data", "postmaster.pid"))).toBe(false);
});

test("a process that only stops an adopted server ends after it, not before", async () => {
  const first = await startEmbeddedPostgres({ home, logger, programFolder });
  const script = `
    import { startEmbeddedServer } from ${JSON.stringify(path.join(import.meta.dirname, "embedded.ts"))};
    import { createLogger } from "@plinth/service";
    const server = await startEmbeddedServer({ home: ${JSON.stringify(home)}, logger: createLogger({ name: "x", level: "silent" }) });
    await server.stop();
    await server.ended;
    console.log("stopped, adopted: " + server.adopted);`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  expect(stdout.trim()).toBe("stopped, adopted: true");
  await first.stop();
});

test("the postmaster.pid of a killed server does not prevent the next start", async () => {
  const first = await startEmbeddedPostgres({ home, logger, programFolder });
  await ask(first.urls.cell, "CREATE SCHEMA committed");
  process.kill(first.pid, "SIGKILL");
  const second = await startEmbeddedPostgres({ home, logger, programFolder });
  expect(second.adopted).toBe(false);
  expect(await ask(second.urls.cell, "SELECT count(*)::int FROM pg_namespace WHERE nspname = 'committed'")).toEqual([
    1,
  ]);
  await second.stop();
});

test("an interrupted initdb is started again", async () => {
  const home = newHome();
  const { folder } = findPlace(home);
  mkdirSync(path.join(folder, "data", "base"), { recursive: true });
  const server = await startEmbeddedPostgres({ home, logger, programFolder });
  expect(await ask(server.urls.cell, "SELECT 1")).toEqual([1]);
  await server.stop();
});

test("if the server's user can't enter the home, the data is elsewhere", async () => {
  const home = newHome(0o700);
  const { folder, user } = findPlace(home);
  const root = process.getuid?.() === 0;
  expect(user === null).toBe(!root);
  expect(folder.startsWith(root ? "/var/lib/plinth/" : home)).toBe(true);
  expect(findPlace(home).folder).toBe(folder);
  rmSync(folder, { recursive: true });
  rmSync(home, { recursive: true });
  mkdirSync(home, { mode: 0o700 });
  // A new home has no passwords for the old data.
  expect(findPlace(home).folder === folder).toBe(!root);
});
