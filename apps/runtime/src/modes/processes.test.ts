// Each mode as a separate process: it runs, reports whether it is ready, and stops when it is told to.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createFaultProxy, createTestDatabase, freePort, startProcess, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cellTemplate } from "../release/testing/cell-template.ts";
import { cellId, cellSecret, controlPublicKey } from "./testing/cell.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const kek = randomBytes(32).toString("base64");
const modes = ["web", "worker", "scheduler", "webhook", "all"] as const;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
});
afterAll(async () => {
  await database?.drop();
});

describe.each(modes)("mode %s", (mode) => {
  it("reports its health while Postgres is up, down and up again, and stops in time", async () => {
    const proxy = await createFaultProxy({ target: database.url });
    const run = await startProcess({
      command: process.execPath,
      args: [main, mode],
      env: {
        CELL_DATABASE_URL: proxy.through(database.url),
        PLINTH_API_PORT: String(await freePort()),
        PLINTH_INTERNAL_PORT: String(await freePort()),
        PLINTH_HEALTH_PORT: String(await freePort()),
        PLINTH_WEBHOOK_PORT: String(await freePort()),
        PLINTH_WEBHOOK_HOST: "127.0.0.1",
        PLINTH_API_HOST: "127.0.0.1",
        PLINTH_CELL_SECRET: cellSecret,
        PLINTH_KEK: kek,
        PLINTH_CELL_ID: cellId,
        PLINTH_CONTROL_PUBLIC_KEYS: controlPublicKey,
        PLINTH_MODE: undefined,
      },
      readyPattern: /"(?:apiUrl|healthUrl|webhookUrl)":"(http:[^"]+)"/,
    });
    try {
      const url = run.ready?.[1] ?? "";
      const statusOf = async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status;
      expect(await statusOf("/healthz")).toBe(200);
      await expect.poll(() => statusOf("/readyz"), { timeout: 10_000 }).toBe(200);
      proxy.cut();
      await expect.poll(() => statusOf("/readyz"), { timeout: 5_000 }).toBe(503);
      expect(await statusOf("/healthz")).toBe(200);
      proxy.restore();
      await expect.poll(() => statusOf("/readyz"), { timeout: 10_000 }).toBe(200);
      const from = performance.now();
      expect(await run.stop()).toBe(0);
      expect(performance.now() - from).toBeLessThan(15_000);
    } finally {
      await run.stop("SIGKILL");
      await proxy.close();
    }
  }, 60_000);
});

describe("mode webhook", () => {
  it("answers 404 to everything else, and a stop lets requests in progress end", async () => {
    const run = await startProcess({
      command: process.execPath,
      args: [main, "webhook"],
      env: {
        CELL_DATABASE_URL: database.url,
        PLINTH_WEBHOOK_PORT: String(await freePort()),
        PLINTH_WEBHOOK_HOST: "127.0.0.1",
        PLINTH_CELL_SECRET: cellSecret,
        PLINTH_KEK: kek,
        PLINTH_CELL_ID: cellId,
        PLINTH_CONTROL_PUBLIC_KEYS: controlPublicKey,
        PLINTH_MODE: undefined,
      },
      readyPattern: /"webhookUrl":"(http:[^"]+)"/,
    });
    try {
      const url = run.ready?.[1] ?? "";
      for (const [method, path, body] of [
        ["POST", "/hooks/prj_x/stripe", '{"id":"evt_1"}'],
        ["POST", "/hooks/prj_x/stripe", "x".repeat(3_000_000)],
        ["GET", "/v1/runs", null],
        ["OPTIONS", "/api/notes", null],
        ["GET", "/p/prj_x/.well-known/jwks.json", null],
      ] as const) {
        const reply = await fetch(`${url}${path}`, { method, body });
        expect([method, path, reply.status]).toEqual([method, path, 404]);
        expect(reply.headers.get("content-type")).toContain("application/problem+json");
        expect(await reply.json()).toMatchObject({ status: 404, code: "not_found" });
      }
      const slow = fetch(`${url}/hooks/prj_x/stripe`, {
        method: "POST",
        duplex: "half",
        body: new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode("{"));
            await sleep(300);
            controller.close();
          },
        }),
      } as RequestInit);
      await sleep(100);
      const stopped = run.stop();
      expect((await slow).status).toBe(404);
      expect(await stopped).toBe(0);
    } finally {
      await run.stop("SIGKILL");
    }
  }, 30_000);
});
