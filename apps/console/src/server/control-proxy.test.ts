// Requests to the control API through the console, and their responses. The control API of these tests responds with the request that it
// received.
import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleConfig } from "./config.ts";
import { type ControlProxy, createControlProxy } from "./control-proxy.ts";

const SECRET = "what the console and control share, long enough";

let control: Server;
let outside: Server;
let proxy: ControlProxy;
let waiting = 0;

interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

beforeAll(async () => {
  control = createServer(async (incoming, outgoing) => {
    if (incoming.url === "/wait") {
      waiting++;
      return void outgoing.once("close", () => waiting--);
    }
    if (incoming.url === "/refuse") return void outgoing.writeHead(401).end("{}");
    let body = "";
    try {
      for await (const chunk of incoming) body += chunk;
    } catch {
      return;
    }
    if (incoming.url === "/hang-up") return void outgoing.destroy();
    outgoing.writeHead(
      201,
      [
        ["content-type", "application/json"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
        ["keep-alive", "timeout=1"],
      ].flat(),
    );
    outgoing.end(JSON.stringify({ url: incoming.url, method: incoming.method, headers: incoming.headers, body }));
  });
  await listening(control);
  const { port } = control.address() as AddressInfo;
  proxy = createControlProxy(
    consoleConfig({ PLINTH_CONTROL_URL: `http://127.0.0.1:${port}/`, PLINTH_CONSOLE_SECRET: SECRET }),
  );
  outside = createServer((incoming, outgoing) => {
    if (proxy.takes(incoming)) proxy.forward(incoming, outgoing);
    else outgoing.writeHead(404).end();
  });
  await listening(outside);
});

afterAll(async () => {
  proxy.close();
  outside.closeAllConnections();
  control.closeAllConnections();
  await Promise.all([new Promise((done) => outside.close(done)), new Promise((done) => control.close(done))]);
});

function listening(server: Server): Promise<void> {
  return new Promise((done) => server.listen(0, "127.0.0.1", done));
}

interface Reply {
  readonly status: number | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;
}

function ask(path: string, headers: Record<string, string> = {}, body?: string): Promise<Reply> {
  const { port } = outside.address() as AddressInfo;
  return new Promise((done, failed) => {
    const method = body === undefined ? "GET" : "POST";
    const call = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("end", () =>
        done({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    call.once("error", failed);
    call.end(body);
  });
}

const seen = ({ bytes }: Reply): Seen => JSON.parse(bytes.toString()) as Seen;

test("the console sets the client's address, whatever the client sends", async () => {
  const forged = {
    "x-forwarded-for": "6.6.6.6",
    forwarded: "for=6.6.6.6",
    "x-real-ip": "6.6.6.6",
    "x-forwarded-host": "evil.example",
    "x-plinth-client-ip": "6.6.6.6",
    "x-plinth-console": "guessed",
  };
  const { headers } = seen(await ask("/control/trpc/me.get?batch=1", forged));
  expect(headers["x-forwarded-for"]).toBe("127.0.0.1");
  expect(headers["x-plinth-console"]).toBe(SECRET);
  expect(JSON.stringify(headers)).not.toMatch(/6\.6\.6\.6|evil|guessed/);
});

test("a request and its response pass unchanged", async () => {
  const sent = {
    "content-type": "application/json",
    cookie: "plinth.session_token=x",
    origin: "https://console.example",
  };
  const reply = await ask("/control/auth/sign-in/email?a=%2F", sent, '{"a":1}');
  const { url, method, headers, body } = seen(reply);
  expect({ url, method, body }).toEqual({ url: "/auth/sign-in/email?a=%2F", method: "POST", body: '{"a":1}' });
  expect(headers).toMatchObject(sent);
  expect(reply.status).toBe(201);
  expect(reply.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
  expect(JSON.stringify(reply.headers)).not.toContain(SECRET);
});

test("headers of a connection are not forwarded, including those that the client names", async () => {
  const { headers } = seen(await ask("/control/x", { connection: "x-hop", "x-hop": "1", te: "trailers" }));
  expect(headers).not.toHaveProperty("x-hop");
  expect(headers).not.toHaveProperty("te");
});

test("a long response is compressed if the client accepts it", async () => {
  const padding = { "x-padding": "y".repeat(2000) };
  const plain = await ask("/control/x", padding);
  expect(plain.headers["content-encoding"]).toBeUndefined();
  const packed = await ask("/control/x", { ...padding, "accept-encoding": "gzip, br" });
  expect(packed.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(packed.bytes).toString()).toContain("yyyy");
});

test("a control API that hangs up is reported as unreachable, and the next request is served", async () => {
  const reply = await ask("/control/hang-up");
  expect([reply.status, reply.headers["content-type"]]).toEqual([502, "application/problem+json"]);
  expect(reply.bytes.toString()).not.toContain(SECRET);
  expect((await ask("/control/x")).status).toBe(201);
});

test("a body that is too large for the control API is refused before it is forwarded", async () => {
  const length = 2 * 1024 * 1024;
  const large = await ask("/control/x", { "content-length": String(length + 1), expect: "100-continue" });
  expect([large.status, JSON.parse(large.bytes.toString()).code]).toEqual([413, "payload_too_large"]);
  expect((await ask("/control/x", {}, "x".repeat(length))).status).toBe(201);
});

test.each([
  ["whose response is there already", "/control/refuse", ["content-length: 1000000"], 401],
  ["that is announced as too large", "/control/x", ["content-length: 3000000"], 413],
  ["that becomes too large", "/control/x", ["transfer-encoding: chunked"], 413],
])(
  "a body %s keeps no connection open, at neither end",
  async (_name, path, headers, status) => {
    const { port } = outside.address() as AddressInfo;
    const socket = connect({ host: "127.0.0.1", port });
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", () => {});
    const closed = new Promise((done) => socket.once("close", done));
    socket.write([`POST ${path} HTTP/1.1`, "host: x", ...headers, "", ""].join("\r\n"));
    const large = headers[0]?.includes("chunked") ? 2_200_000 : 1;
    socket.write(`${large.toString(16)}\r\n${"x".repeat(large)}\r\n`);
    const drip = setInterval(() => socket.write("1\r\nx\r\n"), 100);
    await Promise.race([closed, sleep(4_000)]);
    clearInterval(drip);
    const wasOpen = !socket.destroyed;
    socket.destroy();
    expect([received.split("\r\n", 1)[0], wasOpen]).toEqual([expect.stringContaining(`HTTP/1.1 ${status} `), false]);
    await expect.poll(() => connectionsOf(control), { timeout: 3_000 }).toBeLessThanOrEqual(1);
  },
  10_000,
);

function connectionsOf(server: Server): Promise<number> {
  return new Promise((done, failed) => server.getConnections((error, open) => (error ? failed(error) : done(open))));
}

test("the request of a client that disconnects is aborted", async () => {
  const { port } = outside.address() as AddressInfo;
  const call = request({ host: "127.0.0.1", port, path: "/control/wait", method: "GET" });
  call.once("error", () => {});
  call.end();
  await expect.poll(() => waiting).toBe(1);
  call.destroy();
  await expect.poll(() => waiting).toBe(0);
});

test("other requests are not forwarded", async () => {
  for (const path of ["/controls", "/control", "/projects", "/x/control/y"]) expect((await ask(path)).status).toBe(404);
});
