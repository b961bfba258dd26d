// A separate database for a test file. In: nothing. Out: addresses for its owner and for an administrator. Files never
// share one; its roles are removed with it.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { prepareDatabase } from "@plinth/postgres/embedded";
import pg from "pg";
import { inject } from "vitest";
import { testServerKey } from "./provided-context.ts";

export type TestDatabase = {
  /** As its owner: not a superuser, but can create roles. A cell connects with this role. */
  readonly url: string;
  /** The same database as an administrator. */
  readonly adminUrl: string;
  /** Ends its sessions and removes it with the roles that its owner made. Idempotent. */
  drop(): Promise<void>;
};

/** The content that many databases start with, such as the tables of a cell. */
export type DatabaseTemplate = {
  readonly name: string;
  /** Fills an empty database, whose owner has this address. Runs once for all files of a run. */
  prepare(url: string): Promise<void>;
};

/** @param template Copied, which is several times faster than to run its migrations again. Default: an empty database. */
export async function createTestDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const { adminUrl: serverUrl, isOurs } = await serverAddress();
  const name = `plinth_test_${randomBytes(6).toString("hex")}`;
  // A server of somebody else's would keep the source, which the next run would take for its own.
  const source = template === undefined || !isOurs ? null : await copySource(serverUrl, template);
  const url = await prepareDatabase(serverUrl, {
    name,
    role: name,
    password: randomBytes(12).toString("hex"),
    createRole: true,
    ...(source === null ? {} : { template: source.name }),
  });
  if (source === null) await template?.prepare(url);
  else {
    const take = `REASSIGN OWNED BY "${source.role}" TO "${name}"`;
    await asAdmin(withName(serverUrl, name), (admin) => admin.query(take));
  }
  let dropped: Promise<void> | null = null;
  return {
    url,
    adminUrl: withName(serverUrl, name),
    drop() {
      dropped ??= remove(serverUrl, name);
      return dropped;
    },
  };
}

const withName = (serverUrl: string, database: string): string => {
  const inside = new URL(serverUrl);
  inside.pathname = `/${database}`;
  return inside.href;
};

async function asAdmin<Result>(url: string, work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

interface CopySource {
  readonly name: string;
  /** The owner of its tables. */
  readonly role: string;
}

const sources = new Map<string, Promise<CopySource>>();

function copySource(serverUrl: string, template: DatabaseTemplate): Promise<CopySource> {
  const known = sources.get(template.name) ?? prepareSource(serverUrl, template);
  sources.set(template.name, known);
  return known;
}

/** The first process that needs it prepares it; the others wait. The name is its own only when it is complete. */
function prepareSource(serverUrl: string, template: DatabaseTemplate): Promise<CopySource> {
  const name = `plinth_template_${template.name}`;
  const role = `${name}_owner`;
  return asAdmin(serverUrl, async (admin) => {
    await admin.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [name]);
    const { rowCount } = await admin.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (rowCount !== 0) return { name, role };
    const password = randomBytes(12).toString("hex");
    const unfinished = `${name}_unfinished`;
    await admin.query(`DROP DATABASE IF EXISTS "${unfinished}" WITH (FORCE)`);
    await template.prepare(await prepareDatabase(serverUrl, { name: unfinished, role, password, createRole: true }));
    // Otherwise REASSIGN OWNED in a copy would reassign this database as well.
    await admin.query(`ALTER DATABASE "${unfinished}" OWNER TO CURRENT_USER`);
    await admin.query(`ALTER DATABASE "${unfinished}" RENAME TO "${name}"`);
    return { name, role };
  });
}

function remove(serverUrl: string, name: string): Promise<void> {
  return asAdmin(serverUrl, async (admin) => {
    await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    const { rows } = await admin.query<{ role: string }>(
      `SELECT r.rolname AS role FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
       WHERE m.member = (SELECT oid FROM pg_roles WHERE rolname = $1) GROUP BY 1`,
      [name],
    );
    for (const { role } of rows) {
      // The owner may have been granted predefined roles, which are not its own.
      if (!role.startsWith("pg_")) await admin.query(`DROP ROLE IF EXISTS ${pg.escapeIdentifier(role)}`);
    }
    await admin.query(`DROP ROLE IF EXISTS "${name}"`);
  });
}

interface ServerAnswer {
  readonly adminUrl: string;
  readonly isOurs: boolean;
}

let asked: Promise<ServerAnswer> | null = null;

/** Asks the run's broker (global-setup.ts), which starts the server for the first caller. */
function serverAddress(): Promise<ServerAnswer> {
  asked ??= new Promise((resolve, reject) => {
    const socketPath = inject(testServerKey);
    if (!socketPath) {
      reject(new Error("No test server: run vitest with @plinth/testkit/global-setup as globalSetup"));
      return;
    }
    let text = "";
    const socket = connect(socketPath);
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("end", () => {
      const answer = JSON.parse(text) as ServerAnswer | { error: string };
      if ("error" in answer) reject(new Error(answer.error));
      else resolve(answer);
    });
  });
  return asked;
}
