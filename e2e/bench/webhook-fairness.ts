// Measures the effect of dead endpoints on healthy ones. In: a cell with two projects: one has a healthy endpoint, the
// other 500 dead endpoints and a healthy one. Out: the time until an event reaches the healthy endpoints of both, with
// and without the dead ones, measured in this process from the request that causes the event to the delivery.
import { randomUUID } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type pg from "pg";
import { atRate } from "../pace.ts";
import type { Sender } from "../sender.ts";

export interface Delays {
  readonly p50: number;
  readonly p99: number;
}

export interface FairnessFigure {
  readonly dead: number;
  readonly alone: Delays;
  /** In another project, while the dead endpoints have deliveries. */
  readonly beside: Delays;
  /** The healthy endpoint of the project with the dead ones. */
  readonly own: Delays;
}

/** A project that publishes tickets. */
export interface TicketProject {
  readonly headers: Readonly<Record<string, string>>;
}

interface FairnessOptions {
  readonly pool: pg.Pool;
  readonly sender: Sender;
  readonly healthy: TicketProject;
  readonly burdened: TicketProject;
  readonly seconds: number;
}

const DEAD = 500;
const PER_SECOND = 20;
const SILENT_MS = 30_000;

export async function measureFairness({
  pool,
  sender,
  healthy,
  burdened,
  seconds,
}: FairnessOptions): Promise<FairnessFigure> {
  const arrivals = new Map<string, (atMs: number) => void>();
  const receiver = await startReceiver((title) => arrivals.get(title)?.(performance.now()));
  const dead = await startDead();
  const post = async ({ headers }: TicketProject, path: string, body: object): Promise<string> => {
    const { status, text } = await sender.ask({ method: "POST", path, headers, body: JSON.stringify(body) });
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
    return text;
  };
  const delayOf = async (project: TicketProject): Promise<number> => {
    const title = randomUUID();
    const arrived = new Promise<number>((resolve) => arrivals.set(title, resolve));
    const startedMs = performance.now();
    await post(project, "/v1/resources/tickets", { title });
    return (await arrived) - startedMs;
  };
  /**
   * Delays of the healthy project; and, if requested, of the other one, which has one event for twenty of the first.
   */
  const delaysOf = async (forSeconds: number, own: number[] | null): Promise<Delays> => {
    const tookMs: number[] = [];
    await atRate({ perSecond: PER_SECOND, seconds: forSeconds }, async (at) => {
      const isOther = own !== null && at % PER_SECOND === 0;
      const [other] = await Promise.all([
        isOther ? delayOf(burdened) : null,
        delayOf(healthy).then((ms) => tookMs.push(ms)),
      ]);
      if (other !== null) own?.push(other);
    });
    return summaryOf(tookMs);
  };
  try {
    for (const project of [healthy, burdened]) {
      await post(project, "/v1/webhook-endpoints", { url: receiver.url, events: ["ticket.created"] });
      await delayOf(project);
    }
    await delaysOf(2, null);
    const alone = await delaysOf(seconds, null);
    await addDead(pool, receiver.url, dead.urls);
    // From the first event on, each of the dead endpoints has pending deliveries.
    const own: number[] = [];
    const beside = await delaysOf(seconds * 2, own);
    return { dead: DEAD, alone, beside, own: summaryOf(own) };
  } finally {
    receiver.close();
    dead.close();
  }
}

/** Copies of the newest healthy endpoint, with the addresses of the dead receivers. */
async function addDead(pool: pg.Pool, url: string, urls: readonly string[]): Promise<void> {
  await pool.query(
    `INSERT INTO plinth.webhook_endpoints (id, project_id, url, description, events, role, payload, signing, enabled)
     SELECT gen_random_uuid(), project_id, ($2::text[])[1 + n % $3], '', events, role, payload, signing, true
     FROM (SELECT * FROM plinth.webhook_endpoints WHERE url = $1 ORDER BY id DESC LIMIT 1) e, generate_series(1, $4::int) n`,
    [url, urls, urls.length, DEAD],
  );
}

function summaryOf(values: readonly number[]): Delays {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

async function startReceiver(onTitle: (title: string) => void): Promise<{ readonly url: string; close(): void }> {
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    onTitle(
      (JSON.parse(Buffer.concat(chunks).toString("utf8")) as { readonly record: { readonly title: string } }).record
        .title,
    );
    response.end();
  });
  return { url: `http://127.0.0.1:${await listen(server)}/`, close: () => void server.close().closeAllConnections() };
}

/**
 * A port that refuses, one that accepts connections and stays silent, one that answers after 30 s, and one that answers
 * 500.
 */
async function startDead(): Promise<{ readonly urls: readonly string[]; close(): void }> {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket.on("error", () => {}).resume()));
  const slow = createHttpServer((request, response) => {
    request.resume();
    setTimeout(() => response.end(), SILENT_MS).unref();
  });
  const failing = createHttpServer((request, response) => {
    request.resume().on("end", () => response.writeHead(500).end());
  });
  const ports = [await listen(silent), await listen(slow), await listen(failing), 1];
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/`),
    close() {
      for (const socket of sockets) socket.destroy();
      silent.close();
      for (const server of [slow, failing]) server.close().closeAllConnections();
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

export function fairnessText({ dead, alone, beside, own }: FairnessFigure): string {
  const ms = ({ p50, p99 }: Delays): string => `${p50.toFixed(0)} ms (median), ${p99.toFixed(0)} ms (p99)`;
  return `The time from a write to its delivery, at ${PER_SECOND} writes a second to a project with a healthy endpoint: ${ms(alone)} with no other work; ${ms(beside)} while another project has one write a second and ${dead} dead endpoints (which refuse, stay silent, answer after 30 s, or answer 500). A healthy endpoint of that other project: ${ms(own)}.`;
}
