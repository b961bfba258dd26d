import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describe("a test database", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test("belongs to a role that is no superuser and can create roles", async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      "SELECT rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user",
    );
    expect(rows).toEqual([{ rolsuper: false, rolcreaterole: true, rolcreatedb: false }]);
    const rights = await client.query(
      "SELECT has_schema_privilege('public', 'public', 'USAGE') AS used, datacl::text AS acl FROM pg_database WHERE datname = current_database()",
    );
    expect(rights.rows[0].used).toBe(false);
    expect(rights.rows[0].acl).not.toMatch(/[{,]=/);
    await client.end();
  });

  test("of a template has its tables, which belong to its own role", async () => {
    const template = {
      name: "sample",
      prepare: async (url: string) => {
        await connected(url, (owner) =>
          owner.query("CREATE SCHEMA own; CREATE TABLE own.note AS SELECT 'copied' AS text"),
        );
      },
    };
    const [one, two] = await Promise.all([createTestDatabase(template), createTestDatabase(template)]);
    await connected(one.url, (owner) => owner.query("UPDATE own.note SET text = 'changed'; DROP TABLE own.note"));
    const kept = await connected(two.url, async (owner) => (await owner.query("SELECT text FROM own.note")).rows);
    expect(kept).toEqual([{ text: "copied" }]);
    await Promise.all([one.drop(), two.drop()]);
  });

  test("is deleted together with the roles that its owner created", async () => {
    const other = await createTestDatabase();
    const owner = new pg.Client({ connectionString: other.url });
    await owner.connect();
    const role = `made_${new URL(other.url).username}`;
    await owner.query(`CREATE ROLE ${role}; CREATE SCHEMA own AUTHORIZATION CURRENT_USER`);
    await owner.query(`GRANT ${role} TO CURRENT_USER`);
    owner.on("error", () => {});
    await other.drop();
    await other.drop();
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const { rows } = await admin.query("SELECT FROM pg_roles WHERE rolname IN ($1, $2)", [
      role,
      new URL(other.url).username,
    ]);
    expect(rows).toHaveLength(0);
    await admin.end();
  });
});
