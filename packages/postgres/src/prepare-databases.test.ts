import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkDatabase } from "./check-database.ts";
import { type OwnedDatabase, prepareDatabase } from "./prepare-databases.ts";
import { createTenantSchema, dropTenantSchema } from "./tenant-schema.ts";

let database: TestDatabase;
let admin: pg.Client;
const name = `prepared_${process.pid}_${Date.now().toString(36)}`;
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.query(`DROP OWNED BY ${name}_admin; DROP ROLE IF EXISTS ${name}; DROP ROLE IF EXISTS ${name}_admin`);
  await admin.end();
  await database.drop();
});

test("an administrator without superuser, as on managed servers, is enough; a second call changes nothing", async () => {
  await admin.query(`CREATE ROLE ${name}_admin LOGIN CREATEDB CREATEROLE PASSWORD 'x'`);
  await admin.query(`GRANT CONNECT ON DATABASE ${new URL(database.url).pathname.slice(1)} TO ${name}_admin`);
  const managed = new URL(database.adminUrl);
  managed.username = `${name}_admin`;
  managed.password = "x";
  const wanted: OwnedDatabase = { name, role: name, password: "a'b\\c@/:", createRole: true };
  await prepareDatabase(managed.href, wanted);
  const url = await prepareDatabase(managed.href, wanted);

  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await checkDatabase(owner);
  const { rows } = await owner.query(
    "SELECT datacl::text AS acl, (SELECT nspacl::text FROM pg_namespace WHERE nspname = 'public') AS public_acl FROM pg_database WHERE datname = current_database()",
  );
  for (const acl of Object.values(rows[0])) expect(acl).not.toMatch(/[{,]=/);
  const projectId = `prj_${process.pid.toString(36).padStart(20, "0")}`;
  const names = await createTenantSchema(owner, projectId);
  await owner.query(`SET ROLE ${names.worker}`);
  await expect(owner.query("CREATE TEMP TABLE x (id int)")).rejects.toMatchObject({ code: "42501" });
  await owner.query("RESET ROLE");
  await dropTenantSchema(owner, projectId);
  await owner.end();
});

test("a new password replaces the old one", async () => {
  const wanted: OwnedDatabase = { name, role: name, password: "first", createRole: false };
  const before = await prepareDatabase(database.adminUrl, wanted);
  const after = await prepareDatabase(database.adminUrl, { ...wanted, password: "second" });
  await expect(new pg.Client({ connectionString: before }).connect()).rejects.toMatchObject({ code: "28P01" });
  const client = new pg.Client({ connectionString: after });
  await client.connect();
  await client.end();
});
