// Measures webhooks in both directions. In: a database, a number of rounds and seconds. Out: deliveries per second,
// compared with undici alone to the same receiver, each in a separate process; and how fast inbound requests are
// acknowledged, and how many per second.
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { atRate, inParallel, Tally } from "../pace.ts";
import { type BareCell, type PublishedProject, startBareCell, until } from "../published-cell.ts";
import { createSender, type Sender } from "../sender.ts";
import { cpuOfProcessUs } from "./cpu.ts";
import { type FairnessFigure, fairnessText, measureFairness } from "./webhook-fairness.ts";

export interface WebhooksFigure {
  readonly out: readonly Outgoing[];
  readonly fairness: FairnessFigure;
  readonly in: Incoming;
}

interface Outgoing {
  readonly projects: number;
  readonly atOnce: number;
  /** One value for each round. */
  readonly perSecond: readonly number[];
  readonly barePerSecond: readonly number[];
  /** CPU time of the worker, in microseconds. */
  readonly cpuUs: readonly number[];
}

interface Incoming {
  /** At 200 requests a second, of which 30 % are repeated, in ms. */
  readonly p50: number;
  readonly p99: number;
  readonly perSecondMax: number;
}

/** The simultaneous calls of one endpoint, as in `webhooks/claim.ts`. */
const PER_ENDPOINT = 8;
const DELIVERIES = 2_000;
/** So that undici alone runs for about as long as the deliveries. */
const BARE_TIMES = 3;
const PROJECTS = 10;
/** The limit of one source per second, so several sources are used. */
const SOURCES = 20;
const SECRET = randomBytes(24).toString("hex");
const TEXT = `project: hooks
modules: [auth, users, roles, workers, webhooks, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
events:
  payment.received: { payload: { payment: string } }
webhooks:
  in:
${Array.from({ length: SOURCES }, (_, at) => `    shop${at}: { verify: github, type: headers.x-github-event, events: { paid: payment.received } }\n`).join("")}`;
export async function measureWebhooks(options: {
  readonly cellUrl: string;
  readonly rounds: number;
  readonly seconds: number;
}): Promise<WebhooksFigure> {
  const { cellUrl, rounds, seconds } = options;
  const cell = await startBareCell(cellUrl, {
    PLINTH_RATE_LIMIT: "1000000",
    PLINTH_RATE_BURST: "1000000",
    PLINTH_PROJECT_RATE_LIMIT: "1000000",
    PLINTH_OUTBOUND_ALLOW: "127.0.0.1",
  });
  const pool = new pg.Pool({ connectionString: cellUrl, max: 1 });
  const receiver = startPeer(["receive"]);
  const sender = createSender({ origin: cell.origin, from: "127.0.0.1", socketsMax: 64 });
  const children: ChildProcess[] = [cell.process, receiver.process];
  try {
    const receiverUrl = `http://127.0.0.1:${await receiver.said}`;
    const projects = await Promise.all(
      Array.from({ length: PROJECTS }, (_, at) => openProject(cell, sender, receiverUrl, at)),
    );
    const worker = cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) });
    children.push(worker);
    const bench: Bench = { pool, sender, receiverUrl, workerPid: worker.pid as number };
    const out: Outgoing[] = [];
    for (const count of [1, PROJECTS]) out.push(await measureOut(bench, projects.slice(0, count), rounds));
    const [healthy, burdened] = projects.slice(1) as [Project, Project];
    await pool.query("UPDATE plinth.webhook_endpoints SET enabled = false");
    const fairness = await measureFairness({ pool, sender, healthy, burdened, seconds: Math.max(10, seconds) });
    await pool.query("UPDATE plinth.webhook_endpoints SET enabled = false");
    return { out, fairness, in: await measureIn(sender, projects[0] as Project, seconds) };
  } finally {
    sender.close();
    for (const child of children) child.kill("SIGKILL");
    await pool.end();
  }
}

interface Bench {
  readonly pool: pg.Pool;
  readonly sender: Sender;
  readonly receiverUrl: string;
  readonly workerPid: number;
}

interface Project extends PublishedProject {
  readonly headers: Readonly<Record<string, string>>;
}

async function openProject(cell: BareCell, sender: Sender, url: string, at: number): Promise<Project> {
  const project = await cell.addProject(`hooks-${at}`);
  await project.publish(TEXT);
  const headers = { authorization: `Bearer ${await project.makeKey("secret")}`, "content-type": "application/json" };
  const post = async (path: string, body: object): Promise<void> => {
    const { status, text } = await sender.ask({ method: "POST", path, headers, body: JSON.stringify(body) });
    if (status < 200 || status > 299) throw new Error(`${path}: ${status} ${text}`);
  };
  await post("/v1/webhook-endpoints", { url: `${url}/`, events: ["ticket.created"] });
  for (let source = 0; source < (at === 0 ? SOURCES : 0); source++)
    await post("/v1/webhooks/secrets", { source: `shop${source}`, secret: SECRET });
  return { ...project, headers };
}

interface Delivered {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function measureOut(bench: Bench, projects: readonly Project[], rounds: number): Promise<Outgoing> {
  const atOnce = projects.length * PER_ENDPOINT;
  const perSecond: number[] = [];
  const barePerSecond: number[] = [];
  const cpuUs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await fill(bench, projects);
    const before = cpuOfProcessUs(bench.workerPid);
    const seconds = await drain(bench);
    perSecond.push(DELIVERIES / seconds);
    cpuUs.push((cpuOfProcessUs(bench.workerPid) - before) / DELIVERIES);
    // The same body and headers, to the same receiver, over the same number of connections. They stay open, like those
    // of the deliveries.
    const { headers, body } = (await (await fetch(`${bench.receiverUrl}/last`)).json()) as Delivered;
    const count = DELIVERIES * BARE_TIMES;
    const bare = startPeer(["send", bench.receiverUrl, String(count), String(atOnce), body, JSON.stringify(headers)]);
    barePerSecond.push(count / Number(await bare.said));
  }
  return { projects: projects.length, atOnce, perSecond, barePerSecond, cpuUs };
}

const PENDING = "SELECT count(*)::int AS n FROM plinth.webhook_deliveries WHERE status = 'pending'";

/** Pending deliveries, because their endpoints are paused until the measurement starts. */
async function fill({ pool, sender }: Bench, projects: readonly Project[]): Promise<void> {
  await pool.query("UPDATE plinth.webhook_endpoints SET open_until = clock_timestamp() + interval '1 hour'");
  let made = 0;
  const write = async (): Promise<void> => {
    while (made < DELIVERIES) {
      const { headers } = projects[made++ % projects.length] as Project;
      const status = await sender.send({
        method: "POST",
        path: "/v1/resources/tickets",
        headers,
        body: `{"title":"a ticket"}`,
      });
      if (status !== 201) throw new Error(`a write was answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, write));
  await until(async () => (await pool.query(PENDING)).rows[0].n === DELIVERIES, 120);
}

/** Waits until the receiver has all of them. */
async function drain({ pool, receiverUrl }: Bench): Promise<number> {
  const came = async (): Promise<number> => Number(await (await fetch(receiverUrl)).text());
  const before = await came();
  await pool.query("UPDATE plinth.webhook_endpoints SET open_until = NULL");
  // The worker looks for due work at its own times, so the time starts with its first delivery.
  while ((await came()) === before) await new Promise((resolve) => setTimeout(resolve, 1));
  const startedMs = performance.now();
  await until(async () => (await came()) - before >= DELIVERIES, 120);
  const seconds = (performance.now() - startedMs) / 1_000;
  await until(async () => (await pool.query(PENDING)).rows[0].n === 0, 60);
  return seconds;
}

async function measureIn(sender: Sender, project: Project, seconds: number): Promise<Incoming> {
  const path = `/hooks/prj_${project.schema.slice("t_".length)}/shop`;
  const tally = new Tally();
  const tell = async (id: string, source: number): Promise<void> => {
    const body = JSON.stringify({ payment: id });
    const signature = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
    const headers = {
      "content-type": "application/json",
      "x-github-event": "paid",
      "x-github-delivery": id,
      "x-hub-signature-256": signature,
    };
    tally.add(await sender.send({ method: "POST", path: path + source, headers, body }));
  };
  await inParallel(32, 2, (at) => tell(`warm ${at}`, at % SOURCES));
  const tookMs: number[] = [];
  await atRate({ perSecond: 200, seconds: Math.max(10, seconds) }, async (at, dueMs) => {
    // Of every ten requests, seven are new and three are repeated.
    const id = `paced ${at % 10 < 7 ? at : at - 7}`;
    await tell(id, 0);
    tookMs.push(performance.now() - dueMs);
  });
  tookMs.sort((a, b) => a - b);
  const startedMs = performance.now();
  let told = 0;
  await inParallel(32, seconds, async (at) => {
    await tell(`fast ${at}`, at % SOURCES);
    told++;
  });
  const perSecondMax = told / ((performance.now() - startedMs) / 1_000);
  if (Object.keys(tally.statuses).join() !== "200") throw new Error(`answers: ${JSON.stringify(tally.statuses)}`);
  const at = (share: number): number => tookMs[Math.floor(tookMs.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), perSecondMax };
}

function startPeer(args: readonly string[]): { readonly process: ChildProcess; readonly said: Promise<string> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, "webhook-peers.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = once(createInterface({ input: child.stdout }), "line").then(([line]) => String(line));
  return { process: child, said };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export function webhooksTable({ out, fairness, in: incoming }: WebhooksFigure): string {
  const rows = out.map(({ projects, atOnce, perSecond, barePerSecond, cpuUs }) => {
    const ratios = perSecond.map((one, at) => one / (barePerSecond[at] ?? 1));
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    return `| ${projects} | ${atOnce} | ${median(perSecond).toFixed(0)} | ${median(barePerSecond).toFixed(0)} | ${median(ratios).toFixed(2)} (${range}) | ${median(cpuUs).toFixed(0)} |`;
  });
  return [
    `${DELIVERIES.toLocaleString("en")} due deliveries to a receiver that answers at once, with one endpoint in each project. For comparison, a loop with undici alone sends the same body and headers to the same receiver over the same number of connections. Both run in turn; the table shows medians of the rounds:`,
    [
      "| projects | simultaneous calls | deliveries/s | undici alone/s | ratio (range) | worker CPU µs |",
      "|---|---|---|---|---|---|",
      ...rows,
    ].join("\n"),
    fairnessText(fairness),
    `Inbound requests at 200 a second, of which three in ten are repeated, are acknowledged after ${incoming.p50.toFixed(1)} ms (median), ${incoming.p99.toFixed(1)} ms (p99). The maximum is ${incoming.perSecondMax.toFixed(0)} acknowledgements a second.`,
  ].join("\n\n");
}
