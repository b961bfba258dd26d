// What happens after a write: how soon a run begins, how many end in a second, and what writing an event costs. In: a database and
// a time. Out: figures of a web process and a worker on it, and a table.
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { startBareCell, until } from "../published-cell.ts";
import { cpuOfFamilyUs, cpuOfProcessUs } from "./cpu.ts";
import { noteEachTicket, ticketsBlueprint } from "./tickets.ts";

export interface Runs {
  /** From the commit of a single write to the start of its run, in ms. */
  readonly idleStartMs: { readonly p50: number; readonly p99: number };
  readonly writesPerSecond: { readonly unheard: number; readonly heard: number };
  /** Web process and Postgres, in microseconds, with no worker at work. */
  readonly cpuUsPerWrite: { readonly unheard: number; readonly heard: number };
  /** While the writes went on, and until all had ended. */
  readonly runsPerSecond: { readonly under: number; readonly all: number };
  /** From the commit of a write to the start of its run while they went on, in ms. */
  readonly lagMs: { readonly p50: number; readonly p99: number };
  readonly backlogAtEnd: number;
}

const WRITERS = 16;
const SINGLE_WRITES = 60;

export async function measureRuns(options: {
  readonly cellUrl: string;
  readonly postgresPid: number;
  readonly seconds: number;
}): Promise<Runs> {
  const { cellUrl, postgresPid, seconds } = options;
  const cell = await startBareCell(cellUrl);
  const pool = new pg.Pool({ connectionString: cellUrl, max: 1 });
  pool.on("error", () => {});
  const startWorker = async (): Promise<ReturnType<typeof cell.start>> =>
    cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) });
  let worker = await startWorker();
  try {
    const project = await cell.addProject("runs");
    await project.publish(ticketsBlueprint("runs"));
    const key = await project.makeKey("secret");
    const write = async (): Promise<void> => {
      const reply = await fetch(`${cell.origin}/v1/resources/tickets`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: `{"title":"a ticket"}`,
      });
      await reply.arrayBuffer();
      if (reply.status !== 201) throw new Error(`a write was answered with ${reply.status}`);
    };
    const load = async (): Promise<{ readonly perSecond: number; readonly cpuUs: number }> => {
      const cpu = (): number => cpuOfProcessUs(cell.process.pid as number) + cpuOfFamilyUs(postgresPid);
      const [startedMs, before] = [performance.now(), cpu()];
      let writes = 0;
      const writer = async (): Promise<void> => {
        while (performance.now() - startedMs < seconds * 1_000) {
          await write();
          writes++;
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
      return { perSecond: writes / ((performance.now() - startedMs) / 1_000), cpuUs: (cpu() - before) / writes };
    };
    const query = async (sql: string): Promise<Readonly<Record<string, number>>> =>
      (await pool.query(sql.replaceAll("{s}", `"${project.schema}"`))).rows[0];
    const left = async (): Promise<number> =>
      Number(
        (await query("SELECT (SELECT count(*) FROM plinth.outbox) + (SELECT count(*) FROM plinth.due_runs) AS n"))["n"],
      );
    const drained = (): Promise<void> => until(async () => (await left()) === 0, 300);
    const lag = async (): Promise<{ readonly p50: number; readonly p99: number }> => {
      const row = await query(
        `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99
         FROM (SELECT extract(epoch FROM r.started_at - e.at) * 1000 AS ms FROM {s}.workers__runs r JOIN {s}.workers__events e ON e.id = r.event_id) l`,
      );
      return { p50: Number(row["p50"]), p99: Number(row["p99"]) };
    };

    await load();
    // Both without a worker: what the event itself costs.
    worker.kill("SIGTERM");
    const unheard = await load();
    await project.publish(ticketsBlueprint("runs", noteEachTicket));
    const written = await load();
    worker = await startWorker();
    await drained();
    await query("WITH gone AS (DELETE FROM {s}.workers__runs) DELETE FROM {s}.workers__events");
    for (let i = 0; i < SINGLE_WRITES; i++) {
      await write();
      await pause(60);
    }
    await drained();
    const idleStartMs = await lag();
    await query("WITH gone AS (DELETE FROM {s}.workers__runs) DELETE FROM {s}.workers__events");
    const startedMs = performance.now();
    const underLoad = await load();
    const ended = Number((await query("SELECT count(*) AS n FROM {s}.workers__runs WHERE ended_at IS NOT NULL"))["n"]);
    const loadedMs = performance.now() - startedMs;
    const backlogAtEnd = await left();
    await drained();
    const all = Number((await query("SELECT count(*) AS n FROM {s}.workers__runs"))["n"]);
    return {
      idleStartMs,
      writesPerSecond: { unheard: unheard.perSecond, heard: underLoad.perSecond },
      cpuUsPerWrite: { unheard: unheard.cpuUs, heard: written.cpuUs },
      runsPerSecond: { under: ended / (loadedMs / 1_000), all: all / ((performance.now() - startedMs) / 1_000) },
      lagMs: await lag(),
      backlogAtEnd,
    };
  } finally {
    await pool.end();
    worker.kill("SIGKILL");
    cell.process.kill("SIGKILL");
  }
}

export function runsTable({
  idleStartMs,
  writesPerSecond,
  cpuUsPerWrite,
  runsPerSecond,
  lagMs,
  backlogAtEnd,
}: Runs): string {
  const n = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
  const rows = [
    [
      "from the commit of a single write to the start of its run, ms (p50 / p99)",
      `${n(idleStartMs.p50)} / ${n(idleStartMs.p99)}`,
    ],
    ["writes a second that nobody hears", n(writesPerSecond.unheard)],
    ["writes a second with their runs beside them", n(writesPerSecond.heard)],
    [
      "CPU µs of a write, unheard and heard, with no worker beside it",
      `${n(cpuUsPerWrite.unheard)} and ${n(cpuUsPerWrite.heard)} (${(cpuUsPerWrite.heard / cpuUsPerWrite.unheard).toFixed(2)} times)`,
    ],
    ["one-step runs that end in a second, while writes go on", n(runsPerSecond.under)],
    ["the same until all have ended", n(runsPerSecond.all)],
    ["from commit to start while writes go on, ms (p50 / p99)", `${n(lagMs.p50)} / ${n(lagMs.p99)}`],
    ["runs left when the writes end", String(backlogAtEnd)],
  ];
  return `A web process, a worker and Postgres on one machine.\n\n| | |\n|---|---|\n${rows.map(([what, value]) => `| ${what} | ${value} |`).join("\n")}\n`;
}
