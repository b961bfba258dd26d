// Kills a worker between a receiver's answer and the worker's record of it. In: a cell with a project, and its
// database. Out: the requests that the receiver got, and the attempts that the cell recorded. The moment is certain,
// because the worker's write waits for a row that the harness has locked.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { type BareCell, until } from "../published-cell.ts";

export interface AimedKill {
  /** Webhook ids, in the order of their arrival. */
  readonly ids: readonly string[];
  readonly status: string;
  /** For each attempt, whether its end was recorded. */
  readonly noted: readonly boolean[];
}

const BLUEPRINT = `project: aimed
modules: [auth, users, roles, workers, webhooks, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
`;
/** A lease of a dead process ends within 30 s. */
const PATIENCE_SECONDS = 60;

/** @param cell A cell without other workers than those that this function starts. */
export async function killAfterAnswer(cell: BareCell, cellUrl: string): Promise<AimedKill> {
  const pool = new pg.Pool({ connectionString: cellUrl, max: 2 });
  pool.on("error", () => {});
  const locker = await pool.connect();
  const ids: string[] = [];
  const receiver = createServer(async (request, response) => {
    request.resume();
    await once(request, "end");
    const id = String(request.headers["webhook-id"]);
    if (ids.push(id) === 1) {
      await locker.query("BEGIN");
      await locker.query("SELECT 1 FROM plinth.webhook_deliveries WHERE id = $1 FOR UPDATE", [id.slice("msg_".length)]);
    }
    response.writeHead(200).end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  let worker: ChildProcess | null = null;
  try {
    const project = await cell.addProject("aimed");
    await project.publish(BLUEPRINT);
    const post = asAdmin(cell, await project.makeKey("secret"));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    await post("webhook-endpoints", { url, events: ["ticket.created"] });
    worker = cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) });
    await post("resources/tickets", { title: "a ticket" });
    const [blocked] = await waitersFor(pool, locker);
    worker.kill("SIGKILL");
    // Postgres would still perform the waiting statement of the dead process. End its backend, so that the outcome is
    // never recorded.
    await pool.query("SELECT pg_terminate_backend($1)", [blocked]);
    await until(async () => (await waiting(pool, locker)).length === 0, 10);
    await locker.query("ROLLBACK");
    worker = cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) });
    await until(async () => (await stateOf(pool)).status !== "pending", PATIENCE_SECONDS);
    return { ids, ...(await stateOf(pool)) };
  } finally {
    worker?.kill("SIGKILL");
    locker.release(true);
    await pool.end();
    receiver.closeAllConnections();
    receiver.close();
  }
}

function asAdmin(cell: BareCell, key: string): (path: string, body: object) => Promise<void> {
  return async (path, body) => {
    const reply = await fetch(`${cell.origin}/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  };
}

/** Backends that wait for the lock. */
async function waiting(pool: pg.Pool, locker: pg.PoolClient): Promise<readonly number[]> {
  const { processID } = locker as unknown as { readonly processID: number };
  const { rows } = await pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) AND pid <> $1",
    [processID],
  );
  return rows.map(({ pid }) => pid);
}

async function waitersFor(pool: pg.Pool, locker: pg.PoolClient): Promise<readonly number[]> {
  await until(async () => (await waiting(pool, locker)).length > 0, PATIENCE_SECONDS);
  return waiting(pool, locker);
}

async function stateOf(pool: pg.Pool): Promise<Pick<AimedKill, "status" | "noted">> {
  const { rows } = await pool.query<{ status: string; noted: readonly boolean[] }>(
    `SELECT d.status, array_agg(a.ended_at IS NOT NULL ORDER BY a.attempt) AS noted
     FROM plinth.webhook_deliveries d JOIN plinth.webhook_attempts a ON a.delivery_id = d.id GROUP BY d.id`,
  );
  return rows[0] ?? { status: "pending", noted: [] };
}
