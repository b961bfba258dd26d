// The runtime as a process: usage, settings, start-up checks, signals, restarts.

import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { newId, type Publication } from "@plinth/bundle";
import type { ReleaseState } from "@plinth/bundle/cell";
import { compileModel } from "@plinth/compiler";
import { tenantNames } from "@plinth/postgres";
import {
  createFaultProxy,
  createTestDatabase,
  freePort,
  startProcess,
  type TestDatabase,
  type TestProcess,
} from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cellId, cellSecret, controlPublicKey, modelOf, publicationOf } from "./modes/testing/cell.ts";
import { cellTemplate } from "./release/testing/cell-template.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const secret = randomBytes(24).toString("hex");
const kek = randomBytes(32).toString("base64");
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
});
afterAll(async () => {
  await database?.drop();
});

async function start(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
  readyPattern?: RegExp,
): Promise<TestProcess> {
  return startProcess({
    command: process.execPath,
    args: [main, ...args],
    env: {
      CELL_DATABASE_URL: database.url,
      PLINTH_API_PORT: String(await freePort()),
      PLINTH_INTERNAL_PORT: String(await freePort()),
      PLINTH_CELL_SECRET: secret,
      PLINTH_KEK: kek,
      PLINTH_CELL_ID: cellId,
      PLINTH_CONTROL_PUBLIC_KEYS: controlPublicKey,
      PLINTH_MODE: undefined,
      ...env,
    },
    ...(readyPattern === undefined ? {} : { readyPattern }),
  });
}

const READY = /"apiUrl":"(http:[^"]+)"/;

describe("the command line", () => {
  it.each([[[]], [["jobs"]], [["everything"]]])("names the modes when asked for %j", async (args) => {
    const run = await start(args);
    expect(await run.exited).toBe(2);
    expect(run.output()).toMatch(/modes: web, worker, scheduler, webhook, all/);
  });

  it("names every bad setting at once, without their values", async () => {
    const short = "too-short-secret";
    const run = await start(["web"], { CELL_DATABASE_URL: undefined, PLINTH_CELL_SECRET: short, PLINTH_KEK: "AAAA" });
    expect(await run.exited).toBe(2);
    for (const name of ["CELL_DATABASE_URL", "PLINTH_CELL_SECRET", "PLINTH_KEK"]) expect(run.output()).toContain(name);
    expect(run.output()).not.toContain(short);
  });
});

describe("a start", () => {
  it("says what the database lacks, without its password", async () => {
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const role = new URL(database.url).username;
    await admin.query(`ALTER ROLE ${role} NOCREATEROLE`);
    try {
      const run = await start(["web"]);
      expect(await run.exited).toBe(1);
      expect(run.output()).toContain("CREATEROLE");
      expect(run.output()).not.toContain(new URL(database.url).password);
    } finally {
      await admin.query(`ALTER ROLE ${role} CREATEROLE`);
      await admin.end();
    }
  });

  it("serves until it is told to stop, and exits with 0; its log holds no secret", async () => {
    for (const args of [["all"], []]) {
      const run = await start(args, args.length === 0 ? { PLINTH_MODE: "web" } : {}, READY);
      const apiUrl = run.ready?.[1] ?? "";
      expect((await fetch(`${apiUrl}/readyz`)).status).toBe(200);
      const bearer = "plk_sec_0000000000000000000000000000000000abcd";
      await fetch(`${apiUrl}/v1/users/me`, { headers: { authorization: `Bearer ${bearer}` } });
      const from = performance.now();
      expect(await run.stop()).toBe(0);
      expect(performance.now() - from).toBeLessThan(5_000);
      for (const hidden of [secret, kek, bearer, new URL(database.url).password]) {
        expect(run.output()).not.toContain(hidden);
      }
      for (const line of run.stdout().trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
    }
  });

  it("waits for Postgres if it can't be reached yet, and stops meanwhile if it is asked to", async () => {
    const proxy = await createFaultProxy({ target: database.url });
    proxy.cut();
    const env = { CELL_DATABASE_URL: proxy.through(database.url) };
    const [run, other] = [await start(["web"], env), await start(["worker"], env)];
    const says = (each: TestProcess): boolean => each.output().includes("waiting for Postgres");
    await expect.poll(() => says(run) && says(other), { timeout: 20_000 }).toBe(true);
    expect(await other.stop()).toBe(0);
    proxy.restore();
    await expect.poll(() => READY.test(run.output()), { timeout: 20_000 }).toBe(true);
    expect(await run.stop()).toBe(0);
    expect(run.output()).not.toContain(new URL(database.url).password);
    await proxy.close();
  });

  it("ends with its parent", async () => {
    const parent = await startProcess({ command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] });
    const run = await start(["web"], { PLINTH_PARENT_PID: String(parent.pid) }, READY);
    await parent.stop("SIGKILL");
    expect(await run.exited).toBe(0);
  });
});

// Guarantee 5: the next start resumes a deploy that was killed. The old release serves meanwhile.
describe("a kill -9 in the middle of a deploy", () => {
  it("loses nothing: the next start finishes it", async () => {
    const projectId = newId("prj");
    const v1 = compileModel(modelOf(["title"]));
    const v2 = compileModel(modelOf(["title", "body?", "note?", "tag?"]));
    const env = { PLINTH_CELL_SECRET: cellSecret };
    const internal = async (port: string, method: string, path: string, body?: unknown): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/internal/projects/${projectId}${path}`, {
        method,
        headers: { authorization: `Bearer ${cellSecret}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
    const statusOf = async (port: string, release: Publication): Promise<ReleaseState> =>
      (await (await internal(port, "GET", `/releases/${release.releaseId}`)).json()) as ReleaseState;

    let port = String(await freePort());
    let run = await start(["web"], { ...env, PLINTH_INTERNAL_PORT: port }, READY);
    await internal(port, "PUT", "", { slug: "killed" });
    const first = publicationOf(projectId, v1, null);
    await internal(port, "POST", "/releases", first);
    await expect
      .poll(() => statusOf(port, first), { timeout: 10_000 })
      .toMatchObject({ status: "active", finished: true });

    // A reader of the table blocks every ALTER, so the deploy stops before one of its steps.
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query(`BEGIN; SELECT * FROM ${tenantNames(projectId).schema}.notes`);
    const second = publicationOf(projectId, v2, v1);
    expect((await internal(port, "POST", "/releases", second)).status).toBe(202);
    await expect.poll(async () => (await statusOf(port, second)).status).toBe("migrating");
    await run.stop("SIGKILL");
    await reader.query("COMMIT");
    await reader.end();

    port = String(await freePort());
    run = await start(["web"], { ...env, PLINTH_INTERNAL_PORT: port }, READY);
    await expect.poll(async () => (await statusOf(port, second)).status, { timeout: 15_000 }).toBe("active");
    const { steps } = await statusOf(port, second);
    expect(steps.length).toBeGreaterThan(2);
    expect(new Set(steps.map((step) => step.status))).toEqual(new Set(["done"]));
    expect(await run.stop()).toBe(0);
  }, 60_000);
});
