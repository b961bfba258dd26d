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

export async function createTestDatabase(_template: "empty" = "empty"): Promise<TestDatabase> {
  const serverUrl = await serverAddress();
  const name = `plinth_test_${randomBytes(6).toString("hex")}`;
  const url = await prepareDatabase(serverUrl, {
    name,
    role: name,
    password: randomBytes(12).toString("hex"),
    createRole: true,
  });
  const inside = new URL(serverUrl);
  inside.pathname = `/${name}`;
  let dropped: Promise<void> | null = null;
  return {
    url,
    adminUrl: inside.href,
    drop() {
      dropped ??= remove(serverUrl, name);
      return dropped;
    },
  };
}

async function remove(serverUrl: string, name: string): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  try {
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
  } finally {
    await admin.end();
  }
}

let asked: Promise<string> | null = null;

/** Asks the run's broker (global-setup.ts), which starts the server for the first caller. */
function serverAddress(): Promise<string> {
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
      const answer = JSON.parse(text) as { adminUrl?: string; error?: string };
      if (answer.adminUrl === undefined) reject(new Error(answer.error));
      else resolve(answer.adminUrl);
    });
  });
  return asked;
}
