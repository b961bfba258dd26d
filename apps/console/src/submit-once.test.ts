// A submission has one effect: two equal requests at the same time are sent once, and a retry without a response has the same key.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { submitOnce } from "./submit-once.ts";

let server: Server;
let url: string;
let received: { key: string; body: string }[];
/** The statuses of the next responses; 0 closes the connection. */
let statuses: number[];

beforeEach(async () => {
  [received, statuses] = [[], []];
  server = createServer(async (request, response) => {
    received.push({ key: String(request.headers["idempotency-key"]), body: await textOf(request) });
    const status = statuses.shift() ?? 200;
    if (status === 0) return request.socket.destroy();
    response.writeHead(status).end(`answer ${received.length}`);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => new Promise((done) => server.close(done)));

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

test("two at once are one request, and both get the response", async () => {
  const submit = submitOnce();
  const [one, two] = await Promise.all([1, 2].map(() => submit(url, { method: "POST", body: "{}" })));
  expect([await one?.text(), await two?.text()]).toEqual(["answer 1", "answer 1"]);
  expect(received).toHaveLength(1);
});

test("a different request, or one after the response, is another submission", async () => {
  const submit = submitOnce();
  await Promise.all(["1", "2"].map((body) => submit(url, { method: "POST", body })));
  await submit(url, { method: "POST", body: "1" });
  expect(new Set(received.map(({ key }) => key)).size).toBe(3);
});

test.each([0, 502])(
  "a retry after a lost response (%s) has the same key; after a refusal it has another",
  async (lost) => {
    const submit = submitOnce();
    const send = () => submit(url, { method: "POST", body: "1" }).catch(() => null);
    statuses = [lost, 409];
    for (let round = 0; round < 3; round++) await send();
    const [first, second, third] = received.map(({ key }) => key);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  },
);
