// Creates a project's schema and its two roles. In: a client and a project id. Out: the names. PUBLIC gets no right on
// the schema, and the worker only USAGE: rights on tables come with the tables.
import type { ClientBase } from "pg";
import { quoteIdentifier } from "./identifier.ts";
import { type TenantNames, tenantNames } from "./tenant-names.ts";
import { inTransactionOf } from "./transaction.ts";

/** Idempotent, and safe for two simultaneous callers. It opens its own transaction: don't call it inside one. */
export async function createTenantSchema(client: ClientBase, projectId: string): Promise<TenantNames> {
  const names = tenantNames(projectId);
  await inTransactionOf(client, async () => {
    // Roles belong to the whole server and CREATE ROLE has no IF NOT EXISTS.
    await lock(client, names);
    for (const role of [names.owner, names.worker]) {
      const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [role]);
      if (rowCount === 0) {
        await client.query(
          `CREATE ROLE ${quoteIdentifier(role)} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`,
        );
      }
    }
    await grant(client, names);
    const { rowCount } = await client.query("SELECT FROM pg_namespace WHERE nspname = $1", [names.schema]);
    const schema = quoteIdentifier(names.schema);
    if (rowCount === 0) await client.query(`CREATE SCHEMA ${schema} AUTHORIZATION ${quoteIdentifier(names.owner)}`);
    await client.query(`REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC`);
    await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${quoteIdentifier(names.worker)}`);
    // For what the owner creates later: PUBLIC could otherwise execute functions.
    await client.query(
      `ALTER DEFAULT PRIVILEGES FOR ROLE ${quoteIdentifier(names.owner)} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC`,
    );
  });
  return names;
}

/**
 * Makes the connected role a member of a project's two roles: it acts for every project (statements run without a role
 * change per request), and uses SET ROLE for proofs, transactions and DDL.
 */
export async function grantTenantRoles(client: ClientBase, names: TenantNames): Promise<void> {
  await inTransactionOf(client, async () => {
    await lock(client, names);
    await grant(client, names);
  });
}

/** Removes the schema with its content, and the roles. Idempotent. */
export async function dropTenantSchema(client: ClientBase, projectId: string): Promise<void> {
  const names = tenantNames(projectId);
  await inTransactionOf(client, async () => {
    await lock(client, names);
    await client.query(`DROP SCHEMA IF EXISTS ${quoteIdentifier(names.schema)} CASCADE`);
    for (const role of [names.worker, names.owner]) {
      const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [role]);
      if (rowCount === 0) continue;
      await client.query(`DROP OWNED BY ${quoteIdentifier(role)}`);
      await client.query(`DROP ROLE ${quoteIdentifier(role)}`);
    }
  });
}

async function grant(client: ClientBase, names: TenantNames): Promise<void> {
  const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version_num') AS version");
  // Since version 16, a membership defines itself what it allows; before, the member's INHERIT attribute does.
  const options = Number(rows[0]?.version) >= 160_000 ? " WITH INHERIT TRUE, SET TRUE" : "";
  await client.query(
    `GRANT ${quoteIdentifier(names.owner)}, ${quoteIdentifier(names.worker)} TO CURRENT_USER${options}`,
  );
}

async function lock(client: ClientBase, names: TenantNames): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`plinth tenant ${names.schema}`]);
}
