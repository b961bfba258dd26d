// Measures the effect of slow services on other projects. In: a database. Out: the time from a write to the end of its
// run, in a project that calls nothing: alone, and while other projects call services that take seconds to answer; and
// the number of those calls' runs that end per second.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { atRate } from "../pace.ts";
import { type BareCell, startBareCell, until } from "../published-cell.ts";
import { createSender } from "../sender.ts";
import { noteEachTicket, ticketsBlueprint } from "./tickets.ts";

export interface SlowServices {
  readonly projects: number;
  /** From the commit of a write to the end of its run, in ms. */
  readonly alone: Delays;
  readonly beside: Delays;
  /** Of the projects that call. */
  readonly runsPerSecond: number;
  readonly writesPerSecond: number;
  /** The largest number of calls at the same time. */
  readonly callsAtOnce: number;
}

interface Delays {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** Until its event is handed on, and until its run starts: medians. */
  readonly handedOn: number;
  readonly started: number;
}

const ANSWER_MS = 5_000;
const QUIET_PER_SECOND = 3;
/** Between two writes of a project that calls. */
const CALLER_SECONDS = 5;
/** Runs that have not ended after this time count as if they had. */
const PATIENCE_SECONDS = 60;
/** Until as many calls end as begin. */
const WARM_SECONDS = 10;

export async function measureSlowServices(options: {
  readonly cellUrl: string;
  readonly projects: number;
  readonly seconds: number;
}): Promise<SlowServices> {
  const { cellUrl, projects, seconds } = options;
  const service = await startService();
  const cell = await startBareCell(cellUrl);
  const pool = new pg.Pool({ connectionString: cellUrl, max: 1 });
  pool.on("error", () => {});
  const sender = createSender({ origin: cell.origin, from: "127.0.0.1", socketsMax: 32 });
  const worker = cell.start("worker", {
    PLINTH_HEALTH_PORT: String(await freePort()),
    PLINTH_OUTBOUND_ALLOW: "127.0.0.1",
  });
  /** True if it was answered: a connection that is closed meanwhile costs one write. */
  const write = async (headers: Readonly<Record<string, string>>): Promise<boolean> => {
    const body = `{"title":"a ticket"}`;
    const status = await sender.send({ method: "POST", path: "/v1/resources/tickets", headers, body });
    if (status !== 201 && status !== 0) throw new Error(`a write was answered with ${status}`);
    return status === 201;
  };
  const ended = async (schemas: readonly string[]): Promise<number> => {
    const counts = schemas.map((s) => `SELECT count(*) AS n FROM "${s}".workers__runs WHERE status = 'completed'`);
    return Number((await pool.query(`SELECT sum(n) AS n FROM (${counts.join(" UNION ALL ")}) c`)).rows[0].n);
  };
  try {
    const quiet = await publish(cell, "quiet", noteEachTicket);
    const calling = [];
    for (let at = 0; at < projects; at++)
      calling.push(await publish(cell, `calls-${at}`, callForEachTicket(service.url)));
    const delays = async (): Promise<Delays> => {
      await atRate({ perSecond: QUIET_PER_SECOND, seconds }, async () => void (await write(quiet.headers)));
      const open = `SELECT 1 FROM "${quiet.schema}".workers__runs WHERE ended_at IS NULL`;
      await until(async () => (await pool.query(open)).rowCount === 0, PATIENCE_SECONDS).catch(() => {});
      return takeDelays(pool, quiet.schema);
    };
    await delays();
    const alone = await delays();
    const schemas = calling.map(({ schema }) => schema);
    let writing = true;
    let written = 0;
    const writes = (async () => {
      while (writing) {
        const start = performance.now();
        for (const [at, { headers }] of calling.entries()) {
          await pause(Math.max(0, start + (at / projects) * CALLER_SECONDS * 1_000 - performance.now()));
          if (await write(headers)) written++;
        }
      }
    })();
    await pause(WARM_SECONDS * 1_000);
    const [endedBefore, writtenBefore, startedMs] = [await ended(schemas), written, performance.now()];
    const beside = await delays();
    const tookSeconds = (performance.now() - startedMs) / 1_000;
    const runsPerSecond = ((await ended(schemas)) - endedBefore) / tookSeconds;
    const writesPerSecond = (written - writtenBefore) / tookSeconds;
    writing = false;
    await writes;
    console.error({ alone, beside });
    return { projects, alone, beside, runsPerSecond, writesPerSecond, callsAtOnce: service.atOnce() };
  } finally {
    sender.close();
    service.close();
    await pool.end();
    worker.kill("SIGKILL");
    cell.process.kill("SIGKILL");
  }
}

/** Each ticket calls the service, and then creates a record. */
const callForEachTicket = (url: string): string => `workflows:
  call:
    on: ticket.created
    steps:
      - { id: ask, action: http.request, timeout: 30s, with: { url: '${url}' } }
      - record.create: { with: { entity: note, text: answered } }
`;

async function publish(
  cell: BareCell,
  slug: string,
  work: string,
): Promise<{ readonly schema: string; readonly headers: Readonly<Record<string, string>> }> {
  const project = await cell.addProject(slug);
  await project.publish(ticketsBlueprint("slow-services", work));
  const authorization = `Bearer ${await project.makeKey("secret")}`;
  return { schema: project.schema, headers: { authorization, "content-type": "application/json" } };
}

/** Of the runs since the last time. */
async function takeDelays(pool: pg.Pool, schema: string): Promise<Delays> {
  const { rows } = await pool.query(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99,
       max(ms) AS longest, percentile_cont(0.5) WITHIN GROUP (ORDER BY handed_ms) AS handed_on,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY started_ms) AS started
     FROM (SELECT extract(epoch FROM coalesce(r.ended_at, clock_timestamp()) - e.at)::float8 * 1000 AS ms,
         extract(epoch FROM r.created_at - e.at)::float8 * 1000 AS handed_ms,
         extract(epoch FROM r.started_at - e.at)::float8 * 1000 AS started_ms
       FROM "${schema}".workers__runs r JOIN "${schema}".workers__events e ON e.id = r.event_id) l`,
  );
  await pool.query(`DELETE FROM "${schema}".workers__runs`);
  await pool.query(`DELETE FROM "${schema}".workers__events`);
  const { p50, p99, longest, handed_on: handedOn, started } = rows[0];
  return { p50, p99, longest, handedOn, started };
}

async function startService(): Promise<{ readonly url: string; atOnce(): number; close(): void }> {
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    most = Math.max(most, ++open);
    request.resume();
    setTimeout(() => {
      open--;
      response.end();
    }, ANSWER_MS).unref();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    atOnce: () => most,
    close: () => void server.close().closeAllConnections(),
  };
}

export function slowServicesText(figures: SlowServices): string {
  const { projects, alone, beside, runsPerSecond, writesPerSecond, callsAtOnce } = figures;
  const ms = ({ p50, p99 }: Delays): string => `${p50.toFixed(0)} ms (median), ${p99.toFixed(0)} ms (p99)`;
  return `The time from a write to the end of its run, at ${QUIET_PER_SECOND} writes a second: ${ms(alone)} with no other work; ${ms(beside)} while ${projects} other projects have one write in ${CALLER_SECONDS} s each, for which a service is called that answers after ${ANSWER_MS / 1_000} s (${(beside.p99 / alone.p99).toFixed(1)} times the p99). Runs of these projects: ${runsPerSecond.toFixed(1)} ended per second, with ${writesPerSecond.toFixed(1)} writes per second and up to ${callsAtOnce} calls at once.`;
}
