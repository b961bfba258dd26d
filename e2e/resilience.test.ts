// The service continues while parts of it are down: control is stopped, and the runtime is killed during writes.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callerOf } from "./api.ts";
import { queryCell } from "./cell.ts";
import { answers, type DevStack, startDev } from "./stack.ts";

let stack: DevStack;

beforeAll(async () => {
  stack = await startDev("docs/examples/market-square.yaml");
});

afterAll(() => stack?.stop());

/** Ends the runtime without warning; `up` starts it again. */
async function killRuntime(): Promise<void> {
  const pid = stack.pidOf("apps/runtime/");
  if (pid === null) throw new Error("the runtime is not up");
  process.kill(pid, "SIGKILL");
  while (stack.pidOf("apps/runtime/") === pid) await pause(20);
}

test("while the control API is stopped, the data plane answers, restarts, and answers again", async () => {
  const admin = callerOf(stack.apiUrl, stack.keys.secret);
  const control = stack.pidOf("apps/control/");
  if (control === null) throw new Error("the control API is not up");
  process.kill(control, "SIGSTOP");
  try {
    expect((await admin.get("/api/listings")).status).toBe(200);
    await killRuntime();
    await answers(`${stack.apiUrl}/readyz`);
    expect((await admin.post("/api/listings", { title: "Chair", price: 5 })).status).toBe(201);
  } finally {
    process.kill(control, "SIGCONT");
  }
});

test("kill -9 of the runtime during writes loses no acknowledged write, and each committed write has its audit row", async () => {
  const admin = callerOf(stack.apiUrl, stack.keys.secret);
  const acknowledged = new Set<string>();
  let writing = true;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; writing && i < 2000; i++) {
      const reply = await admin.post("/api/listings", { title: `crash ${writer}/${i}`, price: i }).catch(() => null);
      if (reply?.status === 201) acknowledged.add(reply.body.data.id);
      else await pause(reply?.status === 429 ? 100 : 10);
    }
  });
  for (let kill = 0; kill < 3; kill++) {
    await pause(700);
    await killRuntime();
    await answers(`${stack.apiUrl}/readyz`);
  }
  await pause(300);
  writing = false;
  await Promise.all(writers);

  expect(acknowledged.size).toBeGreaterThan(50);
  const [[schema]] = (await queryCell(stack.home, "select 't_' || substr(id, 5) from plinth.projects")) as [[string]];
  const committed = await queryCell(stack.home, `select id::text from "${schema}".listings where title like 'crash %'`);
  const ids = new Set(committed.map(([id]) => id as string));
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
  const audited = await queryCell(
    stack.home,
    `select record_id::text from "${schema}".audit_log where operation = 'create' and record_id in
       (select id from "${schema}".listings where title like 'crash %')`,
  );
  expect(audited.map(([id]) => id).sort()).toEqual([...ids].sort());
});
