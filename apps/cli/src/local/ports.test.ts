// A second Plinth on one machine gets other internal ports, and the commands of its home find it.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { choosePorts } from "./ports.ts";
import { removeRunning, runningAddresses, writeRunning } from "./running.ts";
import { readLocalSettings, usualPorts } from "./settings.ts";

const taken: Server[] = [];
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plinth-ports-"));
});
afterEach(async () => {
  for (const server of taken.splice(0)) await new Promise((done) => server.close(done));
  rmSync(home, { recursive: true, force: true });
});

/** By this test or by another program. */
async function take(port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => {
    server.once("error", () => done());
    server.listen(port, "127.0.0.1", () => {
      taken.push(server);
      done();
    });
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

async function free(): Promise<number> {
  const port = await take(0);
  await new Promise((done) => taken.pop()?.close(done));
  return port;
}

test("internal ports without a variable are replaced if the usual ones are in use", async () => {
  const [api, console] = [await free(), await free()];
  await Promise.all([take(usualPorts.internal), take(usualPorts.control)]);
  const { release, ...ports } = await choosePorts({ api, console, internal: null, control: null });
  release();
  expect([ports.api, ports.console]).toEqual([api, console]);
  expect(Object.values(usualPorts)).not.toContain(ports.internal);
  expect(Object.values(usualPorts)).not.toContain(ports.control);
  expect(new Set(Object.values(ports)).size).toBe(4);
});

test("two that start at the same time choose different ports", async () => {
  const wanted = async () => ({ api: await free(), console: await free(), internal: null, control: null });
  const [one, two] = await Promise.all([choosePorts(await wanted()), choosePorts(await wanted())]);
  expect(new Set([one.internal, one.control, two.internal, two.control]).size).toBe(4);
  const again = { api: one.api, console: await free(), internal: null, control: null };
  await expect(choosePorts(again)).rejects.toThrow(`port ${one.api} for the API is in use`);
  one.release();
  const third = await choosePorts(again);
  expect(third.api).toBe(one.api);
  two.release();
  third.release();
});

test("a port with a variable, and a public port, are never replaced", async () => {
  const [api, console, used] = [await free(), await free(), await take(0)];
  await expect(choosePorts({ api, console, internal: used, control: null })).rejects.toThrow(
    `port ${used} for the runtime's internal listener is in use: set PLINTH_INTERNAL_PORT to another one`,
  );
  await expect(choosePorts({ api, console: used, internal: null, control: null })).rejects.toThrow(
    `port ${used} for the console is in use: set PLINTH_CONSOLE_PORT to another one`,
  );
});

test("the commands of a home use the Plinth that runs there", () => {
  const settings = readLocalSettings({ PLINTH_HOME: home });
  expect(runningAddresses(settings)).toEqual({
    control: "http://127.0.0.1:4100",
    console: "http://127.0.0.1:3000",
  });
  const running = { control: "http://127.0.0.1:49100", console: "http://127.0.0.1:49000" };
  writeRunning(home, running);
  expect(runningAddresses(settings)).toEqual(running);
  const given = readLocalSettings({ PLINTH_HOME: home, PLINTH_CONTROL_PORT: "49200" });
  expect(runningAddresses(given).control).toBe("http://127.0.0.1:49200");
  removeRunning(home);
  expect(runningAddresses(settings).control).toBe("http://127.0.0.1:4100");
});
