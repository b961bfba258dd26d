// `plinth dev` as a person at a terminal sees it, on a machine where other programs use the usual internal ports: each
// part is reported when it is ready, the SDK types are next to the blueprint, and commands with the same home find it.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "./published-cell.ts";

const main = resolve(import.meta.dirname, "../apps/cli/src/main.ts");
const blueprint = `project: shop
modules: [auth, users, roles]
entities:
  bike:
    fields:
      name: string
    permissions:
      admin: { all: true }
`;

let folder: string;
let file: string;
let types: string;
let env: Record<string, string | undefined>;
let dev: ChildProcess;
let output = "";
const others: Server[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plinth-dev-"));
  // As root, the database runs as another user, who needs access.
  chmodSync(folder, 0o755);
  [file, types] = [join(folder, "shop.yaml"), join(folder, "shop.gen.d.ts")];
  writeFileSync(file, blueprint);
  for (const port of [4001, 4100]) {
    const server = createServer();
    others.push(server);
    // It makes no difference if another program already uses it.
    await new Promise<void>((done) => server.once("error", () => done()).listen(port, "127.0.0.1", () => done()));
  }
  const [api, console] = [await freePort(), await freePort()];
  env = {
    PATH: process.env["PATH"],
    HOME: folder,
    PLINTH_HOME: join(folder, "home"),
    PLINTH_API_PORT: String(api),
    PLINTH_CONSOLE_PORT: String(console),
  };
  dev = spawn(process.execPath, [main, "dev", file], { env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [dev.stdout, dev.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  await until(async () => output.includes("  Console  "), 120);
});
afterAll(async () => {
  const ended = new Promise((done) => dev.once("exit", done));
  dev.kill("SIGTERM");
  await ended;
  for (const server of others) server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the output names keys and types once", () => {
  expect(output.split("  Secret key ")).toHaveLength(2);
  expect(output.split("SDK types")).toHaveLength(2);
  expect(output).toContain(`  SDK types        ${types}`);
});

test("the types follow the served version, and the file is only written when they change", async () => {
  expect(readFileSync(types, "utf8")).toContain("export interface Shop {");
  const before = statSync(types).mtimeMs;
  const served = (text: string): Promise<void> => {
    const from = output.length;
    writeFileSync(file, text);
    return until(async () => /Deployed|as it is|not deployed/.test(output.slice(from)), 30);
  };
  await served(`${blueprint}# a note\n`);
  expect(output).toContain("Deployed");
  expect(statSync(types).mtimeMs).toBe(before);
  await served(`${blueprint.trimEnd().replace("name: string", "name: string\n      price: int = 0")}\n`);
  await until(async () => readFileSync(types, "utf8").includes("price"), 10);
  writeFileSync(types, "export type Mine = 1;\n");
  await served(blueprint.replace("name: string", "name: string\n      price: int = 0\n      size: int = 0"));
  await until(async () => output.includes("Plinth didn't write it"), 10);
  expect(readFileSync(types, "utf8")).toBe("export type Mine = 1;\n");
}, 90_000);

test("a command finds the running Plinth by its home folder alone", async () => {
  const { PATH, HOME, PLINTH_HOME } = env;
  const child = spawn(process.execPath, [main, "projects"], { env: { PATH, HOME, PLINTH_HOME } });
  let [said, failed] = ["", ""];
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  child.stderr.on("data", (chunk) => {
    failed += chunk;
  });
  expect([await new Promise((done) => child.once("close", done)), failed]).toEqual([0, ""]);
  expect(said).toMatch(/^shop +prj_/m);
});

test("a version that another command deploys is reported, and the types follow it", async () => {
  const { PATH, HOME, PLINTH_HOME } = env;
  const other = join(folder, "other.yaml");
  writeFileSync(other, readFileSync(file, "utf8").replace("name: string", "name: string\n      colour: string?"));
  rmSync(types);
  const from = output.length;
  const child = spawn(process.execPath, [main, "deploy", other, "--project", "shop", "--approve"], {
    env: { PATH, HOME, PLINTH_HOME },
    stdio: "inherit",
  });
  expect(await new Promise((done) => child.once("close", done))).toBe(0);
  await until(async () => output.slice(from).includes("Another version is live now"), 30);
  expect(output.slice(from)).toContain("doesn't have it");
  await until(async () => existsSync(types) && readFileSync(types, "utf8").includes("colour"), 10);
}, 60_000);
