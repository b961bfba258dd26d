import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkDatabase } from "./check-database.ts";

let database: TestDatabase;
let admin: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

test("accepts a database whose owner can create roles", async () => {
  await expect(withClient(database.url, (client) => checkDatabase(client))).resolves.toBeUndefined();
});

test("names all problems at once", async () => {
  const role = `poor_${process.pid}_${Date.now()}`;
  const name = new URL(database.url).pathname.slice(1);
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT CONNECT ON DATABASE ${name} TO ${role}`);
  const poor = new URL(database.url);
  poor.username = role;
  poor.password = "x";
  const error = await withClient(poor.href, (client) => checkDatabase(client).catch((caught: Error) => caught));
  expect(String(error)).toContain(`ALTER ROLE "${role}" CREATEROLE`);
  expect(String(error)).toContain(`GRANT CREATE ON DATABASE "${name}" TO "${role}"`);
  const control = await withClient(poor.href, (client) =>
    checkDatabase(client, { createRole: false }).catch((caught: Error) => caught),
  );
  expect(String(control)).not.toContain("CREATEROLE");
  await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test("detects a pooler that uses another session for each statement", async () => {
  // Like a transaction pooler: the client gets a process id from the pooler, and each statement uses any free session.
  const backends = await Promise.all([0, 1].map(() => withConnected(database.url)));
  let turn = 0;
  const pooled = {
    processID: 1,
    query: (...args: readonly unknown[]) =>
      (backends[turn++ % 2] as unknown as { query: (...a: unknown[]) => unknown }).query(...args),
  } as unknown as pg.ClientBase;
  await expect(checkDatabase(pooled)).rejects.toThrow(/transaction pooler/);
  // A session pooler also announces its own id, but stays with one session.
  const [single] = backends;
  const session = { processID: 1, query: single!.query.bind(single) } as unknown as pg.ClientBase;
  await expect(checkDatabase(session)).resolves.toBeUndefined();
  await Promise.all(backends.map((client) => client.end()));
});

async function withConnected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
