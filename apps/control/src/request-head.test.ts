// Request heads that proxies and servers could read differently (RFC 9112, 3.2), and announced bodies that nothing reads.
import { exchangeRaw } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./testing/control-plane.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld({ cell: false });
}, 60_000);
afterAll(() => world?.stop());

test.each([
  ["one Host", "/healthz", ["host: x"], "200"],
  ["two Hosts", "/healthz", ["host: x", "host: y"], "400"],
  ["two Hosts at a procedure", "/trpc/me.get", ["host: x", "host: y"], "400"],
  ["no Host", "/healthz", [], "400"],
  ["a Host with a path", "/healthz", ["host: x/y"], "400"],
  ["an absolute target of the same host", "http://x/healthz", ["host: x"], "200"],
  ["an absolute target of another host", "http://y/healthz", ["host: x"], "400"],
] as const)("%s", async (_name, target, headers, status) => {
  const lines = [`GET ${target} HTTP/1.1`, "connection: close", ...headers];
  const { received } = await exchangeRaw(world.url, [...lines, "", ""].join("\r\n"));
  expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test.each([
  ["GET", "/healthz", 9_000, "200"],
  ["POST", "/nothing", 9_000, "404"],
  ["POST", "/trpc/me.get", 900_000_000, "413"],
])("a body that %s %s doesn't read keeps no connection open", async (method, target, length, status) => {
  const head = [`${method} ${target} HTTP/1.1`, "host: x", "content-type: application/json"];
  const text = [...head, `content-length: ${length}`, "", "{"].join("\r\n");
  const { received, closed } = await exchangeRaw(world.url, text);
  expect([received.split("\r\n", 1)[0], closed]).toEqual([expect.stringMatching(`^HTTP/1.1 ${status} `), true]);
});
