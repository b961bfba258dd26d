// `plinth webhooks listen` with real processes, as in the guide: a receiver on this machine gets the signed events of a
// project, and the list of deliveries shows its answers. Once with the local Plinth, once like a hosted project with a
// key.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { verifyWebhook } from "@plinth/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Caller, callerOf } from "./api.ts";
import { type DevStack, startDev } from "./stack.ts";

const root = resolve(import.meta.dirname, "..");
const guide = readFileSync(join(root, "docs/blueprint/webhooks-out.md"), "utf8");
const blueprint = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
const command = /^npx plinth (webhooks listen .*)$/m.exec(guide)?.[1]?.split(" ") ?? [];
const soon = { timeout: 15_000, interval: 100 };
const folder = mkdtempSync(join(tmpdir(), "plinth-listen-"));

interface Got {
  readonly headers: Record<string, string>;
  readonly body: string;
}

let stack: DevStack;
let admin: Caller;
let receiver: Server;
let got: Got[] = [];
let status = 204;
let listening: ChildProcess | null = null;
let out = "";
let err = "";

beforeAll(async () => {
  const file = join(folder, "bike-shop.yaml");
  writeFileSync(file, blueprint);
  receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    got.push({ headers: request.headers as Record<string, string>, body });
    response.statusCode = status;
    response.end(status === 204 ? undefined : "no room");
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  stack = await startDev(file);
  admin = callerOf(stack.apiUrl, stack.keys.secret);
}, 180_000);
afterAll(async () => {
  receiver?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  [got, out, err, status] = [[], "", "", 204];
});
afterEach(() => {
  listening?.kill("SIGKILL");
});

const addressOf = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;

function plinth(args: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess {
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    PLINTH_HOME: stack.home,
    PLINTH_CONTROL_PORT: new URL(stack.controlUrl).port,
    PLINTH_CONSOLE_PORT: new URL(stack.consoleUrl).port,
    PLINTH_API_PORT: new URL(stack.apiUrl).port,
    PLINTH_INTERNAL_PORT: new URL(stack.internalUrl).port,
    ...more,
  };
  const child = spawn(process.execPath, [join(root, "apps/cli/bin.mjs"), ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout?.on("data", (part) => {
    out += part;
  });
  child.stderr?.on("data", (part) => {
    err += part;
  });
  return child;
}

const ended = (child: ChildProcess): Promise<number | null> => new Promise((done) => child.once("exit", done));
const bike = async (name: string): Promise<void> => {
  expect((await admin.post("/v1/resources/bikes", { name })).status).toBe(201);
};
const deliveries = async (): Promise<readonly Record<string, unknown>[]> =>
  (await admin.get("/v1/webhook-deliveries")).body.data;

test("the guide's command forwards events, and prints the receiver's answers", async () => {
  const args = command.map((word) => (word === "http://localhost:3000/hooks" ? addressOf() : word));
  expect(args).toContain(addressOf());
  listening = plinth(args);
  await expect.poll(() => err, soon).toMatch(/whsec_\S+/);
  const secret = /whsec_\S+/.exec(err)?.[0] ?? "";
  await bike("Comet");
  await expect.poll(() => got.length, soon).toBe(1);
  expect(await verifyWebhook(got[0]?.body ?? "", got[0]?.headers ?? {}, secret)).toMatchObject({
    name: "bike.created",
    record: { name: "Comet" },
  });
  await expect
    .poll(async () => (await deliveries())[0], soon)
    .toMatchObject({
      event: "bike.created",
      status: "delivered",
      response_status: 204,
    });
  status = 503;
  await bike("Star");
  await expect.poll(async () => (await deliveries())[0], soon).toMatchObject({ status: "failed", error: "http_503" });
  expect(out.trim().split("\n")).toEqual([
    expect.stringMatching(/bike\.created {2}\S+ {2}204 {2}\d+ ms$/),
    expect.stringMatching(/bike\.created {2}\S+ {2}503 {2}\d+ ms$/),
  ]);
  // A user finds it in the list and sends it again.
  status = 204;
  const before = out;
  expect(await ended(plinth(["webhooks", "list", "--project", stack.project]))).toBe(0);
  expect(out.slice(before.length)).toMatch(/listening/);
  const [{ id = "" } = {}] = await deliveries();
  expect(await ended(plinth(["webhooks", "replay", String(id), "--project", stack.project]))).toBe(0);
  await expect.poll(async () => (await deliveries())[0], soon).toMatchObject({ id, status: "delivered", attempts: 2 });
  const other = "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f";
  expect(await ended(plinth(["webhooks", "replay", other, "--project", stack.project]))).toBe(1);
  expect(err).toContain(`there is no delivery ${other}; for a received request, add --received`);
  const end = ended(listening);
  listening.kill("SIGINT");
  expect(await end).toBe(0);
  const [endpoint] = (await admin.get("/v1/webhook-endpoints")).body.data;
  expect(endpoint).toMatchObject({ enabled: false });
  await bike("Gone");
  expect(await deliveries()).toHaveLength(2);
}, 90_000);

test("with a key, the command works for a hosted project, and reports an unreachable receiver", async () => {
  const hosted = ["webhooks", "listen", "--api", stack.apiUrl, "--json", "--forward-to"];
  const env = { PLINTH_HOME: join(folder, "nothing"), PLINTH_KEY: stack.keys.secret };
  listening = plinth([...hosted, addressOf()], env);
  await expect.poll(() => out, soon).toContain("whsec_");
  const { secret } = JSON.parse(out.split("\n")[0] ?? "");
  await bike("Far");
  // An event that was not dispatched yet when the listener was created also reaches it.
  await expect.poll(() => got.some(({ body }) => body.includes('"Far"')), soon).toBe(true);
  for (const { body, headers } of got) await verifyWebhook(body, headers, secret);
  await expect.poll(() => out.trim().split("\n").length, soon).toBe(1 + got.length);
  expect(JSON.parse(out.trim().split("\n")[1] ?? "")).toMatchObject({ event: "bike.created", status: 204 });
  const end = ended(listening);
  listening.kill("SIGINT");
  expect(await end).toBe(0);
  out = "";
  listening = plinth([...hosted, "http://127.0.0.1:9/"], env);
  await expect.poll(() => out, soon).toContain("whsec_");
  await bike("Lost");
  await expect.poll(() => out, soon).toContain('"error":"unreachable"');
  await expect
    .poll(async () => (await deliveries())[0], soon)
    .toMatchObject({ status: "failed", error: "unreachable" });
  listening.kill("SIGINT");
}, 60_000);

test.each([
  [["--api", "http://127.0.0.1:9", "--forward-to", "3000"], {}, 2, "PLINTH_KEY"],
  [["--forward-to", "ftp://a"], {}, 2, "--forward-to must be an address"],
  [["--forward-to", "3000", "--events", "car.created"], {}, 1, "event"],
  [["--api", "http://127.0.0.1:9", "--forward-to", "3000"], { PLINTH_KEY: "x" }, 1, "nothing answers"],
])("%j is refused", async (args, env, code, said) => {
  const child = plinth(["webhooks", "listen", "--project", stack.project, ...args], env as Record<string, string>);
  expect(await ended(child)).toBe(code);
  expect(err).toContain(said);
});
