// `plinth up` keeps its parts running: each is killed without warning during writes, and restarts automatically.
// Acknowledged writes are still there, the terminal reports it, and a stop in the middle of a restart leaves no process
// behind.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callerOf } from "./api.ts";
import { queryCell } from "./cell.ts";
import { type DevStack, startDev } from "./stack.ts";

let stack: DevStack;
let writing = true;
let writer: Promise<void>;
const acknowledged = new Set<string>();

beforeAll(async () => {
  stack = await startDev("docs/examples/market-square.yaml");
  const admin = callerOf(stack.apiUrl, stack.keys.secret);
  writer = (async () => {
    for (let i = 0; writing; i++) {
      const reply = await admin.post("/api/listings", { title: `kept ${i}`, price: i }).catch(() => null);
      if (reply?.status === 201) acknowledged.add(reply.body.data.id);
      await pause(20);
    }
  })();
});

afterAll(async () => {
  writing = false;
  await writer;
  await stack?.stop();
});

const parts = [
  { name: "runtime", part: "apps/runtime/", url: () => `${stack.apiUrl}/readyz` },
  { name: "control API", part: "apps/control/", url: () => `${stack.controlUrl}/readyz` },
  { name: "console", part: "apps/console/src/", url: () => `${stack.consoleUrl}/sign-in` },
  { name: "embedded Postgres", part: "bin/postgres", url: () => `${stack.apiUrl}/readyz` },
] as const;

async function until(holds: () => unknown, seconds = 60): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not happen in ${seconds} s. ${stack.output()}`);
    await pause(50);
  }
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );

test.each(parts)("the $name restarts after a kill, and the terminal says so", async ({ name, part, url }) => {
  const others = new Map(parts.filter((one) => one.part !== part).map((one) => [one.name, stack.pidOf(one.part)]));
  const before = stack.pidOf(part);
  if (before === null) throw new Error(`the ${name} is not up`);
  const written = acknowledged.size;
  process.kill(before, "SIGKILL");
  await until(() => stack.output().includes(`The ${name} is running again.`));
  expect(stack.output()).toContain(`The ${name} ended (SIGKILL); starting it again in 0.25 s.\n`);
  expect(stack.pidOf(part)).not.toBe(before);
  await until(() => isOk(url()));
  // Writes work again without any other restart, so the connection pools have recovered.
  await until(() => acknowledged.size > written + 10);
  expect(new Map(parts.filter((one) => one.part !== part).map((one) => [one.name, stack.pidOf(one.part)]))).toEqual(
    others,
  );
  for (const each of parts) await until(() => isOk(each.url()));
});

test("no acknowledged write is lost", async () => {
  writing = false;
  await writer;
  const [[schema]] = (await queryCell(stack.home, "select 't_' || substr(id, 5) from plinth.projects")) as [[string]];
  const rows = await queryCell(stack.home, `select id::text from "${schema}".listings where title like 'kept %'`);
  const ids = new Set(rows.map(([id]) => id as string));
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
});

test("stopping in the middle of restarts ends every process", async () => {
  const running = stack.processes();
  for (const part of ["apps/runtime/", "bin/postgres"]) process.kill(stack.pidOf(part) ?? Number.NaN, "SIGKILL");
  await pause(300);
  const meanwhile = stack.processes();
  await stack.stop();
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  // The sessions of a killed Postgres notice it, and end after a moment.
  await until(() => ![...running, ...meanwhile].some(isAlive), 10);
});
