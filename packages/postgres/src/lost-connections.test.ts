// Connections that are lost, or whose server goes silent in the middle of a reply. Whatever they were used for, the
// caller gets one error, and the place of the connection is free again. Each case has one place of everything.
import { setTimeout as pause } from "node:timers/promises";
import { createFaultProxy, createTestDatabase, type FaultProxy, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withLock } from "./advisory-lock.ts";
import { isConnectionLoss } from "./errors.ts";
import { createFastLane, type FastLane } from "./fast-lane.ts";
import { withClient } from "./lend.ts";
import { createPool, type Pool, type PoolOptions } from "./pool.ts";
import { runMigrations } from "./run-migrations.ts";
import { limitIdle, limitStatements } from "./session.ts";
import { createTenantSchema } from "./tenant-schema.ts";
import { createTenantScope, type ProjectScope } from "./tenant-scope.ts";
import { inTransaction } from "./transaction.ts";

// Roles belong to the whole server, and test files run at the same time on one server.
const projectId = `prj_${process.pid.toString(36).padStart(6, "0")}lost0000000000`;
const STATEMENT_MS = 1_500;
const SLOW = "SELECT pg_catalog.pg_sleep(30)";
/** Its end is lost, if the connection goes silent first. */
const SHORT = "SELECT pg_catalog.pg_sleep(2)";

let database: TestDatabase;
let admin: pg.Pool;
let fastLane: FastLane;
let schema: string;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Pool({ connectionString: database.adminUrl, max: 4 });
  const owner = createPool({ connectionString: database.url, max: 1, applicationName: "lost connections" });
  const names = await withClient(owner, (client) => createTenantSchema(client, projectId));
  schema = names.schema;
  await owner.query(`SET ROLE "${names.owner}"; CREATE TABLE ${schema}.rows (id int PRIMARY KEY, name text NOT NULL);
    GRANT SELECT ON ${schema}.rows TO ${names.worker};
    INSERT INTO ${schema}.rows SELECT n, repeat('row', 1000) FROM generate_series(1, 2000) n;
    CREATE TABLE ${schema}.proven_terminated (id int);
    CREATE TABLE ${schema}.proven_silent (id int);
    GRANT SELECT ON ${schema}.proven_terminated, ${schema}.proven_silent TO ${names.worker};
    CREATE TABLE ${schema}.late (id int);
    GRANT INSERT ON ${schema}.late TO ${names.worker};
    CREATE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_catalog.pg_sleep(30); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON ${schema}.late DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION ${schema}.wait()`);
  await owner.end();
  fastLane = createFastLane({ connectionString: database.url, connections: 1, applicationName: "lost connections" });
});
afterAll(async () => {
  await fastLane?.close();
  await admin?.end();
  await database?.drop();
});

/** A pool with one connection, which can be broken. */
interface Breakable {
  readonly pool: Pool;
  readonly proxy: FaultProxy;
  readonly scope: ProjectScope;
  /** The backends of its connections. */
  backends(): Promise<readonly number[]>;
  close(): Promise<void>;
}

let pools = 0;

async function open(options: Partial<PoolOptions> = {}): Promise<Breakable> {
  const proxy = await createFaultProxy({ target: database.url });
  const applicationName = `breakable ${process.pid} ${pools++}`;
  const connectionString = proxy.through(database.url);
  const pool = createPool({ connectionString, max: 1, applicationName, unconfirmedMsMax: 2_000, ...options });
  const limits = { slowPlaces: 1, slowPerProject: 1, slowStatementMs: STATEMENT_MS, slowLockMs: STATEMENT_MS };
  return {
    pool,
    proxy,
    scope: createTenantScope({ fastLane, pool, limits }).forProject({ projectId }),
    backends: async () => {
      const text = "SELECT pid FROM pg_stat_activity WHERE application_name = $1";
      return (await admin.query<{ pid: number }>(text, [applicationName])).rows.map(({ pid }) => pid);
    },
    async close() {
      await pool.end();
      await proxy.close();
    },
  };
}

type Work = (broken: Breakable, how: string) => Promise<unknown>;

const spots: Readonly<Record<string, Work>> = {
  "a slow list that is read in pieces": ({ scope }) => {
    const text = `SELECT name, pg_catalog.pg_sleep(0.01) FROM ${schema}.rows`;
    // The read itself must end, and not only whoever waits for it.
    return new Promise((_, reject) => {
      const read: Parameters<ProjectScope["transaction"]>[0] = ({ query }) => {
        const rows = query(text, [], 10_000_000);
        rows.catch(reject);
        return rows;
      };
      scope.transaction(read).catch(() => {});
    });
  },
  "a statement of a transaction": ({ scope }) => scope.transaction(({ query }) => query(SLOW)),
  "the end of a transaction": ({ scope }) =>
    scope.transaction(({ query }) => query(`INSERT INTO ${schema}.late VALUES (1)`)),
  "a proof": async ({ scope }, how) => {
    const lock = await admin.connect();
    await lock.query(`BEGIN; LOCK TABLE ${schema}.proven_${how}`);
    await scope.prove(`SELECT id FROM ${schema}.proven_${how} WHERE id = $1`).finally(async () => {
      await lock.query("ROLLBACK");
      lock.release();
    });
  },
  "a statement of a pool": ({ pool }) => pool.query(SHORT),
  "a transaction of a pool": ({ pool }) => inTransaction(pool, (client) => client.query(SHORT)),
  "a transaction with its own limit": ({ pool }) =>
    inTransaction(pool, async (client) => {
      await limitStatements(client, STATEMENT_MS);
      await client.query(SLOW);
    }),
  "a migration": ({ pool }) => runMigrations({ pool, schema: "never", migrations: [{ id: "slow", sql: SHORT }] }),
  "work under a lock, on the lock's connection": ({ pool }, how) =>
    withLock(pool, `own ${how}`, async (client) => void (await client.query(SHORT))),
  "work under a lock, on other connections": ({ pool }, how) =>
    withLock(
      pool,
      `other ${how}`,
      (_, lost) =>
        new Promise((_, reject) => {
          lost.addEventListener("abort", () => reject(lost.reason));
        }),
    ),
  "work that waits for something else": ({ pool }) =>
    inTransaction(pool, async (client) => {
      await limitIdle(client, STATEMENT_MS);
      await new Promise(() => {});
    }),
};

/** One caller gets an error, and the next one is served. */
async function cutDuring(work: Work, how: "terminated" | "silent"): Promise<string> {
  const broken = await open();
  const outcome = work(broken, how).then(
    () => null,
    (error: unknown) => error,
  );
  await until(async () => (await broken.backends()).length === 1);
  await pause(300);
  if (how === "silent") broken.proxy.silence(20);
  else await admin.query("SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid", [await broken.backends()]);
  const error = await outcome;
  if (!isLoss(error)) return String(error);
  const { rows } = await broken.scope.transaction(({ query }) => query("SELECT 1"));
  const inUse = broken.pool.totalCount - broken.pool.idleCount;
  await broken.close();
  return rows.length === 1 && inUse === 0 ? "lost once, then served" : `${inUse} places are gone`;
}

async function everySpot(how: "terminated" | "silent"): Promise<Readonly<Record<string, string>>> {
  const outcomes = Object.entries(spots).map(async ([name, work]) => [name, await cutDuring(work, how)]);
  return Object.fromEntries(await Promise.all(outcomes)) as Readonly<Record<string, string>>;
}

const allServed = Object.fromEntries(Object.keys(spots).map((name) => [name, "lost once, then served"]));

describe.concurrent("a connection", () => {
  test("that is terminated gives its places back", async () => {
    expect(await everySpot("terminated")).toEqual(allServed);
  }, 120_000);

  test("that goes silent in the middle of a reply gives its places back", async () => {
    expect(await everySpot("silent")).toEqual(allServed);
  }, 120_000);

  test("stays while the server works on a statement without a timeout", async () => {
    const { pool, close } = await open({ unconfirmedMsMax: 8_000 });
    expect((await pool.query("SELECT pg_sleep(12)")).rowCount).toBe(1);
    await close();
  }, 120_000);

  test("that is in use doesn't keep its pool open, and its user learns of it", async () => {
    const { pool, proxy } = await open();
    const work = inTransaction(pool, () => new Promise(() => {})).catch(String);
    await until(async () => pool.stalledMs() > 0);
    await pool.endWithin(100);
    expect(await work).toContain("Connection terminated");
    await proxy.close();
  });

  test("that was lost without a word doesn't keep its statement and its locks on the server", async () => {
    const { pool, backends, close } = await open({ statementTimeoutMs: 700_000 });
    const work = inTransaction(pool, async (client) => {
      await client.query("SELECT pg_advisory_xact_lock(5000)");
      await client.query("SELECT pg_sleep(600)");
    }).catch(String);
    await until(async () => (await backends()).length === 1);
    await pause(300);
    await close();
    await work;
    await until(async () => (await backends()).length === 0);
  }, 120_000);
});
test("a connection whose answer came while this process was busy is not cut", async () => {
  const statementTimeoutMs = 1_000;
  const pool = createPool({ connectionString: database.url, max: 1, applicationName: "busy", statementTimeoutMs });
  const answer = pool.query("SELECT pg_sleep(0.8)");
  await pause(700);
  // In this phase of the event loop, timers are due before sockets are read.
  await new Promise((resolve) => setImmediate(resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_500);
  expect((await answer).rowCount).toBe(1);
  await pool.end();
}, 120_000);

/** Ends with the test at the latest. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause } = error as { readonly code?: string; readonly cause?: unknown };
  return (
    code === "unavailable" ||
    isConnectionLoss(error) ||
    isConnectionLoss(cause) ||
    /lost with its connection/.test(String(error))
  );
}
