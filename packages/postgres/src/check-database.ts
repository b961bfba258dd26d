// Checks whether a database can be used for a cell or the control plane. In: a connected client. Out: nothing, or one
// error that lists what is missing and what to do. It never changes anything on the server.
import type { ClientBase } from "pg";

const versionMin = 150_000;

export type DatabaseNeeds = {
  /** The cell creates two roles for each project; the control plane creates none. Default true. */
  readonly createRole?: boolean;
  /** Extensions that it creates. Default none. */
  readonly extensions?: readonly string[];
};

/** @throws Error listing everything that is missing */
export async function checkDatabase(client: ClientBase, needs: DatabaseNeeds = {}): Promise<void> {
  const { rows } = await client.query<{
    version: string;
    version_text: string;
    backend: number;
    name: string;
    role: string;
    creates_roles: boolean;
    creates_schemas: boolean;
    replica: boolean;
    encoding: string;
  }>(`
    SELECT current_setting('server_version_num') AS version, current_setting('server_version') AS version_text,
           pg_backend_pid() AS backend, current_database() AS name, current_user AS role,
           (SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user) AS creates_roles,
           has_database_privilege(current_database(), 'CREATE') AS creates_schemas,
           pg_is_in_recovery() AS replica, current_setting('server_encoding') AS encoding`);
  const found = rows[0];
  if (found === undefined) throw new Error("The database did not answer the start-up check");
  const problems: string[] = [];
  if (Number(found.version) < versionMin) {
    problems.push(`The server is PostgreSQL ${found.version_text}, but version 15 or later is needed.`);
  }
  if (needs.createRole !== false && !found.creates_roles) {
    problems.push(`The role "${found.role}" can't create roles: run ALTER ROLE "${found.role}" CREATEROLE.`);
  }
  if (!found.creates_schemas) {
    problems.push(
      `The role "${found.role}" can't create schemas: run GRANT CREATE ON DATABASE "${found.name}" TO "${found.role}".`,
    );
  }
  for (const extension of needs.extensions ?? []) {
    const { rowCount } = await client.query("SELECT FROM pg_available_extensions WHERE name = $1", [extension]);
    if (rowCount === 0) {
      problems.push(`The server has no extension ${extension}: install PostgreSQL's contrib package on the server.`);
    }
  }
  if (found.replica) problems.push("The server is a read-only replica, but the primary is needed.");
  if (found.encoding !== "UTF8") problems.push(`The encoding is ${found.encoding}, but UTF8 is needed.`);
  if (!(await isDirect(client, found.backend))) {
    problems.push(
      "The connection goes through a transaction pooler, which loses prepared statements and session settings: " +
        "use the server's direct address (often port 5432 instead of 6432 or 6543).",
    );
  }
  if (problems.length > 0) {
    throw new Error(`The database "${found.name}" cannot be used:\n${problems.map((each) => `  ${each}`).join("\n")}`);
  }
}

/**
 * A server tells each client its process id; a pooler invents one. Equal ids prove a direct connection. If they differ,
 * it can still be a session pooler, which is fine: two queries then use the same session.
 */
async function isDirect(client: ClientBase, backend: number): Promise<boolean> {
  const announced = (client as unknown as { processID: number | null }).processID;
  if (announced === backend) return true;
  const mark = `m${backend}`;
  try {
    await client.query(`SET plinth.session_probe = '${mark}'; PREPARE plinth_probe AS SELECT 1`);
    for (let i = 0; i < 5; i++) {
      const { rows } = await client.query<{ mark: string | null; backend: number; prepared: boolean }>(`
        SELECT current_setting('plinth.session_probe', true) AS mark, pg_backend_pid() AS backend,
               EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'plinth_probe') AS prepared`);
      if (rows[0]?.mark !== mark || rows[0].backend !== backend || !rows[0].prepared) return false;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await client.query("DEALLOCATE plinth_probe; RESET plinth.session_probe");
    return true;
  } catch {
    return false;
  }
}
