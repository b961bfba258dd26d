import { createFaultProxy, createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sqlState } from "./errors.ts";
import { createFastLane, type FastLane, type FastLaneOptions, type FastQuery } from "./fast-lane.ts";

let database: TestDatabase;
let admin: pg.Client;
/** All statements belong to one project, unless they say otherwise. */
type OneLane = Omit<FastLane, "query"> & {
  query(query: Omit<FastQuery, "project"> & { readonly project?: string }): ReturnType<FastLane["query"]>;
};

let lane: OneLane | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(`CREATE SCHEMA own; CREATE TABLE own.rows (id int PRIMARY KEY, name text NOT NULL)`);
  await owner.query("INSERT INTO own.rows SELECT n, 'row ' || n FROM generate_series(1, 1000) n");
  await owner.end();
});
afterEach(async () => {
  await lane?.close();
  lane = undefined;
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

async function open(options: Partial<FastLaneOptions> = {}): Promise<OneLane> {
  const opened = createFastLane({
    connectionString: database.url,
    connections: 1,
    applicationName: "lane under test",
    ...options,
  });
  lane = { ...opened, query: (query) => opened.query({ project: "prj_a", ...query }) };
  return lane;
}

const read = (id: number) => ({ name: "read", text: "SELECT id, name FROM own.rows WHERE id = $1", values: [id] });
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe("answers", () => {
  test("are raw text in the order of the callers, however many are running", async () => {
    const { query } = await open({ connections: 2 });
    const results = await Promise.all(Array.from({ length: 500 }, (_, i) => query(read(i + 1))));
    expect(results.map((each) => each.rows)).toEqual(
      Array.from({ length: 500 }, (_, i) => [[`${i + 1}`, `row ${i + 1}`]]),
    );
    const typed = await query({
      text: "SELECT true, 1.50::numeric, 9007199254740993, NULL, '{1,2}'::int[], '{\"a\": 1}'::jsonb, '\\x00ff'::bytea, timestamptz '2026-01-02 03:04:05.5+02'",
      values: [],
    });
    expect(typed.rows).toEqual([
      ["t", "1.50", "9007199254740993", null, "{1,2}", '{"a": 1}', "\\x00ff", "2026-01-02 01:04:05.5+00"],
    ]);
  });

  test("contain the number of changed rows", async () => {
    const { query } = await open();
    const text = "UPDATE own.rows SET name = name WHERE id <= $1";
    expect(await query({ name: "touch", text, values: [7] })).toMatchObject({ rows: [], rowCount: 7 });
  });

  test("come from one statement only", async () => {
    const { query } = await open();
    expect(sqlState(await rejection(query({ text: "SELECT 1; SELECT 2", values: [] })))).toBe("42601");
  });
});

describe("a failed statement in the pipeline", () => {
  test("rejects only its own promise, whether or not it is prepared", async () => {
    const { query } = await open();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, (_, i) => {
        if (i % 10 === 3) return query({ name: "x", text: "SELECT 1 / $1::int", values: [0] });
        if (i % 10 === 5) return query({ name: "y", text: `SELECT no_such_column_${i}`, values: [] });
        if (i % 10 === 7) return query({ text: "INSERT INTO own.rows VALUES ($1, 'again')", values: [1] });
        return query(read(i + 1));
      }),
    );
    outcomes.forEach((outcome, i) => {
      const state = outcome.status === "rejected" ? sqlState(outcome.reason) : null;
      const wanted = ({ 3: "22012", 5: "42703", 7: "23505" } as Record<number, string>)[i % 10] ?? null;
      expect(state, `statement ${i}`).toBe(wanted);
      if (outcome.status === "fulfilled") expect(outcome.value.rows).toEqual([[`${i + 1}`, `row ${i + 1}`]]);
    });
  });

  test("leaves no open transaction, and the writes of its neighbours are committed", async () => {
    const { query } = await open();
    const insert = (id: number) => ({ name: "i", text: "INSERT INTO own.rows VALUES ($1, 'new')", values: [id] });
    await Promise.allSettled([query(insert(5001)), query(insert(5001)), query(insert(5002))]);
    const { rows } = await admin.query("DELETE FROM own.rows WHERE id > 5000 RETURNING id");
    expect(rows.map((row) => row.id).sort()).toEqual([5001, 5002]);
  });

  test("that fails to parse doesn't affect another statement with the same name", async () => {
    const { query } = await open({ lockTimeoutMs: 50, statementTimeoutMs: 50 });
    await admin.query("CREATE TABLE own.locked (id int); GRANT ALL ON own.locked TO PUBLIC");
    await admin.query("BEGIN; LOCK TABLE own.locked IN ACCESS EXCLUSIVE MODE");
    const text = "SELECT count(*) FROM own.locked WHERE id = $1";
    // The first can't even be parsed in time. The second was sent because the first was expected to be.
    const first = rejection(query({ name: "count", text, values: [1] }));
    const second = rejection(query({ name: "count", text, values: [1] }));
    expect(["55P03", "57014"]).toContain(sqlState(await first));
    expect(["55P03", "57014"]).toContain(sqlState(await second));
    await admin.query("ROLLBACK");
    expect((await query({ name: "count", text, values: [1] })).rows).toEqual([["0"]]);
  });

  test("is a timeout if it waits for a row, and the statements behind it then run", async () => {
    const { query } = await open();
    await admin.query("BEGIN; SELECT FROM own.rows WHERE id = 1 FOR UPDATE");
    const started = performance.now();
    const blocked = rejection(query({ name: "u", text: "UPDATE own.rows SET name = 'x' WHERE id = $1", values: [1] }));
    const behind = query(read(2));
    expect(["55P03", "57014"]).toContain(sqlState(await blocked));
    expect((await behind).rows).toEqual([["2", "row 2"]]);
    expect(performance.now() - started).toBeLessThan(1_000);
    await admin.query("ROLLBACK");
  });
});

describe("prepared statements", () => {
  const held = async (): Promise<number> => {
    const { rows } = await lane!.query({ text: "SELECT count(*) FROM pg_prepared_statements", values: [] });
    return Number(rows[0]?.[0]);
  };

  test("are limited per connection, and the least recently used is removed first", async () => {
    const { query } = await open({ preparedMax: 20 });
    const shapes = Array.from({ length: 100 }, (_, i) => `SELECT ${i}, $1::text`);
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(shapes.map((text) => query({ name: "n", text, values: ["v"] })));
      expect(results.map((each) => each.rows[0]?.[0])).toEqual(shapes.map((_, i) => `${i}`));
    }
    expect(await held()).toBe(20);
  });

  test("are fewer if they are long, because a backend's memory grows with their text", async () => {
    const { query } = await open({ preparedMax: 20 });
    const columns = Array.from({ length: 500 }, (_, i) => `${i} AS c${i}`).join(", ");
    for (let i = 0; i < 30; i++) await query({ name: "n", text: `SELECT $1::text, ${i}, ${columns}`, values: ["v"] });
    expect(await held()).toBeLessThanOrEqual(6);
    expect(await held()).toBeGreaterThanOrEqual(4);
  });

  test("are not stored for unnamed statements", async () => {
    const { query } = await open();
    await Promise.all(Array.from({ length: 50 }, (_, i) => query({ text: `SELECT ${i}, $1::text`, values: ["v"] })));
    expect(await held()).toBe(0);
  });

  test("survive a deployment that changes the form of their result", async () => {
    const { query } = await open();
    await admin.query(
      "CREATE TABLE own.shape (a int); GRANT ALL ON own.shape TO PUBLIC; INSERT INTO own.shape VALUES (1)",
    );
    const all = { name: "all", text: "SELECT * FROM own.shape", values: [] };
    expect((await query(all)).rows).toEqual([["1"]]);
    await admin.query("ALTER TABLE own.shape ADD COLUMN b text DEFAULT 'b'");
    expect((await Promise.all([query(all), query(all)])).map((each) => each.rows)).toEqual([
      [["1", "b"]],
      [["1", "b"]],
    ]);
  });

  test("survive a DEALLOCATE by somebody else", async () => {
    const { query } = await open();
    await query(read(1));
    await query({ text: "DEALLOCATE ALL", values: [] });
    expect((await Promise.all([query(read(1)), query(read(2))])).map((each) => each.rows[0]?.[0])).toEqual(["1", "2"]);
  });

  test("have a generic plan, the session's limits, and no search path", async () => {
    const { query } = await open({ statementTimeoutMs: 70, lockTimeoutMs: 60 });
    const names = ["plan_cache_mode", "statement_timeout", "lock_timeout", "search_path", "application_name"];
    const { rows } = await query({
      text: "SELECT current_setting(n) FROM unnest($1::text[]) WITH ORDINALITY u(n, at) ORDER BY at",
      values: [names],
    });
    expect(rows.flat()).toEqual(["force_generic_plan", "70ms", "60ms", "pg_catalog, pg_temp", "lane under test"]);
  });

  test("wait only briefly for a lock, because the statements behind them wait as long", async () => {
    const { query } = await open();
    const { rows } = await query({ text: "SELECT current_setting('lock_timeout')", values: [] });
    expect(rows).toEqual([["15ms"]]);
  });
});

describe("a killed backend", () => {
  test("rejects all its running statements as unavailable, mixes up no answers, and the next statement runs", async () => {
    const { query } = await open();
    await query(read(1));
    for (let round = 0; round < 5; round++) {
      const { rows } = await query({ text: "SELECT pg_backend_pid()", values: [] });
      const answers = Array.from({ length: 400 }, (_, i) =>
        query({ name: "slow read", text: "SELECT $1::int, pg_sleep(0.001)::text", values: [i] }).then(
          (result) => result.rows[0]?.[0] === `${i}`,
          (error: { code: string }) => error.code,
        ),
      );
      await admin.query("SELECT pg_terminate_backend($1)", [Number(rows[0]?.[0])]);
      const outcomes = await Promise.all(answers);
      // Answered correctly, or refused: never with another caller's row.
      expect([...new Set(outcomes)].filter((each) => each !== true && each !== "unavailable")).toEqual([]);
      expect(outcomes).toContain("unavailable");
      await expect.poll(() => lane?.load().open, { timeout: 3_000, interval: 5 }).toBe(1);
      expect((await query(read(round + 1))).rows).toEqual([[`${round + 1}`, `row ${round + 1}`]]);
    }
  });

  test("doesn't affect the other connections", async () => {
    const { promise: lost, resolve: onConnectionLost } = Promise.withResolvers<Error>();
    const { query, ready, load } = await open({ connections: 2, onConnectionLost });
    await ready();
    const { rows } = await query({ text: "SELECT pg_backend_pid()", values: [] });
    await admin.query("SELECT pg_terminate_backend($1)", [Number(rows[0]?.[0])]);
    expect(sqlState(await lost)).toBe("57P01");
    expect(load().open).toBe(1);
    expect((await query({ ...read(3) })).rows).toEqual([["3", "row 3"]]);
  });
});

describe("an unreachable server", () => {
  test("is a refusal for its callers, and works again soon after its return", async () => {
    const proxy = await createFaultProxy({ target: database.url });
    const { query } = await open({ connectionString: proxy.through(database.url), connections: 2 });
    await query(read(1));
    proxy.cut();
    await expect.poll(() => lane?.load().open).toBe(0);
    const started = performance.now();
    const errors = await Promise.all(Array.from({ length: 100 }, () => rejection(query(read(1)))));
    expect(performance.now() - started).toBeLessThan(100);
    expect(errors.every((each) => (each as { code: string }).code === "unavailable")).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    proxy.restore();
    const back = performance.now();
    await lane?.ready();
    expect(performance.now() - back).toBeLessThan(3_000);
    expect((await query(read(4))).rows).toEqual([["4", "row 4"]]);
    await lane?.close();
    await proxy.close();
  });

  test("that swallows all data does not block its callers", async () => {
    const proxy = await createFaultProxy({ target: database.url });
    const { query } = await open({ connectionString: proxy.through(database.url) });
    await query(read(1));
    proxy.freeze();
    const started = performance.now();
    expect(await rejection(query(read(1)))).toMatchObject({ code: "unavailable" });
    expect(performance.now() - started).toBeLessThan(6_000);
    await lane?.close();
    await proxy.close();
  });

  test("at the start is a refusal, too", async () => {
    const { query, ready } = await open({ connectionString: "postgres://nobody:x@127.0.0.1:1/none" });
    expect(await rejection(query(read(1)))).toMatchObject({ code: "unavailable" });
    expect(await rejection(ready(100))).toMatchObject({ code: "unavailable" });
  });
});

test("refuses statements beyond its limit instead of queueing them", async () => {
  const { query, ready } = await open({ inFlightMax: 50 });
  await ready();
  const outcomes = await Promise.allSettled(Array.from({ length: 80 }, (_, i) => query(read(i + 1))));
  expect(outcomes.filter((each) => each.status === "fulfilled")).toHaveLength(50);
  expect(outcomes[79]).toMatchObject({ reason: { code: "unavailable" } });
  expect(lane?.load().inFlight).toBe(0);
});

test("keeps a project on one connection while it isn't crowded", async () => {
  const { query, ready } = await open({ connections: 4 });
  await ready();
  const pidOf = async (project: string): Promise<unknown> =>
    (await query({ text: "SELECT pg_backend_pid()", values: [], project })).rows[0]?.[0];
  for (const tenant of ["one", "two", "three"]) {
    expect(new Set(await Promise.all([pidOf(tenant), pidOf(tenant), pidOf(tenant)])).size).toBe(1);
  }
  const tenants = await Promise.all(Array.from({ length: 40 }, (_, i) => pidOf(`tenant ${i}`)));
  expect(new Set(tenants).size).toBe(4);
});

test("answers running statements before it closes", async () => {
  const { query, ready, close } = await open();
  await ready();
  const answers = Promise.all(Array.from({ length: 100 }, (_, i) => query(read(i + 1))));
  await close();
  expect(await answers).toHaveLength(100);
  expect(await rejection(query(read(1)))).toMatchObject({ code: "unavailable" });
});

describe("several projects", () => {
  const sleep = (project: string, ms: number) => ({
    project,
    name: "sleep",
    text: "SELECT pg_sleep($1::float8 / 1000)::text",
    values: [ms],
    expectedMs: ms,
  });

  test("don't wait behind the crowd of another", async () => {
    const { query, ready } = await open({ connections: 1 });
    await ready();
    let answered = 0;
    const crowd = Array.from({ length: 100 }, () => query(sleep("prj_crowd", 10)).then(() => answered++));
    await expect.poll(() => answered, { interval: 1 }).toBeGreaterThan(3);
    const before = answered;
    expect((await query({ ...read(1), project: "prj_quiet" })).rows).toEqual([["1", "row 1"]]);
    // The statements that the connection had already been given, and those that this process saw late; not all hundred.
    expect(answered - before).toBeLessThan(50);
    await Promise.all(crowd);
  });

  test("stay on their own connections if crowded", async () => {
    const { query, ready } = await open({ connections: 4 });
    await ready();
    const pids = await Promise.all(
      Array.from({ length: 300 }, () =>
        query({ text: "SELECT pg_backend_pid(), pg_sleep(0.001)::text", values: [], expectedMs: 1 }),
      ),
    );
    const perBackend = new Map<unknown, number>();
    for (const { rows } of pids) perBackend.set(rows[0]?.[0], (perBackend.get(rows[0]?.[0]) ?? 0) + 1);
    expect(Math.max(...perBackend.values())).toBeGreaterThan(280);
  });

  test("spread their writes while they are alone, and use one connection while others come", async () => {
    const { query, ready } = await open({ connections: 1, writeConnections: 3 });
    await ready();
    const backendsOf = async (project: string): Promise<number> => {
      const write = {
        project,
        text: "SELECT pg_backend_pid(), pg_sleep(0.002)::text",
        values: [],
        expectedMs: 2,
        writes: true,
      };
      const answers = await Promise.all(Array.from({ length: 60 }, () => query(write)));
      return new Set(answers.map(({ rows }) => rows[0]?.[0])).size;
    };
    expect(await backendsOf("prj_crowd")).toBe(3);
    await query({ ...read(1), project: "prj_quiet" });
    expect(await backendsOf("prj_crowd")).toBe(1);
  });

  test("are refused alone if they queue without end", async () => {
    const { query, ready } = await open({ connections: 1, waitingPerProject: 20 });
    await ready();
    const outcomes = Promise.allSettled(Array.from({ length: 60 }, () => query(sleep("prj_crowd", 5))));
    expect((await query({ ...read(2), project: "prj_quiet" })).rows).toEqual([["2", "row 2"]]);
    const refused = (await outcomes).filter((each) => each.status === "rejected");
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]).toMatchObject({ reason: { code: "unavailable" } });
  });
});

test("a result that is too large is dropped, and the next one is returned", async () => {
  const { query } = await open();
  const large = { text: "SELECT repeat('x', 1000) FROM generate_series(1, 1000)", values: [], bytesMax: 100_000 };
  const [first, second] = await Promise.allSettled([query(large), query(read(7))]);
  expect(first).toMatchObject({ status: "rejected", reason: { name: "ResultTooLarge" } });
  expect(second).toMatchObject({ status: "fulfilled", value: { rows: [["7", "row 7"]] } });
});
