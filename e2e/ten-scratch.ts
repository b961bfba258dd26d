import { mkdtempSync, rmSync } from "node:fs";
import { freePort } from "@plinth/testkit";
import { removeEmbeddedServer, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import pg from "pg";
import { startBareCell, until } from "./published-cell.ts";
import { noteEachTicket, ticketsBlueprint } from "./bench/tickets.ts";
const home = mkdtempSync("/tmp/ten-");
const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "d", level: "warn" }) });
try {
  const adm = new URL(postgres.urls.admin); adm.pathname = new URL(postgres.urls.cell).pathname;
  const holder = new pg.Client({ connectionString: adm.href }); await holder.connect();
  const pool = new pg.Pool({ connectionString: postgres.urls.cell, max: 1 });
  const cell = await startBareCell(postgres.urls.cell);
  const worker = cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) });
  const project = await cell.addProject("runs");
  await project.publish(ticketsBlueprint("runs", noteEachTicket));
  const headers = { authorization: `Bearer ${await project.makeKey("secret")}`, "content-type": "application/json" };
  await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ"); await holder.query("create table held (x int)"); await holder.query("select count(*) from pg_class");
  const t0 = Date.now();
  while (Date.now() - t0 < 600_000) {
    const r = await fetch(`${cell.origin}/v1/resources/tickets`, { method: "POST", headers, body: `{"title":"a"}` }); await r.arrayBuffer();
    await new Promise((x) => setTimeout(x, 2000));
  }
  await until(async () => Number((await pool.query("SELECT (SELECT count(*) FROM plinth.outbox) + (SELECT count(*) FROM plinth.due_runs) AS n")).rows[0].n) === 0, 30);
  console.log((await pool.query(`SELECT count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99, max(ms) FROM (SELECT extract(epoch FROM r.started_at - e.at) * 1000 AS ms FROM "${project.schema}".workers__runs r JOIN "${project.schema}".workers__events e ON e.id = r.event_id) l`)).rows[0], "held s", (Date.now() - t0) / 1000);
  await holder.query("ROLLBACK"); await holder.end(); await pool.end(); worker.kill("SIGKILL"); cell.process.kill("SIGKILL");
} finally { await removeEmbeddedServer(home); rmSync(home, { recursive: true, force: true }); }
process.exit(0);
