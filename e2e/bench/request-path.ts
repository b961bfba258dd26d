// Measures the request path: ours, F0 (pgbench), and F1 and F1* (handwritten) on one Postgres. In: the workloads and a
// time. Out: the rounds of each, and the memory of each server. Everything listens on loopback and is stopped at the
// end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startEmbeddedPostgres } from "@plinth/postgres/embedded";
import type { Logger } from "@plinth/service";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import type { Drive } from "./drivers/drive.ts";
import { installedDriver } from "./drivers/installed.ts";
import { type Round, runRound, type Target } from "./load.ts";
import { type MemoryFigure, measureMemory } from "./memory.ts";
import { type Ours, startOurs } from "./targets/ours.ts";
import { pgbenchIsInstalled, runPgbench } from "./targets/pgbench.ts";
import { installedPrisma } from "./targets/prisma.ts";
import { type Paths, repliesOfPost, rowCount, topicCount, type Workload } from "./workloads.ts";

/** workload > target > rounds. */
export type Measured = ReadonlyMap<Workload, ReadonlyMap<string, readonly Round[]>>;

export interface RequestPath {
  readonly measured: Measured;
  /** Null if it was not requested. */
  readonly memory: readonly MemoryFigure[] | null;
  readonly driver: string;
}

interface Options {
  readonly workloads: readonly Workload[];
  readonly memory: boolean;
  readonly rounds: number;
  readonly seconds: number;
  readonly logger: Logger;
}

/** Long enough for the optimizing compiler to see every hot path. */
const warmUpSeconds = 6;
const handKey = "hand-written-key";

export async function measureRequestPath(options: Options): Promise<RequestPath> {
  const home = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  const postgres = await startEmbeddedPostgres({ home, logger: options.logger });
  const cellUrl = postgres.urls.cell;
  const ending: (() => Promise<void>)[] = [];
  try {
    const ours = await startOurs(cellUrl);
    ending.push(() => stopped(ours.process));
    await seed(cellUrl, ours);
    const hand = { cellUrl, userId: ours.userId, postgresPid: postgres.pid, ending };
    const targets: Readonly<Record<string, Target>> = {
      ours: targetOf(ours, postgres.pid),
      F1: await startHandWritten(hand, false),
      "F1*": await startHandWritten(hand, true),
    };
    // First, before the servers have done anything else.
    const memory = options.memory ? await measureMemory(targets, options.seconds) : null;
    const tidy = (): Promise<void> => vacuum(cellUrl, ours);
    const pgbench = (workload: Workload): Round =>
      runPgbench({ databaseUrl: cellUrl, postgresPid: postgres.pid, userId: ours.userId }, workload, options.seconds);
    const { name: driver, drive } = installedDriver();
    const prisma = options.workloads.includes("W5") ? await startPrisma(hand) : null;
    const targetsOf = (workload: Workload): Readonly<Record<string, Target>> =>
      workload === "W5" && prisma !== null ? { ...targets, Prisma: prisma } : targets;
    return { measured: await measure({ ...options, targetsOf, pgbench, drive, tidy }), memory, driver };
  } finally {
    await Promise.all(ending.map((end) => end()));
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Every target runs once per round, in turn. So temporary load of the machine affects all of them. */
async function measure(options: {
  readonly workloads: readonly Workload[];
  readonly rounds: number;
  readonly seconds: number;
  readonly targetsOf: (workload: Workload) => Readonly<Record<string, Target>>;
  readonly pgbench: (workload: Workload) => Round;
  readonly drive: Drive;
  readonly tidy: () => Promise<void>;
}): Promise<Measured> {
  const withPgbench = pgbenchIsInstalled();
  if (!withPgbench) console.error("pgbench is not on PATH: F0 is left out");
  const run = async (name: string, target: Target, workload: Workload, seconds: number): Promise<Round> => {
    try {
      return await runRound(target, workload, options.drive, seconds);
    } catch (error) {
      throw new Error(`${workload} on ${name}`, { cause: error });
    }
  };
  const measured = new Map<Workload, ReadonlyMap<string, readonly Round[]>>();
  for (const workload of options.workloads) {
    const results = new Map<string, Round[]>();
    measured.set(workload, results);
    const push = (name: string, round: Round): void => {
      results.set(name, [...(results.get(name) ?? []), round]);
    };
    const targets = Object.entries(options.targetsOf(workload));
    for (const [name, target] of targets) await run(name, target, workload, warmUpSeconds);
    for (let round = 0; round < options.rounds; round++) {
      console.error(`${workload}, round ${round + 1} of ${options.rounds}`);
      await options.tidy();
      for (const [name, target] of targets) push(name, await run(name, target, workload, options.seconds));
      if (withPgbench) push("F0", options.pgbench(workload));
    }
  }
  return measured;
}

function targetOf({ origin, headers, process }: Ours, postgresPid: number): Target {
  return { origin, headers, serverPid: process.pid as number, postgresPid, paths: ourPaths };
}

const ourPaths: Paths = {
  articles: "/v1/resources/articles",
  posts: "/v1/resources/posts?topic_id={topic}&expand=topic,replies&count=exact&limit=20",
};
const handPaths: Paths = { articles: "/articles", posts: "/posts?topic_id={topic}" };

interface HandWrittenOptions {
  readonly cellUrl: string;
  readonly userId: string;
  readonly postgresPid: number;
  readonly ending: (() => Promise<void>)[];
}

function startHandWritten(options: HandWrittenOptions, tuned: boolean): Promise<Target> {
  return startOtherTarget(options, join(import.meta.dirname, "targets/hand-written.ts"), tuned ? ["--tuned"] : []);
}

/** Null if npm can't install it. */
async function startPrisma(options: HandWrittenOptions): Promise<Target | null> {
  const script = installedPrisma();
  return script === null ? null : startOtherTarget(options, script, []);
}

async function startOtherTarget(options: HandWrittenOptions, script: string, more: readonly string[]): Promise<Target> {
  const port = await freePort();
  const named = ["--port", String(port), "--database", options.cellUrl, "--key", handKey, "--user", options.userId];
  const child = spawn(process.execPath, [script, ...named, ...more], { stdio: "inherit" });
  options.ending.push(() => stopped(child));
  const origin = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 100 && !(await fetch(origin).catch(() => null)); i++) await pause(100);
  return {
    origin,
    headers: { authorization: `Bearer ${handKey}`, "content-type": "application/json" },
    serverPid: child.pid as number,
    postgresPid: options.postgresPid,
    paths: handPaths,
  };
}

async function stopped(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Rows are one second apart, so that "newest first" is unambiguous. */
async function seed(cellUrl: string, ours: Ours): Promise<void> {
  await withClient(cellUrl, async (client) => {
    await client.query(readFileSync(join(import.meta.dirname, "hand-schema.sql"), "utf8"));
    await client.query("insert into hand.users values ($1, 'bench@example.com')", [ours.userId]);
    for (const schema of schemas(ours)) {
      await client.query(
        `insert into ${schema}.articles (id, title, body, status, score, created_by, created_at)
         select ${idOf("n")}, 'Title ' || n, repeat('A body of some length. ', 10), 'active', n % 100, $1,
           now() - n * interval '1 second'
         from generate_series(1, ${rowCount}) n`,
        [ours.userId],
      );
      await client.query(
        `insert into ${schema}.topics (id, name) select ${idOf("n")}, 'Topic ' || n from generate_series(1, ${topicCount}) n`,
      );
      await client.query(
        `insert into ${schema}.posts (id, topic_id, title, body, status, created_by, created_at)
         select ${idOf("n")}, ${idOf(`1 + n % ${topicCount}`)}, 'Title ' || n, repeat('A body of some length. ', 10), 'active',
           $1, now() - n * interval '1 second'
         from generate_series(1, ${rowCount}) n`,
        [ours.userId],
      );
      await client.query(
        `insert into ${schema}.replies (id, post_id, body, created_at)
         select gen_random_uuid(), ${idOf(`1 + n % ${rowCount}`)}, 'Reply ' || n, now() - n * interval '1 second'
         from generate_series(1, ${rowCount * repliesOfPost}) n`,
      );
    }
  });
  await vacuum(cellUrl, ours);
}

/** SQL that makes an id from a row's number. */
function idOf(number: string): string {
  return `lpad(to_hex(${number}), 32, '0')::uuid`;
}

/**
 * The three other targets write to one table, and ours to another. The rows of the previous round must not affect the
 * next.
 */
async function vacuum(cellUrl: string, ours: Ours): Promise<void> {
  await withClient(cellUrl, async (client) => {
    const tables = ["articles", "topics", "posts", "replies"];
    const all = schemas(ours).flatMap((schema) => tables.map((table) => `${schema}.${table}`));
    for (const table of all) await client.query(`vacuum (analyze) ${table}`);
  });
}

function schemas(ours: Ours): readonly string[] {
  return ["hand", `"${ours.schema}"`];
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
