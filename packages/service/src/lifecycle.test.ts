import { spawn } from "node:child_process";
import { expect, test } from "vitest";

// A separate process for each case, because the tests are about how processes end. (The testkit depends on this
// package.)
function run(body: string): { child: ReturnType<typeof spawn>; output: () => string; exit: Promise<number | null> } {
  const index = JSON.stringify(new URL("index.ts", import.meta.url).href);
  const script = `
    import { createLogger, runService } from ${index};
    const logger = createLogger({ name: "svc" });
    const say = (text) => console.log("said: " + text);
    ${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout?.on("data", (chunk) => {
    text += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    text += String(chunk);
  });
  return { child, output: () => text, exit: new Promise((resolve) => child.once("close", resolve)) };
}

const service = `
  await runService({ name: "svc", logger, stopMsMax: 1500, parentPid: globalThis.parent, start: async (signal) => {
    signal.addEventListener("abort", () => say("aborted"));
    const timer = setInterval(() => {}, 1000);
    return { stop: async () => { say("stop"); clearInterval(timer); if (globalThis.hang) await new Promise(() => {}); } };
  } });
  say("running");`;

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} stops it once, however often it is sent`, async () => {
    const { child, output, exit } = run(service);
    await expect.poll(output, { timeout: 10_000 }).toContain("said: running");
    child.kill(signal);
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(output().match(/said: stop/g)).toHaveLength(1);
    expect(output()).toContain("said: aborted");
  });
}

test("a service that does not stop in time exits anyway", async () => {
  const { child, output, exit } = run(`globalThis.hang = true; setInterval(() => {}, 1000); ${service}`);
  await expect.poll(output, { timeout: 10_000 }).toContain("said: running");
  child.kill("SIGTERM");
  expect(await exit).toBe(1);
  expect(output()).toContain("did not stop in time");
});

test("a service ends when its parent process is gone", async () => {
  const parent = spawn("/bin/sh", ["-c", "read -r _"], { stdio: ["pipe", "ignore", "ignore"] });
  const { output, exit } = run(`globalThis.parent = ${parent.pid}; ${service}`);
  await expect.poll(output, { timeout: 10_000 }).toContain("said: running");
  parent.kill("SIGKILL");
  expect(await exit).toBe(0);
  expect(output()).toContain("the parent process has ended");
});

test("a failed start reports the reason and exits with 1", async () => {
  const { output, exit } = run(
    `await runService({ name: "svc", logger, start: async () => { throw new Error("no database"); } });`,
  );
  expect(await exit).toBe(1);
  expect(output()).toContain("no database");
});

test("a stop during the start stops what has already started", async () => {
  const { child, output, exit } = run(`await runService({ name: "svc", logger, start: async (signal) => {
    say("starting");
    const timer = setInterval(() => {}, 1000);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    clearInterval(timer);
    return { stop: async () => say("stop") };
  } });`);
  await expect.poll(output, { timeout: 10_000 }).toContain("said: starting");
  child.kill("SIGTERM");
  expect(await exit).toBe(0);
  expect(output()).toContain("said: stop");
});

test("an uncaught error is logged, and everything is stopped", async () => {
  const { output, exit } = run(`${service} setTimeout(() => { throw new Error("a bug"); }, 10);`);
  expect(await exit).toBe(1);
  expect(output()).toContain("a bug");
  expect(output()).toContain("said: stop");
});
