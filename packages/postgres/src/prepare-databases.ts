// Creates the two databases with their owners on a server. In: an administrator's address and two passwords. Out: the
// addresses for control and cell. Each owner can only use its own database, and PUBLIC has no access.
import pg from "pg";
import type { DatabaseSecrets } from "./database-secrets.ts";
import { quoteIdentifier, quoteLiteral } from "./identifier.ts";

export type DatabaseUrls = { readonly control: string; readonly cell: string };

export type OwnedDatabase = {
  readonly name: string;
  readonly role: string;
  readonly password: string;
  readonly createRole: boolean;
  /** A database to copy; "template0" gives an empty one in UTF8 whatever the server's default. */
  readonly template?: string;
};

/** Idempotent. The administrator must be allowed to create databases and roles. */
export async function prepareDatabases(
  adminUrl: string,
  secrets: Pick<DatabaseSecrets, "controlPassword" | "cellPassword">,
): Promise<DatabaseUrls> {
  const control = await prepareDatabase(adminUrl, {
    name: "plinth_control",
    role: "plinth_control",
    password: secrets.controlPassword,
    createRole: false,
  });
  const cell = await prepareDatabase(adminUrl, {
    name: "plinth_cell",
    role: "plinth_cell",
    password: secrets.cellPassword,
    createRole: true,
  });
  return { control, cell };
}

/** One database with a login role of its own that owns it. Idempotent. Out: the owner's address. */
export async function prepareDatabase(adminUrl: string, wanted: OwnedDatabase): Promise<string> {
  const name = quoteIdentifier(wanted.name);
  const role = quoteIdentifier(wanted.role);
  await withClient(adminUrl, async (admin) => {
    // Several starts at the same time meet here; CREATE DATABASE can't run in a transaction, so the lock belongs to the
    // session.
    await admin.query("SELECT pg_advisory_lock(hashtextextended('plinth databases', 0))");
    const exists = (await admin.query("SELECT FROM pg_roles WHERE rolname = $1", [wanted.role])).rowCount !== 0;
    // Only a superuser can use the word SUPERUSER in an ALTER ROLE; a new role has no attribute unless named.
    const attributes = wanted.createRole ? "LOGIN CREATEROLE" : "LOGIN";
    await admin.query(
      `${exists ? "ALTER" : "CREATE"} ROLE ${role} ${attributes} PASSWORD ${quoteLiteral(wanted.password)}`,
    );
    if ((await admin.query("SELECT FROM pg_database WHERE datname = $1", [wanted.name])).rowCount === 0) {
      await becomeMember(admin, role);
      const template = wanted.template ?? "template0";
      const encoding = template === "template0" ? "ENCODING 'UTF8'" : "STRATEGY file_copy";
      await admin.query(`CREATE DATABASE ${name} OWNER ${role} TEMPLATE ${quoteIdentifier(template)} ${encoding}`);
    }
    await admin.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  });
  // Schema rights are kept inside each database.
  const inside = new URL(adminUrl);
  inside.pathname = `/${encodeURIComponent(wanted.name)}`;
  await withClient(inside.href, (admin) => admin.query("REVOKE ALL ON SCHEMA public FROM PUBLIC"));
  const own = new URL(adminUrl);
  own.username = encodeURIComponent(wanted.role);
  own.password = encodeURIComponent(wanted.password);
  own.pathname = `/${encodeURIComponent(wanted.name)}`;
  return own.href;
}

/** Without superuser rights (managed Postgres), one must be a member of a role to give it a database. */
async function becomeMember(admin: pg.Client, role: string): Promise<void> {
  const { rows } = await admin.query<{ super: boolean; version: string }>(`
    SELECT rolsuper AS super, current_setting('server_version_num') AS version FROM pg_roles WHERE rolname = current_user`);
  if (rows[0]?.super === true) return;
  const options = Number(rows[0]?.version) >= 160_000 ? " WITH INHERIT TRUE, SET TRUE" : "";
  await admin.query(`GRANT ${role} TO CURRENT_USER${options}`);
}

async function withClient(connectionString: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000, query_timeout: 60_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
