// Heads that proxies and servers could interpret differently (RFC 9112, 3.2), and bodies that are announced but not
// accepted.
import { exchangeRaw } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell } from "./testing/test-cell.ts";

let cell: TestCell;

beforeAll(async () => {
  cell = await createTestCell({});
  const project = await cell.addProject(testBlueprint);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
});
afterAll(() => cell?.close());

const ask = async (target: string, headers: readonly string[], version = "1.1", method = "GET"): Promise<string> => {
  const lines = [`${method} ${target} HTTP/${version}`, "authorization: Bearer admin", "connection: close", ...headers];
  const { received } = await exchangeRaw(cell.url, [...lines, "", ""].join("\r\n"));
  return /^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? "none";
};

test.each([
  ["one Host", "/api/listings", ["host: x"], "200"],
  ["one Host with a port", "/api/listings", ["host: x.example:4000"], "200"],
  ["an IPv6 Host", "/api/listings", ["host: [::1]:4000"], "200"],
  ["two Hosts", "/api/listings", ["host: x", "host: y"], "400"],
  ["two Hosts alike", "/api/listings", ["host: x", "Host: x"], "400"],
  ["two Authorizations", "/api/listings", ["host: x", "authorization: Bearer other"], "400"],
  ["two Authorizations alike", "/api/listings", ["host: x", "Authorization: Bearer admin"], "400"],
  ["one Content-Type", "/api/listings", ["host: x", "content-type: application/json"], "200"],
  [
    "two Content-Types",
    "/api/listings",
    ["host: x", "content-type: application/json", "Content-Type: text/plain"],
    "400",
  ],
  ["no Host", "/api/listings", [], "400"],
  ["a list of Hosts", "/api/listings", ["host: x, y"], "400"],
  ["a Host with a path", "/api/listings", ["host: x/y"], "400"],
  ["a Host with a user", "/api/listings", ["host: a@x"], "400"],
  ["two Hosts at a route of ours", "/healthz", ["host: x", "host: y"], "400"],
  ["an absolute target of the same host", "http://x/api/listings?limit=1", ["host: x"], "200"],
  ["an absolute target of the same host without a path", "http://x", ["host: x"], "404"],
  ["an absolute target of another host", "http://y/api/listings", ["host: x"], "400"],
  ["an absolute target of another host at a route of ours", "http://y/healthz", ["host: x"], "400"],
  ["an absolute target with a user", "http://a@x/api/listings", ["host: x"], "400"],
  ["an absolute target of another kind", "ftp://x/api/listings", ["host: x"], "400"],
  ["a target that is no path", "api/listings", ["host: x"], "400"],
] as const)("%s", async (_name, target, headers, status) => {
  expect(await ask(target, headers)).toBe(status);
});

test("HTTP/1.0 needs no Host", async () => {
  expect(await ask("/api/listings", [], "1.0")).toBe("200");
});

test.each([
  ["GET", "/healthz", "200"],
  ["GET", "/readyz", "200"],
  ["GET", "/api/listings", "400"],
  ["POST", "/api/%zz", "400"],
  ["POST", "/api/nothing", "404"],
  ["OPTIONS", "/api/listings", "204"],
])("an unwanted body for %s %s keeps no connection open", async (method, target, status) => {
  const head = [`${method} ${target} HTTP/1.1`, "host: x", "authorization: Bearer admin", "content-length: 9000"];
  const { received, closed } = await exchangeRaw(cell.url, [...head, "", "{"].join("\r\n"));
  expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(closed).toBe(true);
});
