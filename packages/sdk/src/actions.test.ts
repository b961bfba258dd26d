// Calls of a project's actions, with a real HTTP server: the requests, the replies, and the types.
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Client, createClient } from "./client.ts";
import { PlinthError } from "./errors.ts";

interface Shop {
  entities: object;
  actions: {
    "close-day": { input: { note?: string | null }; result: { count: number | null } };
    "count-again": { input: { shelf: number }; result: { id: string; status: string }; output: { count: number } };
  };
}

let server: Server;
let baseUrl: string;
let seen: readonly [call: string, body: unknown, key: unknown][];
let answer: (url: string) => { readonly status: number; readonly body: object };

beforeEach(async () => {
  seen = [];
  answer = () => ({ status: 200, body: { data: { count: 3 } } });
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    seen = [...seen, [`${request.method} ${request.url}`, body, request.headers["idempotency-key"]]];
    const given = answer(request.url ?? "");
    response.writeHead(given.status, { "content-type": "application/json" });
    response.end(JSON.stringify(given.body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  baseUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const client = (): Client<Shop> => createClient<Shop>({ project: "shop", apiKey: "plk_pub_x", baseUrl });

test("actions accept their input and return their output", async () => {
  const { count } = await client().action("close-day");
  expect(count).toBe(3);
  await client().action("close-day", { note: null });
  answer = () => ({ status: 202, body: { data: { id: "r1", status: "queued" } } });
  const { id } = await client().action("count-again", { shelf: 4 }, { idempotencyKey: "once" });
  await client().run(id);
  await createClient({ project: "shop", apiKey: "plk_pub_x", baseUrl }).action("any");
  expect(seen).toEqual([
    ["POST /v1/actions/close-day", {}, undefined],
    ["POST /v1/actions/close-day", { note: null }, undefined],
    ["POST /v1/actions/count-again", { shelf: 4 }, "once"],
    ["GET /v1/runs/r1", undefined, undefined],
    ["POST /v1/actions/any", {}, undefined],
  ]);
});

test("the generated types contain the actions and their inputs", async () => {
  // @ts-expect-error There is no such action.
  await client().action("close-nite");
  // @ts-expect-error It takes a number.
  await client().action("count-again", { shelf: "4" });
  // @ts-expect-error It takes an input.
  await client().action("count-again");
});

test("actions are only tried again with an idempotency key", async () => {
  answer = () =>
    seen.length === 1
      ? { status: 503, body: { code: "unavailable", status: 503 } }
      : { status: 200, body: { data: { count: 1 } } };
  await expect(client().action("close-day")).rejects.toThrow(PlinthError);
  seen = [];
  expect(await client().action("close-day", {}, { idempotencyKey: "k" })).toEqual({ count: 1 });
  expect(seen).toHaveLength(2);
});
