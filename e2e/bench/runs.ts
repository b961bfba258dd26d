// Measures what happens after a write: how soon a run starts, how many runs end per second, and the cost of an event.
// In: a database, a load generator, a time. Out: figures of a web process and a worker, and a table.
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { atRate } from "../pace.ts";
import { startBareCell, until } from "../published-cell.ts";
import { createSender } from "../sender.ts";
import { cpuOfFamilyUs, cpuOfProcessUs } from "./cpu.ts";
import type { Drive } from "./drivers/drive.ts";
import { noteEachTicket, ticketsBlueprint } from "./tickets.ts";

export interface Lag {
  readonly p50: number;
  readonly p99: number;
}

export interface Runs {
  /** From the commit of a single write to the start of its run, in ms. */
  readonly idleStartMs: Lag;
  /** The maximum number per second without a running worker. */
  readonly writesPerSecond: { readonly unheard: number; readonly heard: number };
  /** Web process and Postgres, in microseconds, without a running worker. */
  readonly cpuUsPerWrite: { readonly unheard: number; readonly heard: number };
  /** With the queue that was filled without a worker. */
  readonly drainedPerSecond: number;
  readonly sustained: readonly Sustained[];
}

/** Writes at a fixed rate, each of which starts a run. */
export interface Sustained {
  /** As a share of the writes without a listening workflow. */
  readonly share: number;
  readonly seconds: number;
  readonly writesPerSecond: number;
  readonly runsPerSecond: number;
  /** Worker and Postgres, in microseconds, with the write itself in Postgres. */
  readonly cpuUsPerRun: number;
  /** From the commit of a write to the start of its run, in ms. */
  readonly lagMs: Lag;
  /** Half way and at the end. If it grows, the rate isn't sustainable. */
  readonly backlog: readonly [number, number];
}

const SINGLE_WRITES = 60;
/** The number of writes at full speed: enough for a figure, and to fill the queue. */
const SHORT_SECONDS = 4;
/** After a deployment, every statement is new. */
const WARM_SECONDS = 1;
const SHARES = [0.25, 0.35, 0.5];

export async function measureRuns(options: {
  readonly cellUrl: string;
  readonly postgresPid: number;
  readonly drive: Drive;
  readonly seconds: number;
}): Promise<Runs> {
  const { cellUrl, postgresPid, drive, seconds } = options;
  const cell = await startBareCell(cellUrl);
  const pool = new pg.Pool({ connectionString: cellUrl, max: 1 });
  pool.on("error", () => {});
  const startWorker = async (): Promise<ReturnType<typeof cell.start>> =>
    cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) });
  let worker: Awaited<ReturnType<typeof startWorker>> | null = null;
  const sender = createSender({ origin: cell.origin, from: "127.0.0.1", socketsMax: 32 });
  try {
    const project = await cell.addProject("runs");
    await project.publish(ticketsBlueprint("runs"));
    const headers = {
      authorization: `Bearer ${await project.makeKey("secret")}`,
      "content-type": "application/json",
    };
    const shot = { method: "POST", path: "/v1/resources/tickets", body: `{"title":"a ticket"}` } as const;
    const write = async (): Promise<void> => {
      const status = await sender.send({ ...shot, headers });
      if (status !== 201) throw new Error(`a write was answered with ${status}`);
    };
    const asFastAsItGoes = async (
      driveSeconds = SHORT_SECONDS,
    ): Promise<{ readonly perSecond: number; readonly cpuUs: number }> => {
      const cpu = (): number => cpuOfProcessUs(cell.process.pid as number) + cpuOfFamilyUs(postgresPid);
      const before = cpu();
      const driven = await drive({ origin: cell.origin, headers, request: shot }, driveSeconds);
      return { perSecond: driven.requests / driven.seconds, cpuUs: (cpu() - before) / driven.requests };
    };
    const query = async (sql: string): Promise<Readonly<Record<string, number>>> =>
      (await pool.query(sql.replaceAll("{s}", `"${project.schema}"`))).rows[0];
    const left = async (): Promise<number> =>
      Number(
        (await query("SELECT (SELECT count(*) FROM plinth.outbox) + (SELECT count(*) FROM plinth.due_runs) AS n"))["n"],
      );
    const drained = (): Promise<void> => until(async () => (await left()) === 0, 300);
    const ended = async (): Promise<number> =>
      Number((await query("SELECT count(*) AS n FROM {s}.workers__runs WHERE ended_at IS NOT NULL"))["n"]);
    const forget = async (): Promise<void> => {
      await query("WITH gone AS (DELETE FROM {s}.workers__runs) DELETE FROM {s}.workers__events");
    };
    const lag = async (): Promise<Lag> => {
      const row = await query(
        `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99
         FROM (SELECT extract(epoch FROM r.started_at - e.at) * 1000 AS ms FROM {s}.workers__runs r JOIN {s}.workers__events e ON e.id = r.event_id) l`,
      );
      return { p50: Number(row["p50"]), p99: Number(row["p99"]) };
    };
    const sustain = async (share: number, most: number): Promise<Sustained> => {
      await forget();
      const perSecond = share * most;
      const cpu = (): number => cpuOfProcessUs(worker?.pid as number) + cpuOfFamilyUs(postgresPid);
      const cpuBefore = cpu();
      const startedMs = performance.now();
      const writing = atRate({ perSecond, seconds, inFlightMax: 5_000 }, write);
      await pause(seconds * 500);
      const halfway = await left();
      await writing;
      const writtenSeconds = (performance.now() - startedMs) / 1_000;
      const [runs, atEnd] = [await ended(), await left()];
      await drained();
      return {
        share,
        seconds,
        writesPerSecond: Math.floor(perSecond * seconds) / writtenSeconds,
        runsPerSecond: runs / writtenSeconds,
        cpuUsPerRun: (cpu() - cpuBefore) / Math.floor(perSecond * seconds),
        lagMs: await lag(),
        backlog: [halfway, atEnd],
      };
    };

    await asFastAsItGoes();
    const unheard = await asFastAsItGoes();
    await project.publish(ticketsBlueprint("runs", noteEachTicket));
    await asFastAsItGoes(WARM_SECONDS);
    const heard = await asFastAsItGoes();
    const waiting = await left();
    const drainMs = performance.now();
    worker = await startWorker();
    await drained();
    const drainedPerSecond = waiting / ((performance.now() - drainMs) / 1_000);
    await forget();
    for (let i = 0; i < SINGLE_WRITES; i++) {
      await write();
      await pause(60);
    }
    await drained();
    const idleStartMs = await lag();
    const sustained: Sustained[] = [];
    for (const share of SHARES) sustained.push(await sustain(share, unheard.perSecond));
    return {
      idleStartMs,
      writesPerSecond: { unheard: unheard.perSecond, heard: heard.perSecond },
      cpuUsPerWrite: { unheard: unheard.cpuUs, heard: heard.cpuUs },
      drainedPerSecond,
      sustained,
    };
  } finally {
    sender.close();
    await pool.end();
    worker?.kill("SIGKILL");
    cell.process.kill("SIGKILL");
  }
}

export function runsTable(runs: Runs): string {
  const { idleStartMs, writesPerSecond, cpuUsPerWrite, drainedPerSecond, sustained } = runs;
  const n = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
  const rows = [
    [
      "from the commit of a single write to the start of its run, ms (p50 / p99)",
      `${n(idleStartMs.p50)} / ${n(idleStartMs.p99)}`,
    ],
    [
      "writes a second, without and with a workflow that listens, and no worker running",
      `${n(writesPerSecond.unheard)} and ${n(writesPerSecond.heard)}`,
    ],
    [
      "CPU µs per write, without and with a workflow that listens, and no worker running",
      `${n(cpuUsPerWrite.unheard)} and ${n(cpuUsPerWrite.heard)} (${(cpuUsPerWrite.heard / cpuUsPerWrite.unheard).toFixed(2)} times)`,
    ],
    ["runs of one step that end per second, when a worker starts with a full queue", n(drainedPerSecond)],
  ];
  const rates = sustained.map(
    ({ share, seconds, lagMs, backlog, ...rates }) =>
      `| ${share} | ${seconds} | ${n(rates.writesPerSecond)} | ${n(rates.runsPerSecond)} | ${n(rates.cpuUsPerRun)} | ${n(lagMs.p50)} / ${n(lagMs.p99)} | ${backlog.join(" > ")} |`,
  );
  return `A web process, a worker and Postgres on one machine.\n\n| | |\n|---|---|\n${rows.map(([what, value]) => `| ${what} | ${value} |`).join("\n")}\n
Writes at a fixed rate, each of which starts a run with one step:\n
| share of the maximum writes without a workflow | s | writes/s | runs ended/s | CPU µs per run | commit to start, ms (p50 / p99) | unfinished runs: half way > at the end |
|---|---|---|---|---|---|---|
${rates.join("\n")}
`;
}
