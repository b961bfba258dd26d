// Every invalid request gets a 4xx problem document, changes nothing, and shows no internals.
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, callerOf, type Reply, signUp } from "./api.ts";
import { type DevStack, startDev } from "./stack.ts";

let stack: DevStack;
let ana: Awaited<ReturnType<typeof signUp>>;
let listing: string;

beforeAll(async () => {
  stack = await startDev("docs/examples/market-square.yaml");
  ana = await signUp(stack.apiUrl, stack.keys.publishable, "ana@example.com");
  const created = await ana.as.post("/v1/resources/listings", { title: "Lamp", price: 10 });
  listing = created.body.data.id;
});

afterAll(() => stack?.stop());

const tampered = "plk_sec_000000000000000000000000000000000000";

interface Case {
  readonly name: string;
  readonly status: number;
  readonly code?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string | Uint8Array;
}

const json = { "content-type": "application/json" };
const create = { method: "POST", path: "/v1/resources/listings", headers: json };
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

const cases: readonly Case[] = [
  { name: "no credential", status: 401, headers: { authorization: null } },
  { name: "a credential of another scheme", status: 401, headers: { authorization: "Basic YTpi" } },
  { name: "a key whose checksum is wrong", status: 401, headers: { authorization: `Bearer ${tampered}` } },
  { name: "a forged user token", status: 401, headers: { "plinth-user-token": "eyJhbGciOiJub25lIn0.e30." } },
  { name: "another project's name", status: 403, code: "project_mismatch", headers: { "plinth-project": "elsewhere" } },
  { name: "an unknown resource", status: 404, path: "/v1/resources/unicorns" },
  { name: "an unknown path", status: 404, path: "/v1/nowhere" },
  { name: "an id that is no id", status: 404, path: "/api/listings/42" },
  {
    name: "a method that the route lacks",
    status: 405,
    method: "PUT",
    path: "/api/listings",
    headers: json,
    body: "{}",
  },
  { name: "an unknown parameter", status: 400, path: "/api/listings?colour=red" },
  { name: "a repeated parameter", status: 400, path: "/api/listings?limit=1&limit=2" },
  { name: "a limit of zero", status: 400, path: "/api/listings?limit=0" },
  { name: "a limit beyond the largest", status: 400, path: "/api/listings?limit=101" },
  { name: "a limit that is no number", status: 400, path: "/api/listings?limit=1e2" },
  { name: "a cursor that we did not make", status: 400, code: "invalid_cursor", path: "/api/listings?cursor=AAAA" },
  { name: "a sort by an unknown field", status: 400, path: "/api/listings?sort=colour" },
  { name: "a filter value of the wrong type", status: 400, path: "/api/listings?price=cheap" },
  { name: "a filter value outside its enum", status: 400, path: "/api/listings?status=gone" },
  { name: "a broken percent encoding", status: 400, path: "/api/listings?status=%E0%A4%A" },
  { name: "no content type", status: 415, ...create, headers: {}, body: '{"title":"a","price":1}' },
  { name: "another content type", status: 415, ...create, headers: { "content-type": "text/plain" }, body: "a" },
  { name: "an empty body", status: 400, ...create, body: "" },
  { name: "JSON that ends too early", status: 400, code: "malformed_json", ...create, body: '{"title":' },
  { name: "a duplicate key", status: 400, ...create, body: '{"title":"a","title":"b","price":1}' },
  { name: "a number that loses precision", status: 400, ...create, body: '{"title":"a","price":12345678901234567890}' },
  { name: "invalid UTF-8", status: 400, ...create, body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d) },
  { name: "deep nesting", status: 400, ...create, body: deep(5000) },
  { name: "a body over the limit", status: 413, ...create, body: JSON.stringify({ title: "x".repeat(1 << 20) }) },
  { name: "an array for an object", status: 422, ...create, body: "[]" },
  { name: "missing fields", status: 422, ...create, body: "{}" },
  { name: "an unknown field", status: 422, ...create, body: '{"title":"a","price":1,"colour":"red"}' },
  { name: "a field of the service", status: 422, ...create, body: '{"title":"a","price":1,"version":7}' },
  { name: "text for a number", status: 422, ...create, body: '{"title":"a","price":"1"}' },
  { name: "an integer out of range", status: 422, ...create, body: '{"title":"a","price":2147483648}' },
  { name: "a fraction for an integer", status: 422, ...create, body: '{"title":"a","price":1.5}' },
  { name: "a value outside its enum", status: 422, ...create, body: '{"title":"a","price":1,"status":"gone"}' },
  { name: "null for a required field", status: 422, ...create, body: '{"title":null,"price":1}' },
  { name: "text that is too long", status: 422, ...create, body: JSON.stringify({ title: "x".repeat(256), price: 1 }) },
  { name: "a NUL in a text", status: 422, ...create, body: '{"title":"a\\u0000b","price":1}' },
  { name: "a lone surrogate in a text", status: 422, ...create, body: '{"title":"\\ud800","price":1}' },
  { name: "a prototype name", status: 422, ...create, body: '{"__proto__":{"admin":true},"title":"a","price":1}' },
  {
    name: "an unknown parameter of a create",
    status: 400,
    ...create,
    path: "/api/listings?x=1",
    body: '{"title":"a","price":1}',
  },
];

test.each(cases)("$name is refused with $status", async (wrong) => {
  const before = await everyListing();
  const headers = new Headers({ authorization: `Bearer ${stack.keys.secret}` });
  for (const [name, value] of Object.entries(wrong.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  const path = wrong.path ?? "/api/listings";
  const body = wrong.body === undefined ? null : Buffer.from(wrong.body as string);
  const reply = await call(stack.apiUrl + path, { method: wrong.method ?? "GET", headers, body });
  expectProblem(reply, wrong.status);
  if (wrong.code !== undefined) expect(reply.body.code).toBe(wrong.code);
  expect(await everyListing()).toEqual(before);
});

test("a refusal names all invalid fields", async () => {
  const reply = await ana.as.post("/api/listings", { title: 7, price: "x", status: "gone", colour: "red" });
  expect(reply.body.errors.map((error: { path: string }) => error.path).sort()).toEqual([
    "/colour",
    "/price",
    "/status",
    "/title",
  ]);
});

test("a refusal of an unknown parameter suggests the right one", async () => {
  const reply = await ana.as.get("/api/listings?statsu=active");
  expect(reply.body.detail).toContain("status");
});

test("an update is checked like a create", async () => {
  for (const body of [{ price: "x" }, { colour: "red" }, { id: listing }, { title: null }]) {
    expectProblem(await ana.as.patch(`/api/listings/${listing}`, body), 422);
  }
  expect((await ana.as.get(`/api/listings/${listing}`)).body.data).toMatchObject({
    title: "Lamp",
    price: 10,
    version: 1,
  });
});

test("a request over the rate limit gets 429 with a waiting time, and earlier replies contain the limit", async () => {
  const first = await ana.as.get("/v1/users/me");
  expect(first.headers.get("ratelimit-policy")).toMatch(/;q=\d+/);
  expect(first.headers.get("ratelimit")).toMatch(/;r=\d+/);
  const replies = await Promise.all(Array.from({ length: 500 }, () => ana.as.get("/v1/users/me")));
  const refused = replies.filter((reply) => reply.status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) {
    expectProblem(reply, 429);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

async function everyListing(): Promise<unknown> {
  const reply = await callerOf(stack.apiUrl, stack.keys.secret).get("/api/listings?limit=100");
  expect(reply.status).toBe(200);
  return reply.body.data;
}

function expectProblem(reply: Reply, status: number): void {
  expect(reply.status, reply.text).toBe(status);
  expect(reply.headers.get("content-type")).toContain("application/problem+json");
  expect(reply.body).toMatchObject({ status, code: expect.any(String), title: expect.any(String) });
  expect(reply.body.request_id).toBe(reply.headers.get("x-request-id"));
  expect(reply.text).not.toMatch(/\bat .+:\d+:\d+|node_modules|select |insert |pg_|t_[0-9a-z]{20}/i);
}
