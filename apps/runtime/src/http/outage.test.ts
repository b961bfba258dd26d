// The database goes away and comes back; the server stops during a request.

import { setTimeout as sleep } from "node:timers/promises";
import { createFaultProxy, type FaultProxy } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

let proxy: FaultProxy;
let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell({
    route: async (databaseUrl) => {
      proxy = await createFaultProxy({ target: databaseUrl });
      return proxy.through(databaseUrl);
    },
  });
  project = await cell.addProject(testBlueprint);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
});
afterAll(async () => {
  await cell?.close();
  await proxy?.close();
});

const create = (title: string): ReturnType<TestCell["send"]> =>
  cell.send("admin", "POST", "/api/listings", { title, price: 1 });

test("a lost database is 503 at once, in both lanes, and all requests work after its return", async () => {
  const { id } = (await create("before")).json.data;
  expect((await cell.send("admin", "GET", "/api/listings?sort=price")).status).toBe(200);
  proxy.cut();
  for (const [method, path, body] of [
    ["GET", `/api/listings/${id}`, undefined],
    ["GET", "/api/listings?sort=price", undefined],
    ["POST", "/api/listings", { title: "lost", price: 1 }],
  ] as const) {
    const startedMs = performance.now();
    const reply = await cell.send("admin", method, path, body);
    expect(reply.json).toMatchObject({ status: 503, code: "unavailable" });
    expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(reply.text).not.toMatch(/ECONN|127\.0\.0\.1|terminated/);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  }
  proxy.restore();
  const untilMs = performance.now() + 10_000;
  let status = 0;
  while (status !== 200 && performance.now() < untilMs) {
    status = (await cell.send("admin", "GET", `/api/listings/${id}`)).status;
    if (status !== 200) await sleep(50);
  }
  expect(status).toBe(200);
});

test("a stop lets the request in progress finish", async () => {
  const { id } = (await create("held")).json.data;
  const client = await cell.pool.connect();
  await client.query(`begin; select from "${project.names.schema}".listings where id = '${id}' for update`);
  const reply = cell.send("admin", "PATCH", `/api/listings/${id}`, { price: 2 });
  await sleep(50);
  const closed = cell.app.close();
  await sleep(50);
  await client.query("commit");
  client.release();
  expect((await reply).status).toBe(200);
  await closed;
  await expect(cell.send("admin", "GET", "/healthz")).rejects.toThrow();
});
