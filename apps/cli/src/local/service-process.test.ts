// A child process's life: ready, dying and starting again, stopping; with real processes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Service, type ServiceSpec, startService } from "./service-process.ts";

let folder: string;
let services: Service[];
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

// Writes its pid, answers, and on SIGTERM says goodbye before it ends.
const wellBehaved = `
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
writeFileSync(process.env.PID_FILE, String(process.pid));
console.log("secret seen: " + process.env.SECRET_OF_OTHERS);
const server = createServer((_, response) => response.end("ok")).listen(Number(process.env.PORT), "127.0.0.1");
process.on("SIGTERM", () => { console.log("goodbye"); server.close(); server.closeAllConnections(); });
`;

async function start(script: string): Promise<Service> {
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
  };
  const service = startService(spec, (text) => reports.push(text));
  services.push(service);
  return service;
}

test("ready, then stopped in order, with nothing of our environment but what was given", async () => {
  vi.stubEnv("SECRET_OF_OTHERS", "yes");
  const service = await start(wellBehaved);
  await service.ready();
  const pid = pidOf();
  await Promise.all([service.stop(), service.stop()]);
  expect(isAlive(pid)).toBe(false);
  const log = readFileSync(join(folder, "logs/service.log"), "utf8");
  expect(log).toContain("secret seen: undefined");
  expect(log).toContain("goodbye");
  expect(reports).toEqual([]);
});

test("killed, it is reported with the end of its log, and starts again", async () => {
  const service = await start(wellBehaved);
  await service.ready();
  const first = pidOf();
  process.kill(first, "SIGKILL");
  await until(() => pidOf() !== first && isAlive(pidOf()));
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatch(/test service ended unexpectedly \(SIGKILL\); starting it again\.\n {2}\| secret seen/);
  await service.ready();
});

test("what ends before it is ready fails with its own words", async () => {
  const service = await start('console.error("no database here"); process.exit(3);');
  await expect(service.ready()).rejects.toThrow(/test service did not start:\n {2}\| no database here/);
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
  for (let i = 0; i < 200 && !condition(); i++) await pause(25);
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
