// A full disk: writes answer 503 with a time to retry, reads continue as long as Postgres can read, only Postgres can
// end, and the service recovers by itself when there is space. It uses a real small file system, which only root can
// mount.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerOf } from "./api.ts";
import { queryCell } from "./cell.ts";
import { type DevStack, startDev } from "./stack.ts";

const SIZE = "320m";
const folder = mkdtempSync(join(tmpdir(), "plinth-full-disk-"));
const home = join(folder, "home");

function mount(): string | null {
  chmodSync(folder, 0o755);
  mkdirSync(home);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE},mode=755`, "tmpfs", home], {
    encoding: "utf8",
  });
  return mounted.status === 0 ? null : (mounted.stderr?.trim() ?? String(mounted.error));
}

const whyNot = mount();
if (whyNot !== null) {
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`skipped: the full disk needs a small file system of its own, and ${whyNot}\n`);
}

describe.skipIf(whyNot !== null)("on a small disk", () => {
  let stack: DevStack;
  const acknowledged = new Set<string>();
  const ballast = join(home, "ballast");

  beforeAll(async () => {
    stack = await startDev("docs/examples/market-square.yaml", home);
  });

  afterAll(async () => {
    // The stack can't remove the mount itself. So the folder is emptied, and unmounted here.
    await stack?.stop().catch(() => {});
    spawnSync("umount", [home]);
    rmSync(folder, { recursive: true, force: true });
  });

  function fillDisk(): void {
    writeFileSync(ballast, "");
    for (let size = 8 << 20; size >= 4096; ) {
      try {
        appendFileSync(ballast, Buffer.alloc(size));
      } catch {
        size >>= 1;
      }
    }
  }

  const makeRoom = (): void => rmSync(ballast);

  async function write(): Promise<{ readonly status: number; readonly retryAfter: string | null }> {
    const response = await fetch(`${stack.apiUrl}/api/listings`, {
      method: "POST",
      headers: { authorization: `Bearer ${stack.keys.secret}`, "content-type": "application/json" },
      // Random data, which doesn't compress: each value takes its own pages.
      body: JSON.stringify({ title: "kept", price: 1, description: randomBytes(40_000).toString("base64") }),
    });
    const body = (await response.json()) as { data?: { id: string } };
    if (response.status === 201 && body.data) acknowledged.add(body.data.id);
    return { status: response.status, retryAfter: response.headers.get("retry-after") };
  }

  async function healthOf(url: string): Promise<{ alive: number; ready: number; readyMs: number }> {
    const alive = (await fetch(`${url}/healthz`)).status;
    const started = performance.now();
    const ready = (await fetch(`${url}/readyz`)).status;
    return { alive, ready, readyMs: performance.now() - started };
  }

  const services = ["apps/runtime/", "apps/control/", "apps/console/src/"];
  const processes = (): readonly (number | null)[] => services.map(stack.pidOf);

  async function expectHealthAnswers(): Promise<void> {
    for (const url of [stack.apiUrl, stack.controlUrl]) {
      const { alive, ready, readyMs } = await healthOf(url);
      expect(alive).toBe(200);
      expect([200, 503]).toContain(ready);
      expect(readyMs).toBeLessThan(3_000);
    }
  }

  async function expectWritesAgain(seconds: number): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    while ((await write()).status !== 201) {
      if (Date.now() > deadline) throw new Error(`no write in ${seconds} s. ${stack.output()}`);
      await pause(250);
    }
  }

  test("writes answer 503 until there is space, reads continue, and no process ends", async () => {
    await pause(1_000);
    const before = processes();
    expect(before).not.toContain(null);
    expect((await write()).status).toBe(201);
    fillDisk();
    const seen: Awaited<ReturnType<typeof write>>[] = [];
    for (let i = 0; i < 200 && seen.filter(({ status }) => status === 503).length < 20; i++) {
      seen.push(await write());
      if (seen.at(-1)?.status === 429) await pause(200);
    }
    expect(seen.map(({ status }) => status).filter((status) => ![201, 429, 503].includes(status))).toEqual([]);
    const refused = seen.filter(({ status }) => status === 503);
    expect(refused.length).toBe(20);
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0);
    const reads = callerOf(stack.apiUrl, stack.keys.secret);
    for (let i = 0; i < 5; i++) expect((await reads.get("/api/listings?limit=1")).status).toBe(200);
    await expectHealthAnswers();
    expect(processes()).toEqual(before);
    makeRoom();
    await expectWritesAgain(60);
    expect(processes()).toEqual(before);
  });

  test("a Postgres that can't write its log panics, and recovers when there is space", async () => {
    const before = processes();
    fillDisk();
    await exhaustLog();
    await expectHealthAnswers();
    for (let i = 0; i < 10; i++) {
      const { status, retryAfter } = await write();
      expect([503, 429]).toContain(status);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      await pause(100);
    }
    expect(processes()).toEqual(before);
    makeRoom();
    await expectWritesAgain(90);
    expect(processes()).toEqual(before);
    await expectHealthAnswers();
  });

  /** Starts new files of the write-ahead log until there is no space for another one. */
  async function exhaustLog(): Promise<void> {
    const { postgres } = JSON.parse(readFileSync(join(home, "secrets.json"), "utf8")) as {
      postgres: { adminPassword: string; port: number };
    };
    const client = new pg.Client({
      connectionString: `postgres://postgres:${postgres.adminPassword}@127.0.0.1:${postgres.port}/postgres`,
    });
    client.on("error", () => {});
    await client.connect();
    let panicked = false;
    for (let i = 0; i < 40 && !panicked; i++) {
      try {
        await client.query(
          "SELECT pg_logical_emit_message(false, 'full disk', repeat('x', 1000)); SELECT pg_switch_wal()",
        );
      } catch {
        panicked = true;
      }
    }
    await client.end().catch(() => {});
    expect(panicked).toBe(true);
  }

  test("no acknowledged write is lost", async () => {
    const [[schema]] = (await queryCell(home, "select 't_' || substr(id, 5) from plinth.projects")) as [[string]];
    const rows = await queryCell(home, `select id::text from "${schema}".listings where title = 'kept'`);
    const ids = new Set(rows.map(([id]) => id as string));
    expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(2);
  });
});
