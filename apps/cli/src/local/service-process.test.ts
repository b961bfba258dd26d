// The life of a child process: ready, ending and starting again, stopping; with real processes.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { logTail, type ServiceSpec, servicePart } from "./service-process.ts";
import { type Backoff, type Supervised, supervise } from "./supervise.ts";

let folder: string;
let services: Supervised[];
let reports: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-service-"));
  services = [];
  reports = [];
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(services.map((service) => service.stop()));
  rmSync(folder, { recursive: true, force: true });
});

// Writes its pid, answers, and prints "goodbye" on SIGTERM before it ends.
const wellBehaved = `
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
writeFileSync(process.env.PID_FILE, String(process.pid));
console.log("secret seen: " + process.env.SECRET_OF_OTHERS);
const server = createServer((_, response) => response.end("ok")).listen(Number(process.env.PORT), "127.0.0.1");
process.on("SIGTERM", () => { console.log("goodbye"); server.close(); server.closeAllConnections(); });
`;

const quick: Backoff = { firstMs: 20, maxMs: 80, wellMs: 60_000 };

async function start(script: string, backoff: Backoff = quick, more: Partial<ServiceSpec> = {}): Promise<Supervised> {
  const port = await freePort();
  writeFileSync(join(folder, "service.mjs"), script);
  const spec: ServiceSpec = {
    name: "test service",
    args: [join(folder, "service.mjs")],
    cwd: folder,
    env: { PORT: String(port), PID_FILE: join(folder, "pid") },
    logFile: join(folder, "logs/service.log"),
    readyUrl: `http://127.0.0.1:${port}/`,
    readyMsMax: 5000,
    ...more,
  };
  const service = supervise(servicePart(spec), (text) => reports.push(text), backoff);
  services.push(service);
  return service;
}

test("becomes ready, stops in order, and only gets the given environment", async () => {
  vi.stubEnv("SECRET_OF_OTHERS", "yes");
  const service = await start(wellBehaved);
  await service.ready;
  const pid = pidOf();
  await Promise.all([service.stop(), service.stop()]);
  expect(isAlive(pid)).toBe(false);
  const log = readFileSync(join(folder, "logs/service.log"), "utf8");
  expect(log).toContain("secret seen: undefined");
  expect(log).toContain("goodbye");
  expect(reports).toEqual([]);
});

test("its log is bounded while it runs, and the end of the log is read from the older part if that was just moved", async () => {
  const talkative = `${wellBehaved}
let written = 0;
setInterval(() => { for (let i = 0; i < 100; i++) console.log("line " + written++ + " " + "x".repeat(90)); }, 20).unref();`;
  const service = await start(talkative, quick, { logBytesMax: 50_000 });
  await service.ready;
  const log = join(folder, "logs/service.log");
  const sizes = (): number[] => [log, `${log}.1`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  await until(() => (sizes()[1] ?? 0) > 0);
  // Half a megabyte a second: each check finds at most that, and the load of the machine.
  for (let i = 0; i < 15; i++) {
    await pause(200);
    expect(Math.max(...sizes())).toBeLessThan(2_000_000);
  }
  const older = readFileSync(`${log}.1`, "utf8");
  expect(older.endsWith("x\n")).toBe(true);
  await service.stop();
  writeFileSync(log, "the last line\n");
  expect(logTail(log, 3).split("\n")).toEqual([
    expect.stringMatching(/^ {2}\| line \d+ x+$/),
    expect.stringMatching(/^ {2}\| line \d+ x+$/),
    "  | the last line",
    `  (all of it: ${log})`,
  ]);
});

test("after a kill it is started again, and one line reports each event", async () => {
  const service = await start(wellBehaved);
  await service.ready;
  const first = pidOf();
  process.kill(first, "SIGKILL");
  await until(() => reports.length === 2);
  expect(reports).toEqual([
    "The test service ended (SIGKILL); starting it again in 0.02 s.",
    "The test service is running again.",
  ]);
  expect(pidOf()).not.toBe(first);
  expect(isAlive(pidOf())).toBe(true);
});

test("repeated ends are reported with the end of the log, and restarts slow down to a limit and go on until it is stopped", async () => {
  const service = await start(wellBehaved);
  await service.ready;
  writeFileSync(join(folder, "service.mjs"), 'console.error("no database here"); process.exit(3);');
  process.kill(pidOf(), "SIGKILL");
  await until(() => reports.length >= 6);
  expect(reports.slice(0, 3)).toEqual([
    "The test service ended (SIGKILL); starting it again in 0.02 s.",
    "The test service did not start (exit code 3); starting it again in 0.04 s.",
    expect.stringMatching(
      /^The test service did not start \(exit code 3\); starting it again in 0\.08 s\. This is the 3rd time in a row\. The end of its log:\n(.*\n)* {2}\| no database here\n/,
    ),
  ]);
  expect(reports[5]).toContain("starting it again in 0.08 s. This is the 6th time in a row.");
  // After the cause is corrected, it starts by itself.
  writeFileSync(join(folder, "service.mjs"), wellBehaved);
  await until(() => reports.at(-1) === "The test service is running again.");
});

test("after it has run for a while, its next end counts as the first", async () => {
  const service = await start(wellBehaved, { ...quick, wellMs: 0 });
  await service.ready;
  for (const expected of [2, 4, 6, 8]) {
    process.kill(pidOf(), "SIGKILL");
    await until(() => reports.length === expected);
  }
  expect(new Set(reports).size).toBe(2);
});

test("stopped while it waits for the next start, or while it starts, it leaves no process behind", async () => {
  const waiting = await start(wellBehaved, { ...quick, firstMs: 60_000 });
  await waiting.ready;
  process.kill(pidOf(), "SIGKILL");
  await until(() => reports.length === 1);
  await waiting.stop();
  expect(isAlive(pidOf())).toBe(false);
  const starting = await start(
    'import { writeFileSync } from "node:fs"; writeFileSync(process.env.PID_FILE, String(process.pid)); setInterval(() => {}, 1000);',
  );
  const before = pidOf();
  await until(() => pidOf() !== before);
  await starting.stop();
  expect(isAlive(pidOf())).toBe(false);
  expect(reports).toHaveLength(1);
});

test("a process that ends before it is ready fails with its own output", async () => {
  const service = await start('console.error("no database here"); process.exit(3);');
  await expect(service.ready).rejects.toThrow(
    /the test service did not start \(exit code 3\):\n {2}\| no database here/,
  );
  expect(reports).toEqual([]);
});

function pidOf(): number {
  return Number(readFileSync(join(folder, "pid"), "utf8"));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !condition(); i++) await pause(25);
  expect(condition()).toBe(true);
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
