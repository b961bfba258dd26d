import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startProcess } from "./start-process.ts";

const node = (script: string) => ({ command: process.execPath, args: ["--eval", script] });

test("a process is ready when its output says so, and stops on request", async () => {
  const started = await startProcess({
    ...node(`process.on("SIGTERM", () => process.exit(3)); setInterval(() => {}, 1000);
      console.error("listening on 4711"); console.log(process.env.GIVEN, process.env.VITEST)`),
    env: { GIVEN: "yes" },
    readyPattern: /listening on (\d+)/,
  });
  expect(started.ready?.[1]).toBe("4711");
  await started.waitFor(/yes undefined/);
  expect(started.stdout()).not.toContain("listening");
  expect(await started.stop()).toBe(3);
  expect(await started.stop()).toBe(3);
});

test("a process that ends before it is ready is an error with its output", async () => {
  await expect(
    startProcess({ ...node("console.log('broken'); process.exit(7)"), readyPattern: /ready/ }),
  ).rejects.toThrow(/exited \(7\) before \/ready\/\nbroken/);
  await expect(startProcess({ command: "/no/such/program", args: [], readyPattern: /x/ })).rejects.toThrow(/ENOENT/);
});

test("a process that does not stop is killed", async () => {
  const stubborn = await startProcess({
    ...node("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"),
    readyPattern: /up/,
  });
  expect(await stubborn.stop("SIGTERM", 200)).toBe("SIGKILL");
});

test("a forgotten process ends with the test's process", async () => {
  const module = JSON.stringify(new URL("start-process.ts", import.meta.url).href);
  const parent = await startProcess(
    node(`import(${module}).then(async ({ startProcess }) => {
      const child = await startProcess({ command: process.execPath, args: ["--eval", "console.log('up'); setInterval(() => {}, 1000)"], readyPattern: /up/ });
      console.log("child " + child.pid);
      process.exit(0);
    })`),
  );
  const [, pid] = await parent.waitFor(/child (\d+)/);
  await parent.exited;
  await expect.poll(() => isRunning(Number(pid))).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    // If nobody waits for orphans, they stay as zombies.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
