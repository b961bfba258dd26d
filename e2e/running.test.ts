// The page about running Plinth on a server: its database, settings and processes are set up as described, and answer.
// Only the ports, passwords and database names differ, because tests share a machine.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { newControlKeys } from "@plinth/bundle";
import { createTestDatabase, freePort, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answers } from "./stack.ts";

const root = resolve(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/running.md"), "utf8");

const suffix = randomBytes(4).toString("hex");
const control = `plinth_control_${suffix}`;
const cell = `plinth_cell_${suffix}`;
const processes: ChildProcess[] = [];
let database: TestDatabase;
let replacements: readonly (readonly [string, string])[];
let urls: { readonly api: string; readonly control: string; readonly console: string };

beforeAll(async () => {
  database = await createTestDatabase();
  const [api, internal, controlPort, console] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const keys = newControlKeys();
  const secret = (): string => randomBytes(32).toString("base64");
  urls = {
    api: `http://127.0.0.1:${api}`,
    control: `http://127.0.0.1:${controlPort}`,
    console: `http://127.0.0.1:${console}`,
  };
  replacements = [
    ["plinth_control", control],
    ["plinth_cell", cell],
    ["127.0.0.1:5432", new URL(database.adminUrl).host],
    ["4000", String(api)],
    ["4001", String(internal)],
    ["4100", String(controlPort)],
    ["CONSOLE_PORT=3000", `CONSOLE_PORT=${console}`],
    ["<public key>", keys.publicKey],
    ["<private key>", keys.privateKey],
    ["<secret 1>", secret()],
    ["<secret 2>", secret()],
    ["<secret 3>", secret()],
    ["<secret 4>", secret()],
  ];
});

afterAll(async () => {
  const ended = processes.map((child) => new Promise((done) => child.once("exit", done)));
  for (const child of processes) child.kill("SIGTERM");
  await Promise.all(ended);
  await withAdministrator(async (admin) => {
    for (const name of [control, cell]) {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.query(`DROP ROLE IF EXISTS ${name}`);
    }
  });
  await database?.drop();
});

async function withAdministrator(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function block(pattern: RegExp): string {
  const text = pattern.exec(page)?.[1];
  if (text === undefined) throw new Error(`The page lacks ${pattern}`);
  return replacements.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

function settingsOf(name: string): Record<string, string> {
  const lines = block(new RegExp(`\`/etc/plinth/${name}\\.env\`:\n\n\`\`\`ini\n([\\s\\S]*?)\`\`\``))
    .trim()
    .split("\n");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

function start(name: string, folder: string, args: readonly string[]): void {
  const env = { PATH: process.env["PATH"], PLINTH_LOG_LEVEL: "warn", ...settingsOf(name) };
  processes.push(
    spawn(process.execPath, args, { cwd: join(root, folder), env, stdio: ["ignore", "ignore", "inherit"] }),
  );
}

test("the processes start with the settings on the page, and answer", { timeout: 120_000 }, async () => {
  await withAdministrator(async (admin) => {
    for (const statement of block(/```sql\n([\s\S]*?)```/).split(";\n")) await admin.query(statement);
  });
  start("runtime", ".", ["apps/runtime/src/main.ts", "all"]);
  start("control", ".", ["apps/control/src/main.ts"]);
  start("console", "apps/console", ["src/main.ts"]);
  for (const url of [`${urls.api}/readyz`, `${urls.control}/readyz`, `${urls.console}/sign-in`]) await answers(url);
  expect((await fetch(`${urls.api}/readyz`)).status).toBe(200);
  // Control has found the cell's address in its settings, and people reach control through the console.
  const health = await fetch(`${urls.console}/control/readyz`);
  expect(health.status, await health.text()).toBe(200);
});
