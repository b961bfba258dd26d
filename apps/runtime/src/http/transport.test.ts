// Everything before a body is read, and clients that are slow or too many. In: sockets. Out: replies, or a closed
// connection.
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { networksOf } from "@plinth/service";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

let cell: TestCell;
let project: TestProject;
let port: number;

beforeAll(async () => {
  cell = await createTestCell({
    limits: {
      bodyBytes: { total: 4_000_000, perProject: 2_000_000 },
      sockets: { total: 10_000, perAddress: 40 },
    },
    modules: {
      match: () => null,
      matchOpen: ({ method, path }) =>
        method === "GET" && path === "/ip"
          ? {
              projectId: project.projectId,
              bodyBytesMax: 0,
              handler: async ({ incoming }) => ({ status: 200, headers: {}, body: `[${incoming.ip}]` }),
            }
          : null,
    },
    isTrustedProxy: networksOf(["127.0.0.2"]),
  });
  project = await cell.addProject(testBlueprint);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  port = Number(new URL(cell.url).port);
});
afterAll(() => cell?.close());

interface Peer {
  readonly socket: Socket;
  readonly received: () => string;
  /** Milliseconds from the connection to its end. */
  readonly ended: Promise<number>;
}

function peer(text: string, localAddress = "127.0.0.1"): Peer {
  const startedMs = performance.now();
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  socket.write(text);
  const ended = new Promise<number>((resolve) => socket.once("close", () => resolve(performance.now() - startedMs)));
  return { socket, received: () => received, ended };
}

const head = (method: string, path: string, headers: Readonly<Record<string, string | number>>): string =>
  [`${method} ${path} HTTP/1.1`, "host: x", ...Object.entries(headers).map(([k, v]) => `${k}: ${v}`), "", ""].join(
    "\r\n",
  );
const json = { "content-type": "application/json" };
const admin = { authorization: "Bearer admin", ...json };

describe("a body", () => {
  test("of an unknown caller is not read: the answer comes before it, and the connection ends", async () => {
    const stranger = peer(head("POST", "/api/listings", { ...json, "content-length": 15_000_000 }));
    expect(await stranger.ended).toBeLessThan(2_000);
    expect(stranger.received()).toMatch(/^HTTP\/1\.1 401 /);
    expect(stranger.received()).toMatch(/connection: close/i);
  });

  test("that is announced as too large is refused before it comes, whoever sends it", async () => {
    const caller = peer(head("POST", "/api/listings", { ...admin, "content-length": 15_000_000 }));
    expect(await caller.ended).toBeLessThan(2_000);
    expect(caller.received()).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("of unknown length is cut off when it becomes too large", async () => {
    const caller = peer(head("POST", "/api/listings", { ...admin, "transfer-encoding": "chunked" }));
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    for (let i = 0; i < 40 && !caller.socket.destroyed; i++) {
      caller.socket.write(chunk);
      await sleep(2);
    }
    await caller.ended;
    expect(caller.received()).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("is requested if the client waits for `100-continue`", async () => {
    const body = JSON.stringify({ title: "asked", price: 1 });
    const caller = peer(
      head("POST", "/api/listings", { ...admin, expect: "100-continue", "content-length": body.length }),
    );
    await expect.poll(caller.received).toMatch(/^HTTP\/1\.1 100 Continue/);
    caller.socket.write(body);
    await expect.poll(caller.received).toMatch(/HTTP\/1\.1 201 /);
    const stranger = peer(head("POST", "/api/listings", { expect: "100-continue", "content-length": body.length }));
    await stranger.ended;
    expect(stranger.received()).toMatch(/^HTTP\/1\.1 401 /);
    caller.socket.destroy();
  });

  test("that is too slow is cut off within ten seconds, and the others are served meanwhile", async () => {
    const slow = Array.from({ length: 10 }, () =>
      peer(head("POST", "/api/listings", { ...admin, "content-length": 500 })),
    );
    const drip = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write(" ");
    }, 200);
    const served = await cell.send("admin", "POST", "/api/listings", { title: "quick", price: 1 });
    expect(served.status, served.text).toBe(201);
    const times = await Promise.all(slow.map(({ ended }) => ended));
    clearInterval(drip);
    expect(Math.max(...times)).toBeLessThan(10_000);
    expect(slow[0]?.received()).toMatch(/^HTTP\/1\.1 408 /);
  }, 20_000);

  test("waits for room if the project's other bodies fill it, and is refused in the end", async () => {
    // Each announces a megabyte and sends none of it: two fill the project's share.
    const idle = [1, 2].map(() => peer(head("POST", "/api/listings", { ...admin, "content-length": 1_000_000 })));
    await sleep(200);
    const large = { title: "x".repeat(100), price: 1, description: "y".repeat(9_000) };
    const refused = await cell.send("admin", "POST", "/api/listings", large);
    expect([refused.status, refused.json.code]).toEqual([503, "unavailable"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    // A small one takes no share.
    expect((await cell.send("admin", "POST", "/api/listings", { title: "small", price: 1 })).status).toBe(201);
    await Promise.all(idle.map(({ ended }) => ended));
    expect((await cell.send("admin", "POST", "/api/listings", large)).status).toBe(201);
  }, 30_000);
});

describe("a client", () => {
  test("whose head does not come is cut within ten seconds", async () => {
    const slow = peer("GET /api/listings HTTP/1.1\r\nhost: x\r\n");
    const drip = setInterval(() => slow.socket.write("x"), 300);
    expect(await slow.ended).toBeLessThan(10_000);
    clearInterval(drip);
  }, 20_000);

  test("that does not read its reply is cut off within ten seconds", async () => {
    await cell.rows(
      project,
      `insert into {schema}.listings (id, title, price, status, description)
       select gen_random_uuid(), 'Long', n, 'active', repeat('d', 9000) from generate_series(1, 100) n`,
    );
    const deaf = peer("");
    deaf.socket.pause();
    const asked = head("GET", "/api/listings?limit=100", admin);
    for (let i = 0; i < 12; i++) deaf.socket.write(asked);
    await sleep(9_000);
    // A socket only reports that it was closed after the earlier data has been read.
    deaf.socket.resume();
    await deaf.ended;
    expect(deaf.received().length).toBeLessThan(12 * 100 * 9_000);
  }, 30_000);

  test("has no more sockets than its share, without affecting another", async () => {
    await openSockets(0);
    const crowd = Array.from({ length: 60 }, () => peer(""));
    await expect.poll(() => crowd.filter(({ received }) => received() === "").length, { timeout: 5_000 }).toBe(40);
    const other = peer(head("GET", "/healthz", { connection: "close" }), "127.0.0.3");
    await other.ended;
    expect(other.received()).toMatch(/^HTTP\/1\.1 200 /);
    for (const { socket } of crowd) socket.destroy();
    await openSockets(0);
  });

  test("over its share gets an error and when to come again; its request is not served", async () => {
    const share = Array.from({ length: 40 }, () => peer(""));
    await openSockets(40);
    const body = JSON.stringify({ title: "over the share", price: 1 });
    const over = peer(`${head("POST", "/api/listings", { ...admin, "content-length": body.length })}${body}`);
    expect(await over.ended).toBeLessThan(3_500);
    const [answered = "", problem = ""] = over.received().split("\r\n\r\n");
    expect(answered).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(answered).toMatch(/^retry-after: 1$/im);
    expect(answered).toMatch(/^connection: close$/im);
    expect(answered).toMatch(/^content-type: application\/problem\+json/im);
    expect(answered).toContain(`content-length: ${problem.length}`);
    expect(JSON.parse(problem)).toMatchObject({
      status: 503,
      code: "unavailable",
      detail: "Too many connections are open from this address.",
    });
    expect(await cell.rows(project, "select 1 from {schema}.listings where title = 'over the share'")).toEqual([]);
    for (const { socket } of share) socket.destroy();
    await openSockets(0);
  });

  test("over its share that neither reads nor ends is cut off soon, and costs the others nothing", async () => {
    const share = Array.from({ length: 40 }, () => peer(""));
    await openSockets(40);
    const linesBefore = cell.logLines.length;
    const deaf = Array.from({ length: 400 }, () => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => {});
      socket.pause();
      socket.write("x".repeat(1_000));
      return socket;
    });
    const startedMs = performance.now();
    const other = peer(head("GET", "/healthz", { connection: "close" }), "127.0.0.3");
    await other.ended;
    expect(other.received()).toMatch(/^HTTP\/1\.1 200 /);
    await openSockets(40);
    expect(performance.now() - startedMs).toBeLessThan(4_000);
    // One line for each ten seconds, with the number of further ones.
    expect(cell.logLines.some((line) => line.includes("a connection was refused"))).toBe(true);
    expect(cell.logLines.length - linesBefore).toBeLessThan(5);
    for (const socket of deaf) socket.destroy();
    for (const { socket } of share) socket.destroy();
    await openSockets(0);
  }, 20_000);

  test("over its share that sends on and on is cut off at once", async () => {
    const share = Array.from({ length: 40 }, () => peer(""));
    await openSockets(40);
    const loud = peer("x".repeat(1_000_000));
    expect(await loud.ended).toBeLessThan(1_000);
    for (const { socket } of share) socket.destroy();
    await openSockets(0);
  });
});

/** Waits until the server has that many sockets. */
async function openSockets(count: number): Promise<void> {
  const held = (): Promise<number> =>
    new Promise((resolve, reject) => {
      cell.app.server.getConnections((error, open) => (error === null ? resolve(open) : reject(error)));
    });
  cell.app.server.closeIdleConnections();
  await expect.poll(held, { timeout: 8_000, interval: 50 }).toBe(count);
}

describe("a forwarded address", () => {
  test("only counts from a trusted proxy", async () => {
    const ask = async (localAddress: string): Promise<string | undefined> => {
      const headers = { "x-forwarded-for": "198.51.100.1, 203.0.113.9", connection: "close" };
      const caller = peer(head("GET", "/ip", headers), localAddress);
      await caller.ended;
      return /\[(.*)\]/.exec(caller.received())?.[1];
    };
    // The part before the proxy's own entry was written by the client.
    expect(await ask("127.0.0.2")).toBe("203.0.113.9");
    expect(await ask("127.0.0.1")).toBe("127.0.0.1");
  });

  test.each([
    [
      ["10.0.0.0/8", "::1"],
      ["10.1.2.3", "::ffff:10.9.9.9", "::1"],
      ["11.0.0.1", "::2", "nonsense", ""],
    ],
    [[], [], ["127.0.0.1", "::1"]],
  ])("of %s", (ranges, trusted, others) => {
    const isTrusted = networksOf(ranges);
    expect([trusted.map(isTrusted), others.map(isTrusted)]).toEqual([trusted.map(() => true), others.map(() => false)]);
  });

  test.each(["10.0.0.0/33", "10.0.0/8", "::1/129", "x", "10.0.0.0/8/8", "10.0.0.0/"])("%s is no range", (range) => {
    expect(() => networksOf([range])).toThrow(`${range} is neither`);
  });
});

test("a flood of refusals is logged in a few lines", async () => {
  const before = cell.logLines.length;
  for (let i = 0; i < 200; i++) expect((await cell.send(null, "GET", "/api/listings")).status).toBe(401);
  expect(cell.logLines.length - before).toBeLessThan(5);
});
