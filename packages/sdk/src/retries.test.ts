// Which calls are retried, and when: safe calls, and calls with an idempotency key.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Client, createClient } from "./client.ts";
import { Conflict } from "./errors.ts";
import { type Answer, type AnsweringServer, startAnsweringServer } from "./testing/answering-server.ts";

let server: AnsweringServer;
beforeEach(async () => {
  server = await startAnsweringServer();
});
afterEach(() => server.close());

const client = (): Client => createClient({ project: "desk", apiKey: "plk_pub_x", baseUrl: server.baseUrl });
const tasks = () => client().entity("task");
const page = { next_cursor: null, has_more: false };
const found: Answer = { status: 200, body: { data: { id: "1" }, page } };
const failed = (status: number, code: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: { code, status, title: code },
});

/** The first requests fail, and later ones succeed. */
function failing(times: number, failure: Answer): void {
  server.answer = () => (server.sent.length <= times ? failure : found);
}

type Call = (db: Client) => Promise<unknown>;
const key = { idempotencyKey: "monday" };

describe("safe and keyed calls are tried again if the service is not available", () => {
  const calls: readonly (readonly [string, Call])[] = [
    ["findOne", (db) => db.entity("task").findOne("1")],
    ["findMany", (db) => db.entity("task").findMany()],
    ["aggregate", (db) => db.entity("task").aggregate({ select: ["count"] })],
    ["can", (db) => db.can([])],
    ["run", (db) => db.run("1")],
    ["create with a key", (db) => db.entity("task").create({}, key)],
    ["upsert with a key", (db) => db.entity("task").upsert({ name: "x" }, {}, key)],
    ["update with a key", (db) => db.entity("task").update("1", {}, key)],
    ["delete with a key", (db) => db.entity("task").delete("1", key)],
    ["createMany with a key", (db) => db.entity("task").createMany([{}], key)],
    ["transition with a key", (db) => db.entity("task").transition("1", "x", {}, key)],
    ["restore with a key", (db) => db.entity("task").restore("1", key)],
    ["batch with a key", (db) => db.batch(() => [], key)],
    ["action with a key", (db) => db.action("x", {}, key)],
  ];
  test.each(calls)("%s", async (name, call) => {
    failing(1, failed(503, "unavailable"));
    await call(client());
    expect(server.sent).toHaveLength(2);
    server.sent.length = 0;
    // The records kept changing, and the service says when to try again.
    failing(1, failed(409, "conflict", { "retry-after": "0" }));
    await call(client());
    expect(server.sent).toHaveLength(2);
    const keys = server.sent.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(name.endsWith("key") ? ["monday", "monday"] : [undefined, undefined]);
  });
});

describe("other calls are not tried again", () => {
  const calls: readonly (readonly [string, Call])[] = [
    ["create", (db) => db.entity("task").create({})],
    ["upsert", (db) => db.entity("task").upsert({ name: "x" }, {})],
    ["update", (db) => db.entity("task").update("1", {}, { version: 3 })],
    ["delete", (db) => db.entity("task").delete("1")],
    ["deleteMany", (db) => db.entity("task").deleteMany(["1"])],
    ["transition", (db) => db.entity("task").transition("1", "x")],
    ["batch", (db) => db.batch(() => [])],
    ["action", (db) => db.action("x")],
    ["signIn", (db) => db.auth.signIn({ email: "a@example.com", password: "correct horse" })],
    ["organizations.create", (db) => db.organizations.create({ name: "x" })],
  ];
  test.each(calls)("%s", async (_, call) => {
    server.answer = () => failed(503, "unavailable", { "retry-after": "0" });
    await expect(call(client())).rejects.toMatchObject({ status: 503 });
    expect(server.sent).toHaveLength(1);
  });
});

test("a call has three attempts, and only if another attempt can help", async () => {
  server.answer = () => failed(503, "unavailable");
  await expect(tasks().findOne("1")).rejects.toMatchObject({ code: "unavailable" });
  expect(server.sent).toHaveLength(3);
  for (const [status, code] of [
    [400, "bad_request"],
    [403, "forbidden"],
    [404, "not_found"],
    [409, "unique_violation"],
    [409, "conflict"],
    [422, "validation_failed"],
    [500, "internal"],
  ] as const) {
    server.sent.length = 0;
    server.answer = () => failed(status, code);
    await expect(tasks().create({}, key)).rejects.toMatchObject({ code });
    expect(server.sent).toHaveLength(1);
  }
});

test("Retry-After is respected, in seconds or as a date", async () => {
  failing(1, failed(429, "rate_limited", { "retry-after": "1" }));
  await tasks().create({}, key);
  const wait = (): number => (server.sent[1]?.at ?? 0) - (server.sent[0]?.at ?? 0);
  expect(wait()).toBeGreaterThanOrEqual(990);
  server.sent.length = 0;
  // A date has whole seconds.
  const date = new Date(Date.now() + 2_000).toUTCString();
  failing(1, failed(503, "unavailable", { "retry-after": date }));
  await tasks().findOne("1");
  expect(server.sent[1]?.at).toBeGreaterThanOrEqual(Date.parse(date) - 10);
  server.sent.length = 0;
  failing(1, failed(503, "unavailable", { "retry-after": new Date(Date.now() + 60_000).toUTCString() }));
  await expect(tasks().findOne("1")).rejects.toMatchObject({ status: 503 });
  expect(server.sent).toHaveLength(1);
});

test("after a lost connection, the same key is tried again, even if the first attempt is still running", async () => {
  let isLost = false;
  server.answer = () => (server.sent.length === 2 ? failed(409, "idempotency_in_flight") : found);
  const db = createClient({
    project: "desk",
    apiKey: "plk_pub_x",
    baseUrl: server.baseUrl,
    fetch: async (input, init) => {
      const reply = await fetch(input, init);
      if (isLost) return reply;
      isLost = true;
      await reply.body?.cancel();
      throw new TypeError("the connection was lost");
    },
  });
  expect(await db.entity("task").create({}, key)).toEqual({ id: "1" });
  expect(server.sent.map(({ headers }) => headers["idempotency-key"])).toEqual(["monday", "monday", "monday"]);
  server.answer = () => failed(409, "idempotency_in_flight");
  await expect(tasks().create({}, key)).rejects.toBeInstanceOf(Conflict);
});
