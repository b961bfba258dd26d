// Bad input of every kind: always a 4xx problem, nothing changed, all problems of a body at once.
import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

let cell: TestCell;
let project: TestProject;
let id: string;
let before: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(testBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  id = (await cell.send("ana", "POST", "/api/listings", { title: "Chair", price: 10 })).json.data.id;
  before = await cell.fingerprint(project);
});
afterEach(async () => {
  expect(await cell.fingerprint(project)).toBe(before);
});
afterAll(() => cell?.close());

function expectProblem(reply: TestReply, status: number, code: string): void {
  expect({ status: reply.status, code: reply.json?.code }, reply.text).toEqual({ status, code });
  expect(reply.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect(reply.json).toMatchObject({ type: `https://plinth.dev/problems/${code}`, status });
  expect(reply.json.request_id).toBe(reply.headers.get("x-request-id"));
  expect(reply.text).not.toMatch(/\.ts\b|node_modules|select |insert |"t_/i);
}

const post = (body: unknown, headers?: Record<string, string>): Promise<TestReply> =>
  cell.send("ana", "POST", "/api/listings", body, headers);

describe("a body", () => {
  test.each<[string, string | Uint8Array]>([
    ["that is no JSON", "{title: 1}"],
    ["that ends early", '{"title": "x'],
    ["with something behind it", '{"title":"x","price":1} x'],
    ["with a comment", '{"title":"x", /* */ "price":1}'],
    ["with a key twice", '{"title":"x","price":1,"price":2}'],
    ["with a key twice, one escaped", '{"title":"x","price":1,"\\u0070rice":2}'],
    ["with __proto__ twice", '{"__proto__":1,"__proto__":2}'],
    ["with digits that a double loses", '{"title":"x","price":12345678901234567890}'],
    ["with a fraction that a double loses", '{"title":"x","price":0.12345678901234567890123}'],
    ["with a number beyond a double", '{"title":"x","price":1e999}'],
    ["nested too deeply", `{"title":${"[".repeat(40)}${"]".repeat(40)}}`],
    ["of bad UTF-8", new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
    ["with a byte order mark", "\ufeff{}"],
    ["of UTF-16", new Uint8Array([0x7b, 0x00, 0x7d, 0x00])],
  ])("%s is malformed", async (_, body) => {
    expectProblem(await post(body), 400, "malformed_json");
    expectProblem(await cell.send("ana", "PATCH", `/api/listings/${id}`, body), 400, "malformed_json");
  });

  test("that is empty or absent is malformed", async () => {
    expectProblem(await post(""), 400, "malformed_json");
    expectProblem(await cell.send("ana", "POST", "/api/listings"), 400, "malformed_json");
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["a list", []],
    ["a string", "x"],
    ["a number", 1],
  ])("that is %s is invalid", async (_, body) => {
    expectProblem(await post(JSON.stringify(body)), 422, "validation_failed");
  });

  test.each<[string, Record<string, unknown>, string, string]>([
    ["a string for an int", { price: "1" }, "/price", "wrong_type"],
    ["a fraction for an int", { price: 1.5 }, "/price", "wrong_type"],
    ["an int out of range", { price: 2147483648 }, "/price", "out_of_range"],
    ["a bool for an int", { price: true }, "/price", "wrong_type"],
    ["null for a required field", { title: null }, "/title", "wrong_type"],
    ["an object for a string", { title: {} }, "/title", "wrong_type"],
    ["too long a string", { title: "x".repeat(256) }, "/title", "too_long"],
    ["NUL", { title: "a\0b" }, "/title", "invalid_format"],
    ["NUL in a text", { description: "\0" }, "/description", "invalid_format"],
    ["half of a surrogate pair", { title: "\ud800" }, "/title", "invalid_format"],
    ["an unknown enum value", { status: "actve" }, "/status", "not_allowed"],
    ["a string for a bool", { featured: "true" }, "/featured", "wrong_type"],
    ["no e-mail", { contact: "nobody" }, "/contact", "invalid_format"],
    ["no date", { opens_at: "2024-02-30T00:00:00Z" }, "/opens_at", "invalid_format"],
    ["a date without an offset", { opens_at: "2024-02-20T00:00:00" }, "/opens_at", "invalid_format"],
    ["no UUID", { external: "123" }, "/external", "invalid_format"],
    ["an unknown field", { titel: "x" }, "/titel", "unknown_field"],
    ["id", { id: "018f0000-0000-7000-8000-000000000000" }, "/id", "unknown_field"],
    ["version", { version: 7 }, "/version", "unknown_field"],
    ["created_at", { created_at: "2024-01-01T00:00:00Z" }, "/created_at", "unknown_field"],
    ["constructor", { constructor: 1 }, "/constructor", "unknown_field"],
    ["an awkward name", { "a/b~c": 1 }, "/a~1b~0c", "unknown_field"],
  ])("with %s is invalid, at create and at update", async (_, values, path, code) => {
    for (const reply of [
      await post({ title: "x", price: 1, ...values }),
      await cell.send("ana", "PATCH", `/api/listings/${id}`, values),
    ]) {
      expectProblem(reply, 422, "validation_failed");
      expect(reply.json.errors).toEqual([{ path, code, message: expect.any(String) }]);
    }
  });

  test("with __proto__ pollutes nothing", async () => {
    const reply = await post('{"title":"x","price":1,"__proto__":{"polluted":true}}');
    expectProblem(reply, 422, "validation_failed");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("gets all its problems at once", async () => {
    const reply = await post({ titel: "x", price: "1", status: "gone", contact: "c" });
    expectProblem(reply, 422, "validation_failed");
    const codes = Object.fromEntries(
      reply.json.errors.map((each: { path: string; code: string }) => [each.path, each.code]),
    );
    expect(codes).toEqual({
      "/title": "required",
      "/titel": "unknown_field",
      "/price": "wrong_type",
      "/status": "not_allowed",
      "/contact": "invalid_format",
    });
    expect(reply.text).toContain('Did you mean \\"title\\"?');
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json; charset=utf-16",
    "",
  ])("of type %j is refused", async (type) => {
    const reply = await post('{"title":"x","price":1}', { "content-type": type });
    expectProblem(reply, 415, "unsupported_media_type");
    expect(reply.json.detail).toBe("Send the body as application/json in UTF-8.");
  });

  test("in an encoding is refused", async () => {
    const reply = await post('{"title":"x","price":1}', { "content-encoding": "gzip" });
    expectProblem(reply, 415, "unsupported_media_type");
  });

  test("over 1 MiB is refused", async () => {
    expectProblem(await post({ title: "x", price: 1, description: "x".repeat(1024 * 1024) }), 413, "payload_too_large");
  });

  test("where none is allowed is refused", async () => {
    expectProblem(await cell.send("ana", "DELETE", `/api/listings/${id}`, {}), 400, "bad_request");
    const raw = await sendRaw(
      `GET /api/listings HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ana\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
    );
    expect(raw).toMatch(/^HTTP\/1.1 400 /);
    expect(raw).toContain('"code":"bad_request"');
    const chunked = await sendRaw(
      "GET /api/listings HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ana\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    );
    expect(chunked).toMatch(/^HTTP\/1.1 400 /);
  });

  test("over 1 MiB is refused whether or not its length was announced", async () => {
    const { port } = new URL(cell.url);
    const chunk = "x".repeat(64 * 1024);
    const status = await new Promise((resolve, reject) => {
      const sent = request(
        {
          port,
          method: "POST",
          path: "/api/listings",
          headers: { authorization: "Bearer ana", "content-type": "application/json", "transfer-encoding": "chunked" },
        },
        (reply) => resolve(reply.resume().statusCode),
      );
      sent.on("error", reject);
      for (let i = 0; i < 20; i++) sent.write(chunk);
      sent.end();
    });
    expect(status).toBe(413);
  });
});

describe("a query string", () => {
  test.each(
    [
      ["limit=0", "bad_request"],
      ["limit=101", "bad_request"],
      ["limit=-1", "bad_request"],
      ["limit=1.5", "bad_request"],
      ["limit=", "bad_request"],
      ["limit=1&limit=2", "bad_request"],
      ["status=active&status=draft", "bad_request"],
      ["status=actve", "bad_request"],
      ["price=abc", "bad_request"],
      ["price=99999999999", "bad_request"],
      ["featured=1", "bad_request"],
      ["external=1", "bad_request"],
      ["opens_at=yesterday", "bad_request"],
      ["title=%00", "bad_request"],
      ["title=%zz", "bad_request"],
      ["title=%C3%28", "bad_request"],
      ["sort=nothing", "bad_request"],
      ["sort=", "bad_request"],
      ["sort=price,price", "bad_request"],
      ["sort=price,title,status,code", "bad_request"],
      ["cursor=x", "invalid_cursor"],
      ["cursor=", "invalid_cursor"],
      ["statsu=active", "unknown_parameter"],
      ["price[above]=1", "bad_request"],
      ["offset=1", "unknown_parameter"],
      ["__proto__=1", "unknown_parameter"],
      ["constructor=1", "unknown_parameter"],
      ["=1", "unknown_parameter"],
      [Array.from({ length: 60 }, (_, i) => `p${i}=1`).join("&"), "bad_request"],
      // Empty parts are no parameters, and hide none.
      [`${"&".repeat(51)}statsu=active`, "unknown_parameter"],
      [`limit=1${"&".repeat(12_000)}price=abc`, "bad_request"],
      [`limit=1${"&".repeat(100)}limit=2`, "bad_request"],
      [`${"p=1&".repeat(3_000)}status=active`, "bad_request"],
      [`${Array.from({ length: 51 }, (_, i) => `p${i}=1`).join("&")}&status=active`, "bad_request"],
      ["limit=1&%6Cimit=2", "bad_request"],
      ["status=active;limit=1", "bad_request"],
      ["status=active&", "ok"],
      ["&status=active", "ok"],
      ["status=active?limit=1", "bad_request"],
      ["status=%61ctive", "ok"],
      ["status=%E0%A4%A", "bad_request"],
      ["%=1", "bad_request"],
      ["%00=1", "bad_request"],
      ["+status=active", "unknown_parameter"],
      ["status=+active", "bad_request"],
      ["&&=&&", "unknown_parameter"],
      ["status[]=active", "unknown_parameter"],
      ["status=active&status", "bad_request"],
    ].map(([query = "", code = ""]) => [
      query.length > 60 ? `${query.slice(0, 40)}... (${query.length})` : query,
      code,
      query,
    ]),
  )("%s is %s", async (_, code, query) => {
    const reply = await cell.send("ana", "GET", `/api/listings?${query}`);
    if (code === "ok") expect(reply.status, reply.text).toBe(200);
    else expectProblem(reply, 400, code);
  });

  test("with any number of ampersands filters as without them", async () => {
    const titles = async (query: string): Promise<readonly string[]> => {
      const { json } = await cell.send("ana", "GET", `/api/listings?${query}`);
      return json.data.map((row: { title: string }) => row.title);
    };
    for (const count of [0, 1, 49, 50, 51, 52, 1_000]) {
      expect(await titles(`${"&".repeat(count)}title=nothing`), String(count)).toEqual([]);
      expect(await titles(`${"&".repeat(count)}title=Chair`), String(count)).toEqual(["Chair"]);
    }
  });

  test("that is too long for a request line is refused as a whole", async () => {
    const reply = await cell.send("ana", "GET", `/api/listings?title=${"x".repeat(20_000)}`);
    expectProblem(reply, 431, "headers_too_large");
  });

  test("with a small mistake gets a suggestion", async () => {
    expect((await cell.send("ana", "GET", "/api/listings?statsu=active")).json.detail).toContain('"status"');
    expect((await cell.send("ana", "GET", "/api/listings?sort=-prise")).json.detail).toContain('"price"');
  });

  test("on any other route is refused", async () => {
    expectProblem(await cell.send("ana", "GET", `/api/listings/${id}?title=x`), 400, "unknown_parameter");
    expectProblem(await cell.send("ana", "DELETE", `/api/listings/${id}?force=1`), 400, "unknown_parameter");
    expectProblem(
      await cell.send("ana", "POST", "/api/listings?x=1", { title: "x", price: 1 }),
      400,
      "unknown_parameter",
    );
  });
});

describe("a path", () => {
  test.each([
    "/",
    "/api",
    "/api/",
    "/api/nothing",
    "/v1/resources/nothing",
    "/api/listings/",
    "/api/listings//",
    "/api/listings/x/y",
    "/v2/resources/listings",
    "/API/listings",
    "/api/listings/%2e%2e",
    "/api/listings/..%2f",
    "/api/%6cistings",
  ])("%s names nothing", async (path) => {
    expectProblem(await cell.send("ana", "GET", path), 404, "not_found");
  });

  test("of any length names nothing", async () => {
    for (const length of [101, 1_000, 8_000]) {
      expectProblem(await cell.send("ana", "GET", `/api/listings/${"x".repeat(length)}`), 404, "not_found");
    }
  });

  test("with bad percent-encoding is a problem too", async () => {
    const reply = await cell.send("ana", "GET", "/api/listings/%zz");
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(reply.headers.get("content-type")).toContain("application/problem+json");
  });

  test("with another method gets the allowed ones", async () => {
    const list = await cell.send("ana", "PUT", "/api/listings", {});
    expectProblem(list, 405, "method_not_allowed");
    expect(list.headers.get("allow")).toBe("GET, HEAD, POST, PATCH, DELETE, OPTIONS");
    const record = await cell.send("ana", "POST", `/api/listings/${id}`, {});
    expectProblem(record, 405, "method_not_allowed");
    expect(record.headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE, OPTIONS");
  });
});

describe("a request that isn't HTTP", () => {
  test.each([
    ["garbage", "hello\r\n\r\n", 400],
    ["too large headers", `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ["an unknown method", "BREW / HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["two lengths", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400],
  ])("%s gets a problem", async (_, bytes, status) => {
    const raw = await sendRaw(bytes);
    expect(raw).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(raw).toContain("application/problem+json");
  });
});

describe("X-Request-Id", () => {
  test("is accepted if it is harmless, else generated", async () => {
    const given = await cell.send("ana", "GET", "/api/listings", undefined, { "x-request-id": "a-1.b:c" });
    expect(given.headers.get("x-request-id")).toBe("a-1.b:c");
    for (const bad of ["x".repeat(129), 'a"b', "a b", "<script>"]) {
      const reply = await cell.send("ana", "GET", "/api/listings", undefined, { "x-request-id": bad });
      expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

function sendRaw(bytes: string): Promise<string> {
  const { port } = new URL(cell.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
    socket.setTimeout(5_000, () => socket.destroy());
  });
}
