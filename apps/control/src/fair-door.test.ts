// A flood of requests doesn't delay the requests of others, and slow requests don't take the places.
import { setTimeout as pause } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, it } from "vitest";
import { createClientAddress } from "./client-address.ts";
import { fairDoor } from "./fair-door.ts";

const SECRET = "what the console and control share, long enough";

let app: FastifyInstance;
/** Who was answered, in order. */
let answered: string[];
let endSlow: () => void;

afterEach(() => app?.close());

async function serve(): Promise<string> {
  answered = [];
  const slow = new Promise<void>((resolve) => {
    endSlow = resolve;
  });
  app = Fastify();
  fairDoor(app, { clientAddress: createClientAddress(SECRET), prefix: "/trpc/" });
  let database = Promise.resolve();
  app.get("/trpc/quick", async ({ headers }) => {
    // One after the other, as they arrived, like statements that wait for a connection.
    database = database.then(() => pause(2));
    await database;
    answered.push(String(headers["x-forwarded-for"]));
    return "";
  });
  app.get("/trpc/slow", async () => {
    await slow;
    return "";
  });
  return app.listen({ port: 0, host: "127.0.0.1" });
}

const ask = async (url: string, address: string, path = "/trpc/quick"): Promise<number> =>
  (await fetch(url + path, { headers: { "x-plinth-console": SECRET, "x-forwarded-for": address } })).status;

it("somebody else's request comes between those of a flood", async () => {
  const url = await serve();
  const flood = Array.from({ length: 150 }, () => ask(url, "192.0.2.1"));
  while (answered.length < 20) await pause(1);
  const before = answered.length;
  expect(await ask(url, "192.0.2.2")).toBe(200);
  // The requests that had started before it, and those that were answered until it arrived.
  expect(answered.indexOf("192.0.2.2") - before).toBeLessThan(60);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([200]));
});

it("one address has so many waiting requests, and others are let in", async () => {
  const url = await serve();
  const slow = Array.from({ length: 8 }, () => ask(url, "192.0.2.1", "/trpc/slow"));
  const flood = Array.from({ length: 300 }, () => ask(url, "192.0.2.1"));
  const codes = await Promise.all([...flood, ask(url, "192.0.2.2")]);
  expect(new Set(codes.slice(0, -1))).toEqual(new Set([200, 429]));
  expect(codes.at(-1)).toBe(200);
  endSlow();
  expect(new Set(await Promise.all(slow))).toEqual(new Set([200]));
});

it("requests that wait for something else don't hold their places", async () => {
  const url = await serve();
  const slow = ["192.0.2.1", "192.0.2.3"].flatMap((address) =>
    Array.from({ length: 10 }, () => ask(url, address, "/trpc/slow")),
  );
  await pause(20);
  expect(await ask(url, "192.0.2.1")).toBe(200);
  expect(await ask(url, "192.0.2.2")).toBe(200);
  endSlow();
  expect(new Set(await Promise.all(slow))).toEqual(new Set([200]));
});
