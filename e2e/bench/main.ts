// The benchmark: ours beside F0 (pgbench), F1 and F1* (hand-written) on one Postgres, in interleaved rounds; then the language
// on a large project, changes of a long table under writes, and many projects in one cell. In: --json FILE, --seconds N, --rounds N,
// --projects N, --only scale, --write. Out: tables, and the figures in FILE and docs/benchmarks.md (with --only, its section there).
// Everything listens on loopback, and ends by itself.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { languageTable, measureLanguage } from "./language.ts";
import { type Request, type Round, runRound, type Target } from "./load.ts";
import { measureUnderWrites, migrationsTable, scenarios } from "./migrations.ts";
import { compare, type Measurement, type Ratio, summarize, toMarkdown } from "./report.ts";
import { measureScale, type Scale, scaleTable } from "./scale.ts";
import { type Ours, startOurs } from "./targets/ours.ts";
import { pgbenchIsInstalled, workloads as pgbenchScripts, runPgbench } from "./targets/pgbench.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "string" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "5" },
    projects: { type: "string", default: "1000" },
    only: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
if (options.only !== undefined && options.only !== "scale") throw new Error("--only takes: scale");
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const rowCount = 100_000;
const migratedRows = 1_000_000;
/** Long enough for the optimizing compiler to have seen every hot path. */
const warmUpSeconds = 6;
const handKey = "hand-written-key";

const workloads = ["W1", "W3"] as const;
type Workload = (typeof workloads)[number];

const projects = Number(options.projects);
const scaleTitle = "Many projects";

const logger = createLogger({ name: "bench", level: "warn" });
if (options.only === "scale") {
  await reportScale();
  process.exit(0);
}
const home = mkdtempSync(join(tmpdir(), "plinth-bench-"));
const postgres = await startEmbeddedPostgres({ home, logger });
const ending: (() => void)[] = [];
try {
  const ours = await startOurs(postgres.urls.cell);
  ending.push(() => ours.process.kill("SIGTERM"));
  await seed(postgres.urls.cell, ours);
  const postgresPid = await postmasterPid(postgres.urls.admin);
  const f1 = await startHandWritten(ours, postgresPid, false);
  const f1Tuned = await startHandWritten(ours, postgresPid, true);
  const targets: Record<string, (workload: Workload) => Target> = {
    ours: (workload) => oursTarget(ours, postgresPid, workload),
    F1: f1,
    "F1*": f1Tuned,
  };
  const measured = await measure(targets, (workload) =>
    runPgbench(
      { databaseUrl: postgres.urls.cell, postgresPid, rows: rowCount, userId: ours.userId },
      pgbenchScripts[workload] as string,
      seconds,
    ),
  );
  await report(measured);
} finally {
  for (const end of ending) end();
  await pause(500);
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
}

/** workload > target > rounds. */
type Measured = Map<Workload, Map<string, Round[]>>;

/** Every target once a round, one behind the other: what slows the machine for a while meets them all. */
async function measure(
  targets: Record<string, (workload: Workload) => Target>,
  pgbench: (workload: Workload) => Round,
): Promise<Measured> {
  const withPgbench = pgbenchIsInstalled();
  if (!withPgbench) console.error("pgbench is not on PATH: F0 is left out");
  const measured: Measured = new Map();
  for (const workload of workloads) {
    const results = new Map<string, Round[]>();
    measured.set(workload, results);
    for (const target of Object.values(targets)) await runRound(target(workload), warmUpSeconds);
    for (let round = 0; round < rounds; round++) {
      console.error(`${workload}, round ${round + 1} of ${rounds}`);
      for (const [name, target] of Object.entries(targets)) {
        push(results, name, await runRound(target(workload), seconds));
      }
      if (withPgbench) push(results, "F0", pgbench(workload));
    }
  }
  return measured;
}

function push(results: Map<string, Round[]>, name: string, round: Round): void {
  results.set(name, [...(results.get(name) ?? []), round]);
}

async function report(measured: Measured): Promise<void> {
  const measurements: Measurement[] = [];
  const ratios: Ratio[] = [];
  for (const [workload, results] of measured) {
    const ours = results.get("ours") ?? [];
    for (const [name, each] of results) {
      measurements.push(summarize(workload, name, each));
      if (name !== "ours") ratios.push(compare(workload, name, ours, each));
    }
  }
  const language = measureLanguage();
  const changes = await measureUnderWrites(migratedRows, scenarios);
  const scale = await measureScaleAlone();
  const markdown = [
    toMarkdown(measurements, ratios),
    `## The language\n\n${languageTable(language)}`,
    `## Changes of a long table\n\n${migrationsTable(migratedRows, changes)}`,
    `## ${scaleTitle}\n\n${scaleTable(scale)}`,
  ].join("\n\n");
  console.log(markdown);
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ measurements, ratios, language, changes, scale }, null, 2)}\n`);
  }
  if (options.write) writeDocument(markdown);
}

/** On a server of its own, which needs not keep what it is given: thousands of schemas would else wait for the disk. */
async function measureScaleAlone(): Promise<Scale> {
  const own = mkdtempSync(join(tmpdir(), "plinth-bench-scale-"));
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
  const server = await startEmbeddedPostgres({ home: own, logger, settings });
  try {
    return await measureScale({ cellUrl: server.urls.cell, postgresPid: server.pid, projects, seconds });
  } finally {
    await server.stop();
    rmSync(own, { recursive: true, force: true });
  }
}

async function reportScale(): Promise<void> {
  const scale = await measureScaleAlone();
  console.log(scaleTable(scale));
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ scale }, null, 2)}\n`);
  if (!options.write) return;
  const document = join(import.meta.dirname, "../../docs/benchmarks.md");
  const section = `## ${scaleTitle}\n\n${scaleTable(scale)}\n`;
  const [before = ""] = readFileSync(document, "utf8").split(`## ${scaleTitle}\n`);
  writeFileSync(document, `${before.trimEnd()}\n\n${section}`);
}

function writeDocument(markdown: string): void {
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.versions.node}`;
  const text = readFileSync(join(import.meta.dirname, "benchmarks-head.md"), "utf8");
  writeFileSync(
    join(import.meta.dirname, "../../docs/benchmarks.md"),
    `${text}\nMeasured with \`npm run bench -- --write\`: ${machine}, ${rounds} rounds of ${seconds} s, 48 connections, ${rowCount.toLocaleString("en")} rows. Medians, and the range over the rounds.\n\n${markdown}\n`,
  );
}

/** Row n has the id 0...n in hexadecimal, so that every target can name one without a look-up. */
function idOfRow(n: number): string {
  const hex = n.toString(16).padStart(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function requestOf(workload: Workload, base: string): Request {
  if (workload === "W1") return { method: "GET", path: `${base}/${idOfRow(1 + Math.floor(Math.random() * rowCount))}` };
  const body = JSON.stringify({ title: "A title", body: "A body of some length", score: 1 });
  return { method: "POST", path: base, body };
}

function oursTarget(ours: Ours, postgresPid: number, workload: Workload): Target {
  return {
    origin: ours.origin,
    headers: ours.headers,
    serverPid: ours.process.pid as number,
    postgresPid,
    next: () => requestOf(workload, "/v1/resources/articles"),
  };
}

async function startHandWritten(ours: Ours, postgresPid: number, tuned: boolean): Promise<(w: Workload) => Target> {
  const port = await freePort();
  const script = join(import.meta.dirname, "targets/hand-written.ts");
  const named = ["--port", String(port), "--database", postgres.urls.cell, "--key", handKey, "--user", ours.userId];
  const child = spawn(process.execPath, [script, ...named, ...(tuned ? ["--tuned"] : [])], { stdio: "inherit" });
  ending.push(() => child.kill("SIGTERM"));
  const origin = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 100 && !(await fetch(origin).catch(() => null)); i++) await pause(100);
  return (workload) => ({
    origin,
    headers: { authorization: `Bearer ${handKey}`, "content-type": "application/json" },
    serverPid: child.pid as number,
    postgresPid,
    next: () => requestOf(workload, "/articles"),
  });
}

async function seed(cellUrl: string, ours: Ours): Promise<void> {
  const client = new pg.Client({ connectionString: cellUrl });
  await client.connect();
  await client.query(readFileSync(join(import.meta.dirname, "hand-schema.sql"), "utf8"));
  await client.query("insert into hand.users values ($1, 'bench@example.com')", [ours.userId]);
  const columns = "(id, title, body, status, score, created_by)";
  for (const table of ["hand.articles", `"${ours.schema}"."articles"`]) {
    await client.query(
      `insert into ${table} ${columns}
       select lpad(to_hex(n), 32, '0')::uuid, 'Title ' || n, repeat('A body of some length. ', 10), 'active', n % 100, $1
       from generate_series(1, ${rowCount}) n`,
      [ours.userId],
    );
    await client.query(`analyze ${table}`);
  }
  await client.end();
}

/** The embedded server's own process, whose children are the backends. */
async function postmasterPid(adminUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const status = readFileSync(`/proc/${rows[0]?.pid}/status`, "utf8");
  await client.end();
  return Number(/PPid:\s+(\d+)/.exec(status)?.[1]);
}
