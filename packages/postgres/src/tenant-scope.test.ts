import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqlState } from "./errors.ts";
import { createFastLane, type FastLane } from "./fast-lane.ts";
import { createPool } from "./pool.ts";
import { UnprovenStatement } from "./prove-statement.ts";
import { type TenantNames, tenantNames } from "./tenant-names.ts";
import { createTenantSchema, dropTenantSchema, grantTenantRoles } from "./tenant-schema.ts";
import { createTenantScope, type TenantLimits, type TenantScope } from "./tenant-scope.ts";

// Roles belong to the whole server, and test files run at the same time on one server.
const idOf = (n: number): string =>
  `prj_${process.pid.toString(36).padStart(6, "0")}scope${String(n).padStart(9, "0")}`;
const [first, second] = [idOf(1), idOf(2)];

let database: TestDatabase;
let owner: pg.Pool;
let admin: pg.Client;
let fastLane: FastLane;
let scope: TenantScope;
let one: TenantNames;
let two: TenantNames;

async function makeTables(names: TenantNames): Promise<void> {
  const client = await owner.connect();
  await client.query(`BEGIN; SET LOCAL ROLE "${names.owner}"`);
  await client.query(`
    CREATE TABLE ${names.schema}.rows (id int PRIMARY KEY, name text NOT NULL);
    CREATE TABLE ${names.schema}.kept_from_worker (id int);
    GRANT SELECT, INSERT, UPDATE, DELETE ON ${names.schema}.rows TO ${names.worker};
    INSERT INTO ${names.schema}.rows SELECT n, '${names.schema} ' || n FROM generate_series(1, 100) n;
    CREATE FUNCTION ${names.schema}.twice(int) RETURNS int LANGUAGE sql RETURN $1 * 2;
    GRANT EXECUTE ON FUNCTION ${names.schema}.twice(int) TO ${names.worker}`);
  await client.query("COMMIT");
  client.release();
}

function open(limits: TenantLimits = {}): TenantScope {
  return createTenantScope({ fastLane, pool: owner, limits });
}

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ connectionString: database.url, max: 6, applicationName: "scope under test" });
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  const client = await owner.connect();
  one = await createTenantSchema(client, first);
  two = await createTenantSchema(client, second);
  await client.query(
    "CREATE SCHEMA plinth; CREATE TABLE plinth.releases (id int); CREATE TABLE plinth.outbox (project text, id int)",
  );
  await client.query(`CREATE VIEW ${one.schema}.outbox AS SELECT project, id FROM plinth.outbox WHERE project = 'one'
    WITH CASCADED CHECK OPTION`);
  await client.query(`GRANT INSERT ON ${one.schema}.outbox TO ${one.worker}`);
  client.release();
  await makeTables(one);
  await makeTables(two);
  fastLane = createFastLane({ connectionString: database.url, connections: 2, applicationName: "scope under test" });
  scope = open();
});
afterAll(async () => {
  await fastLane.close();
  await owner.end();
  await admin.end();
  await database.drop();
});

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe("names", () => {
  test("are only made from a well-formed id", () => {
    expect(tenantNames("prj_0123456789abcdefghij")).toEqual({
      projectId: "prj_0123456789abcdefghij",
      schema: "t_0123456789abcdefghij",
      owner: "t_0123456789abcdefghij_owner",
      worker: "t_0123456789abcdefghij_worker",
    });
    for (const id of [
      "",
      "prj_",
      "prj_0123456789abcdefghi",
      "prj_0123456789ABCDEFGHIJ",
      "prj_0123456789abcdefghij\n",
    ]) {
      expect(() => tenantNames(id)).toThrow("Not a project id");
      expect(() => scope.forProject({ projectId: `${id}"; DROP SCHEMA x` })).toThrow("Not a project id");
    }
  });
});

describe("a tenant's schema", () => {
  test("is created once, however many callers ask for it at once", async () => {
    const id = idOf(3);
    const clients = await Promise.all(Array.from({ length: 5 }, () => owner.connect()));
    await Promise.all(clients.map((client) => createTenantSchema(client, id)));
    await grantTenantRoles(clients[0]!, tenantNames(id));
    const { rows } = await admin.query(
      "SELECT rolname, rolcanlogin, rolinherit FROM pg_roles WHERE rolname LIKE $1 ORDER BY 1",
      [`${tenantNames(id).schema}%`],
    );
    expect(rows.map((row) => [row.rolname, row.rolcanlogin])).toEqual([
      [tenantNames(id).owner, false],
      [tenantNames(id).worker, false],
    ]);
    await dropTenantSchema(clients[0]!, id);
    await dropTenantSchema(clients[0]!, id);
    for (const client of clients) client.release();
    const left = await admin.query("SELECT FROM pg_roles WHERE rolname LIKE $1", [`${tenantNames(id).schema}%`]);
    expect(left.rowCount).toBe(0);
  });

  test("gives PUBLIC nothing, and its worker only rights on its own rows", async () => {
    const can = async (role: string, schema: string, table: string): Promise<unknown[]> => {
      const { rows } = await admin.query(
        `SELECT has_schema_privilege($1, $2, 'USAGE') AS usage, has_schema_privilege($1, $2, 'CREATE') AS create,
                has_table_privilege($1, $2 || '.' || $3, 'SELECT') AS reads`,
        [role, schema, table],
      );
      return [rows[0].usage, rows[0].create, rows[0].reads];
    };
    expect(await can(one.worker, one.schema, "rows")).toEqual([true, false, true]);
    expect(await can(one.worker, one.schema, "kept_from_worker")).toEqual([true, false, false]);
    expect(await can(one.worker, two.schema, "rows")).toEqual([false, false, false]);
    expect(await can(one.owner, two.schema, "rows")).toEqual([false, false, false]);
    expect(await can(one.worker, "plinth", "releases")).toEqual([false, false, false]);
    expect(await can("public", one.schema, "rows")).toEqual([false, false, false]);
  });
});

describe("a statement", () => {
  test("returns raw text in both lanes", async () => {
    const project = scope.forProject({ projectId: first });
    for (const lane of ["fast", "slow"] as const) {
      const text = `SELECT id, name, timestamptz '2026-01-01 00:00:00+01', true FROM ${one.schema}.rows WHERE id = $1`;
      expect(await project.run({ text, values: [7], lane })).toEqual({
        rows: [["7", `${one.schema} 7`, "2025-12-31 23:00:00+00", "t"]],
        rowCount: 1,
      });
    }
  });

  test("can write through a view to the cell's own tables, only for its own project", async () => {
    const project = scope.forProject({ projectId: first });
    const text = `INSERT INTO ${one.schema}.outbox (project, id) VALUES ($1, 1)`;
    expect((await project.run({ text, values: ["one"], lane: "fast" })).rowCount).toBe(1);
    expect(sqlState(await rejection(project.run({ text, values: ["two"], lane: "fast" })))).toBe("44000");
  });

  test("can call the project's own functions", async () => {
    const text = `SELECT ${one.schema}.twice($1::int)`;
    const { rows } = await scope.forProject({ projectId: first }).run({ text, values: [21], lane: "fast" });
    expect(rows).toEqual([["42"]]);
  });

  test("can have fields with names that Postgres also uses", async () => {
    await admin.query(`ALTER TABLE ${one.schema}.rows ADD COLUMN pg_rating text`);
    const text = `UPDATE ${one.schema}.rows AS r SET "pg_rating" = $1 WHERE r."id" = 1 RETURNING r."pg_rating"`;
    const { rows } = await scope.forProject({ projectId: first }).run({ text, values: ["PG-13"], lane: "fast" });
    expect(rows).toEqual([["PG-13"]]);
  });

  test("keeps the server's error about itself", async () => {
    const text = `INSERT INTO ${one.schema}.rows (id, name) VALUES ($1, $2)`;
    for (const lane of ["fast", "slow"] as const) {
      const error = await rejection(scope.forProject({ projectId: first }).run({ text, values: [1, "x"], lane }));
      expect(sqlState(error)).toBe("23505");
    }
  });
});

describe("a foreign statement is refused and does not run", () => {
  const planted = (): readonly (readonly [string, string])[] => [
    ["another tenant's table", `SELECT * FROM ${two.schema}.rows`],
    [
      "another tenant's table in a branch that nulls would drop",
      `SELECT id FROM ${one.schema}.rows WHERE id = $1 AND EXISTS (SELECT FROM ${two.schema}.rows r WHERE r.id = $1)`,
    ],
    [
      "another tenant's table behind a constant",
      `SELECT id FROM ${one.schema}.rows WHERE false AND EXISTS (SELECT FROM ${two.schema}.rows)`,
    ],
    ["another tenant's table in a CTE that nobody reads", `WITH x AS (SELECT * FROM ${two.schema}.rows) SELECT 1`],
    ["a write to another tenant", `WITH x AS (DELETE FROM ${two.schema}.rows RETURNING id) SELECT count(*) FROM x`],
    ["another tenant's function", `SELECT ${two.schema}.twice(1)`],
    ["another tenant's row type", `SELECT * FROM jsonb_populate_record(null::${two.schema}.rows, '{}')`],
    ["a table of its own that the worker may not read", `SELECT * FROM ${one.schema}.kept_from_worker`],
    ["a read of a view that takes inserts only", `SELECT * FROM ${one.schema}.outbox`],
    ["the cell's own tables", "SELECT * FROM plinth.releases"],
    ["DDL", `DROP TABLE ${one.schema}.rows`],
    ["TRUNCATE", `TRUNCATE ${one.schema}.rows`],
    ["COPY", `COPY ${one.schema}.rows TO PROGRAM 'true'`],
    ["a change of role", "SET ROLE none"],
    ["a new table", `SELECT 1 AS id INTO ${two.schema}.stolen`],
    ["files", "SELECT pg_read_file('/etc/passwd')"],
    ["files, by another road", "SELECT * FROM pg_ls_dir('/')"],
    ["settings", "SELECT set_config('role', 'none', false)"],
    ["the catalogues", "SELECT relname FROM pg_catalog.pg_class"],
    [
      "the catalogues, in a branch",
      `SELECT id FROM ${one.schema}.rows WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`,
    ],
    ["other people's statements", "SELECT query FROM pg_stat_activity"],
    ["statistics", "SELECT * FROM pg_stat_bgwriter"],
    ["settings, by a view", 'SELECT setting FROM "pg_settings" WHERE name = $1'],
    ["settings, by a qualified view", 'SELECT setting FROM pg_catalog . "pg_settings"'],
    ["an unqualified name", "SELECT * FROM rows"],
    ["two statements", `SELECT 1; DELETE FROM ${two.schema}.rows`],
    ["nonsense", "SELEKT 1"],
  ];

  test("whatever it tries to reach, in both lanes", async () => {
    const before = await admin.query(
      `SELECT (SELECT count(*) FROM ${one.schema}.rows) AS a, (SELECT count(*) FROM ${two.schema}.rows) AS b`,
    );
    const project = scope.forProject({ projectId: first });
    for (const [what, text] of planted()) {
      const values = text.includes("$1") ? [1] : [];
      for (const lane of ["fast", "slow"] as const) {
        expect(await rejection(project.run({ text, values, lane })), what).toBeInstanceOf(UnprovenStatement);
      }
    }
    const after = await admin.query(
      `SELECT (SELECT count(*) FROM ${one.schema}.rows) AS a, (SELECT count(*) FROM ${two.schema}.rows) AS b`,
    );
    expect(after.rows).toEqual(before.rows);
    const { rows } = await admin.query("SELECT to_regclass($1) AS stolen", [`${two.schema}.stolen`]);
    expect(rows).toEqual([{ stolen: null }]);
  });

  test("even if it was proven for the project that it belongs to", async () => {
    const text = `SELECT name FROM ${two.schema}.rows WHERE id = $1`;
    const result = await scope.forProject({ projectId: second }).run({ text, values: [1], lane: "fast" });
    expect(result.rows).toEqual([[`${two.schema} 1`]]);
    const error = await rejection(scope.forProject({ projectId: first }).run({ text, values: [1], lane: "fast" }));
    expect(error).toBeInstanceOf(UnprovenStatement);
    expect((error as UnprovenStatement).reason).toMatch(/permission denied for schema/);
  });

  test("in a transaction, by Postgres itself", async () => {
    const error = await rejection(
      scope.forProject({ projectId: first }).transaction((open) => open.query(`SELECT * FROM ${two.schema}.rows`)),
    );
    expect(sqlState(error)).toBe("42501");
  });
});

describe("a proof", () => {
  test("is made once, however many callers need it at the same time", async () => {
    const pool = createPool({ connectionString: database.url, max: 4, applicationName: "scope under test" });
    // Statements of the fast lane don't use the pool, so a connection from the pool means a proof.
    let taken = 0;
    pool.on("acquire", () => taken++);
    const fresh = createTenantScope({ fastLane, pool });
    const text = `SELECT name, 'proven once' FROM ${one.schema}.rows WHERE id = $1`;
    const run = (id: number) => fresh.forProject({ projectId: first }).run({ text, values: [id], lane: "fast" });
    await Promise.all(Array.from({ length: 200 }, (_, i) => run(i)));
    await run(1);
    expect(taken).toBe(1);
    fresh.forget(first);
    await Promise.all([run(1), run(2)]);
    expect(taken).toBe(2);
    await pool.end();
  });

  test("leaves no prepared statement and no role behind", async () => {
    const single = createPool({ connectionString: database.url, max: 1, applicationName: "scope under test" });
    const fresh = createTenantScope({ fastLane, pool: single });
    await fresh.forProject({ projectId: first }).prove(`SELECT id FROM ${one.schema}.rows WHERE id = $1`);
    await rejection(fresh.forProject({ projectId: first }).prove(`SELECT id FROM ${two.schema}.rows`));
    await rejection(fresh.forProject({ projectId: first }).prove("SELECT relname FROM pg_class"));
    const { rows } = await single.query(`
      SELECT current_user = session_user AS same, current_setting('search_path') AS path,
             (SELECT count(*)::int FROM pg_prepared_statements) AS prepared`);
    expect(rows).toEqual([{ same: true, path: '"$user", public', prepared: 0 }]);
    await single.end();
  });

  test("that failed without a connection is tried again", async () => {
    const bad = createPool({ connectionString: "postgres://x:x@127.0.0.1:1/x", max: 1, applicationName: "x" });
    const fresh = createTenantScope({ fastLane, pool: bad });
    const error = await rejection(fresh.forProject({ projectId: first }).prove(`SELECT id FROM ${one.schema}.rows`));
    expect(error).toMatchObject({ code: "unavailable" });
    await bad.end();
  });
});

describe("the slow lane", () => {
  test("runs what the fast lane had no time for", async () => {
    const project = scope.forProject({ projectId: first });
    const text = `UPDATE ${one.schema}.rows SET name = $2 WHERE id = $1`;
    await project.prove(text);
    await admin.query(`BEGIN; SELECT FROM ${one.schema}.rows WHERE id = 50 FOR UPDATE`);
    const write = project.run({ text, values: [50, "after the wait"], lane: "fast" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await admin.query("COMMIT");
    expect((await write).rowCount).toBe(1);
  });

  test("gives up in the end, and says so", async () => {
    const project = open({ slowLockMs: 100 }).forProject({ projectId: first });
    await admin.query(`BEGIN; SELECT FROM ${one.schema}.rows WHERE id = 51 FOR UPDATE`);
    const text = `UPDATE ${one.schema}.rows SET name = $2 WHERE id = $1`;
    const error = await rejection(project.run({ text, values: [51, "never"], lane: "fast" }));
    await admin.query("ROLLBACK");
    expect(error).toMatchObject({ code: "timeout", status: 503 });
  });

  test("limits one project to its share, and refuses work beyond the queue", async () => {
    const limited = open({ slowPerProject: 2, slowWaitingMax: 3 });
    const project = limited.forProject({ projectId: first });
    let atOnce = 0;
    let most = 0;
    const work = () =>
      project.transaction(async () => {
        most = Math.max(most, ++atOnce);
        await new Promise((resolve) => setTimeout(resolve, 50));
        atOnce--;
      });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, work));
    expect(most).toBe(2);
    expect(outcomes.filter((each) => each.status === "rejected")).toHaveLength(3);
    expect(outcomes[7]).toMatchObject({ reason: { code: "unavailable" } });
    // Another project is not delayed, and the places are free again.
    await limited.forProject({ projectId: second }).transaction(async () => {});
    await work();
  });
});

describe("a transaction", () => {
  test("commits if the work resolves, and rolls back if it rejects", async () => {
    const project = scope.forProject({ projectId: first });
    await project.transaction(async (open) => {
      await open.query(`INSERT INTO ${one.schema}.rows VALUES (1001, 'stays')`);
    });
    const refused = rejection(
      project.transaction(async (open) => {
        await open.query(`INSERT INTO ${one.schema}.rows VALUES (1002, 'goes')`);
        throw new Error("changed my mind");
      }),
    );
    expect(await refused).toMatchObject({ message: "changed my mind" });
    const { rows } = await admin.query(`SELECT id FROM ${one.schema}.rows WHERE id > 1000`);
    expect(rows).toEqual([{ id: 1001 }]);
  });

  test("that ignored a failed statement does not succeed", async () => {
    const project = scope.forProject({ projectId: first });
    const error = await rejection(
      project.transaction(async (open) => {
        await open.query(`INSERT INTO ${one.schema}.rows VALUES (1003, 'goes')`);
        await open.query(`INSERT INTO ${one.schema}.rows VALUES (1003, 'twice')`).catch(() => {});
      }),
    );
    expect(String(error)).toMatch(/continued after one of its statements had failed/);
  });

  test("whose backend is killed is refused, and the next one gets a clean connection", async () => {
    const project = scope.forProject({ projectId: first });
    const error = await rejection(
      project.transaction(async (open) => {
        const { rows } = await open.query("SELECT pg_backend_pid()");
        await admin.query("SELECT pg_terminate_backend($1)", [Number(rows[0]?.[0])]);
        await new Promise((resolve) => setTimeout(resolve, 50));
        await open.query("SELECT 1");
      }),
    );
    expect(error).toMatchObject({ code: "unavailable" });
    const { rows } = await owner.query("SELECT current_user = session_user AS same");
    expect(rows).toEqual([{ same: true }]);
    await project.transaction(async (open) => {
      expect((await open.query("SELECT current_user")).rows).toEqual([[one.worker]]);
    });
  });
});
