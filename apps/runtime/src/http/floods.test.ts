// Floods from outside, and who still gets an answer. In: many sockets from several addresses. Out: replies and log
// lines.
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

let cell: TestCell;
let greedy: TestProject;

beforeAll(async () => {
  cell = await createTestCell({
    limits: {
      replyBytes: { total: 1_000_000, perProject: 2_000_000 },
      sockets: { total: 100, perAddress: 50 },
    },
  });
  greedy = await cell.addProject(testBlueprint);
  cell.addCaller("greedy", greedy, keyPrincipal("key_greedy", ["admin"]));
  cell.addCaller("quiet", await cell.addProject(testBlueprint), keyPrincipal("key_quiet", ["admin"]));
  await cell.rows(
    greedy,
    `insert into {schema}.listings (id, title, price, status, description)
     select gen_random_uuid(), 'Long', n, 'active', repeat('d', 9000) from generate_series(1, 100) n`,
  );
});
afterAll(() => cell?.close());

function open(localAddress: string): { readonly socket: Socket; readonly received: () => string } {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(cell.url).port), localAddress });
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  return { socket, received: () => text };
}

const head = (method: string, path: string, more = ""): string =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const as = (name: string): string => `authorization: Bearer ${name}\r\n`;

test("unread replies only delay their own project", async () => {
  const deaf = Array.from({ length: 6 }, () => {
    const { socket } = open("127.0.0.1");
    socket.pause();
    for (let i = 0; i < 8; i++) socket.write(head("GET", "/api/listings?limit=100", as("greedy")));
    return socket;
  });
  await expect
    .poll(async () => (await cell.send("greedy", "GET", "/api/listings?limit=1")).status, { timeout: 10_000 })
    .toBe(503);
  for (let i = 0; i < 5; i++) expect((await cell.send("quiet", "GET", "/api/listings")).status).toBe(200);
  for (const socket of deaf) socket.destroy();
  await expect
    .poll(async () => (await cell.send("greedy", "GET", "/api/listings?limit=1")).status, { timeout: 10_000 })
    .toBe(200);
});

test("queued requests of a connection delay no other connection", async () => {
  for (let n = 0; n < 40; n++) cell.addCaller(`greedy ${n}`, greedy, keyPrincipal(`key_greedy_${n}`, ["admin"]));
  const flood = Array.from({ length: 40 }, (_, at) => {
    const { socket, received } = open("127.0.0.1");
    const one = (n: number): string => head("GET", "/api/listings?limit=1", as(`greedy ${(at + n) % 40}`));
    socket.write(Array.from({ length: 300 }, (_, n) => one(n)).join(""));
    return { socket, answered: () => received().split("HTTP/1.1 ").length - 1 };
  });
  const answered = (): number => flood.reduce((sum, each) => sum + each.answered(), 0);
  await expect.poll(answered, { interval: 1 }).toBeGreaterThan(0);
  const before = answered();
  expect((await cell.send("quiet", "GET", "/api/listings")).status).toBe(200);
  expect(answered() - before).toBeLessThan(300);
  const then = answered();
  await expect.poll(answered, { timeout: 10_000 }).toBeGreaterThan(then);
  for (const { socket } of flood) socket.destroy();
});

test("a connection that requests hundreds of answers before it reads one is closed", async () => {
  const { socket } = open("127.0.0.1");
  socket.write(head("GET", "/api/listings?limit=1", as("quiet")).repeat(700));
  await expect.poll(() => socket.closed, { timeout: 10_000 }).toBe(true);
  expect((await cell.send("quiet", "GET", "/api/listings")).status).toBe(200);
});

test("idle connections from many addresses are closed for active clients", async () => {
  const idle: Socket[] = [];
  for (const address of ["127.0.0.11", "127.0.0.12", "127.0.0.13"]) {
    for (let i = 0; i < 40; i++) {
      const { socket } = open(address);
      socket.write(head("GET", "/healthz"));
      idle.push(socket);
    }
    await sleep(300);
  }
  const wanting = open("127.0.0.14");
  wanting.socket.write(head("GET", "/healthz"));
  await expect.poll(wanting.received).toMatch(/^HTTP\/1\.1 200 /);
  for (const socket of [...idle, wanting.socket]) socket.destroy();
});

describe("preflights", () => {
  test("are limited for each network, and logged in a few lines", async () => {
    const before = cell.logLines.length;
    const { socket, received } = open("127.0.0.21");
    const preflight = "origin: https://x.example\r\naccess-control-request-method: POST\r\n";
    for (let i = 0; i < 450; i++) socket.write(head("OPTIONS", "/api/listings", preflight));
    const count = (status: number): number => received().split(`HTTP/1.1 ${status} `).length - 1;
    await expect.poll(() => count(204) + count(429), { timeout: 10_000 }).toBe(450);
    expect(count(204)).toBeGreaterThanOrEqual(400);
    expect(count(429)).toBeGreaterThan(0);
    expect(cell.logLines.length - before).toBeLessThan(10);
    socket.destroy();
  });
});

describe("a client that is refused again and again", () => {
  const ask = async (localAddress: string, more = ""): Promise<{ readonly text: string; readonly ms: number }> => {
    const { socket, received } = open(localAddress);
    const startedMs = performance.now();
    socket.write(head("GET", "/api/listings?limit=1", `${more}connection: close\r\n`));
    await new Promise((resolve) => socket.once("close", resolve));
    return { text: received(), ms: performance.now() - startedMs };
  };
  /** Uses up the refusals that are answered at once. */
  const exhaust = async (localAddress: string): Promise<void> => {
    const { socket, received } = open(localAddress);
    for (let i = 0; i < 100; i++) socket.write(head("GET", "/api/listings"));
    await expect.poll(() => received().split("HTTP/1.1 401 ").length - 1, { interval: 5 }).toBe(100);
    for (let i = 0; i < 20; i++) open(localAddress).socket.write(head("GET", "/api/listings"));
  };

  test("waits for the answer, but neither a good request of the same client nor another network does", async () => {
    await exhaust("127.0.0.41");
    const [refused, good, other] = await Promise.all([
      ask("127.0.0.41"),
      ask("127.0.0.41", as("quiet")),
      ask("127.0.0.42"),
    ]);
    expect(refused.text).toMatch(/^HTTP\/1\.1 401 /);
    expect(refused.ms).toBeGreaterThan(400);
    expect(good.text).toMatch(/^HTTP\/1\.1 200 /);
    expect(good.ms).toBeLessThan(400);
    expect(other.text).toMatch(/^HTTP\/1\.1 401 /);
    expect(other.ms).toBeLessThan(400);
  });

  test("loses no answer if good requests are among refused ones, and delays nobody else", async () => {
    await exhaust("127.0.0.43");
    const { socket, received } = open("127.0.0.43");
    socket.write(head("GET", "/api/listings?limit=1", as("quiet")));
    for (let i = 0; i < 40; i++) socket.write(head("GET", "/api/listings"));
    socket.write(head("GET", "/api/listings?limit=1", as("quiet")));
    expect((await cell.send("quiet", "GET", "/api/listings")).status).toBe(200);
    const answers = (): string[] => received().match(/HTTP\/1\.1 \d{3}/g) ?? [];
    await expect.poll(answers, { timeout: 10_000 }).toHaveLength(42);
    expect(new Set(answers().slice(1, -1))).toEqual(new Set(["HTTP/1.1 401"]));
    expect([answers()[0], answers().at(-1)]).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    socket.destroy();
  });

  test("gets the answers of a short pipeline one after the other", async () => {
    await exhaust("127.0.0.44");
    const { socket, received } = open("127.0.0.44");
    for (let i = 0; i < 5; i++) socket.write(head("GET", "/api/listings"));
    await expect.poll(() => received().split("HTTP/1.1 401 ").length - 1, { timeout: 5_000 }).toBe(5);
    socket.write(head("GET", "/api/listings?limit=1", as("quiet")));
    await expect.poll(received, { timeout: 5_000 }).toContain("HTTP/1.1 200 ");
    socket.destroy();
  });
});

test.each([
  ["too large", 413, as("quiet"), 8_000_000],
  ["of nobody known", 401, as("nobody"), 1_000_000],
])(
  "a client that writes all of a body that is %s before reading still gets the answer",
  async (_, status, credential, size) => {
    for (let i = 0; i < 10; i++) {
      const { socket, received } = open("127.0.0.31");
      const json = `content-type: application/json\r\ncontent-length: ${size}\r\n`;
      socket.pause();
      socket.write(head("POST", "/api/listings", `${credential}${json}`));
      // In pieces, like clients send a file: the answer comes in between.
      for (let sent = 0; sent < size; sent += 100_000) {
        await new Promise<void>((resolve) => socket.write(Buffer.alloc(100_000, 0x20), () => resolve()));
        await sleep(1);
      }
      socket.resume();
      await expect.poll(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      socket.destroy();
    }
  },
);

test("a client that asks before it sends a body is answered at once", async () => {
  const { socket, received } = open("127.0.0.32");
  const startedMs = performance.now();
  const more = "content-type: application/json\r\ncontent-length: 8000000\r\nexpect: 100-continue\r\n";
  socket.write(head("POST", "/api/listings", `${as("quiet")}${more}`));
  await expect.poll(received, { interval: 5 }).toMatch(/^HTTP\/1\.1 413 /);
  expect(performance.now() - startedMs).toBeLessThan(700);
  socket.destroy();
});
