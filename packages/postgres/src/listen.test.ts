import { createFaultProxy, createTestDatabase, type FaultProxy, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listening, listen } from "./listen.ts";

let database: TestDatabase;
let proxy: FaultProxy;
let sender: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await createFaultProxy({ target: database.url });
  sender = new pg.Client({ connectionString: database.url });
  await sender.connect();
});
afterAll(async () => {
  await sender.end();
  await proxy.close();
  await database.drop();
});

test("notifications arrive, also on the connection after a lost one", async () => {
  const heard: string[] = [];
  let reconnects = 0;
  const listening: Listening = await listen({
    connectionString: proxy.through(database.url),
    channels: ["releases", "keys"],
    onNotify: (channel, payload) => heard.push(`${channel}: ${payload}`),
    onReconnect: () => reconnects++,
  });
  await sender.query("NOTIFY releases, 'one'; NOTIFY keys, 'two'");
  await expect.poll(() => heard).toEqual(["releases: one", "keys: two"]);
  expect(reconnects).toBe(0);

  proxy.cut();
  await sender.query("NOTIFY releases, 'lost'");
  // Longer than several attempts take: each of them fails, and there is always another one.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(reconnects).toBe(0);
  proxy.restore();
  await expect.poll(() => reconnects, { timeout: 3_000 }).toBe(1);
  await sender.query("NOTIFY releases, 'three'; NOTIFY keys, 'four'");
  await expect.poll(() => heard.slice(2)).toEqual(["releases: three", "keys: four"]);

  const { rows } = await sender.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plinth listen' AND datname = current_database()",
  );
  expect(rows).toHaveLength(1);
  await expect.poll(() => reconnects, { timeout: 3_000 }).toBe(2);
  await sender.query("NOTIFY keys, 'five'");
  await expect.poll(() => heard.slice(4)).toEqual(["keys: five"]);

  await listening.close();
  await expect.poll(() => proxy.connections()).toBe(0);
});

test("closing while the server is away leaves no retry", async () => {
  const connectionString = proxy.through(database.url);
  const listening = await listen({ connectionString, channels: ["releases"], onNotify: () => {} });
  proxy.cut();
  await new Promise((resolve) => setTimeout(resolve, 200));
  await listening.close();
  proxy.restore();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(proxy.connections()).toBe(0);
});

test("an unreachable server at the start is an error, and leaves no retry", async () => {
  proxy.cut();
  const options = { channels: ["releases"], onNotify: () => {} };
  await expect(listen({ ...options, connectionString: proxy.through(database.url) })).rejects.toThrow();
  proxy.restore();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(proxy.connections()).toBe(0);
});

test("the heartbeat detects a network that swallows all data", async () => {
  let reconnects = 0;
  const heard: string[] = [];
  const listening = await listen({
    connectionString: proxy.through(database.url),
    channels: ["releases"],
    onNotify: (_channel, payload) => heard.push(payload),
    onReconnect: () => reconnects++,
    heartbeatMs: 200,
  });
  proxy.freeze();
  await new Promise((resolve) => setTimeout(resolve, 600));
  proxy.restore();
  await expect.poll(() => reconnects, { timeout: 5_000 }).toBe(1);
  await sender.query("NOTIFY releases, 'heard'");
  await expect.poll(() => heard).toEqual(["heard"]);
  await listening.close();
  await expect.poll(() => proxy.connections()).toBe(0);
});
