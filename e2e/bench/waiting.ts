// Measures idle and waiting work. In: a database. Out: the CPU time and memory of an idle worker and scheduler: alone,
// with many projects, and with many waiting runs; the time until an event finds the run that waits for it; and the
// delay of a project by another project's jobs. It measures CPU time, so other load of the machine makes no difference.
import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@plinth/testkit";
import pg from "pg";
import { type BareCell, type PublishedProject, startBareCell, until } from "../published-cell.ts";
import { cpuOfFamilyUs, cpuOfProcessUs, residentMb } from "./cpu.ts";
import { noteEachTicket, ticketsBlueprint } from "./tickets.ts";

export interface Waiting {
  readonly projects: number;
  readonly waitingRuns: number;
  readonly jobs: number;
  readonly alone: Idle;
  readonly besideProjects: Idle;
  readonly besideRuns: Idle;
  /** From a write to the end of the one waiting run that its event is meant for, in ms. */
  readonly matchMs: { readonly p50: number; readonly p99: number };
  /** Runs that were woken although no event was meant for them. */
  readonly wokenInVain: number;
  /**
   * From a write to the start of its run, in ms: alone, while another project has its jobs, and while a transaction
   * also holds its snapshot.
   */
  readonly startMs: { readonly alone: Spread; readonly besideJobs: Spread; readonly besideSnapshot: Spread };
  /** Runs of the other project that ended during the measurement. */
  readonly jobsDone: number;
}

interface Idle {
  /** Parts of one core, in percent. */
  readonly worker: number;
  readonly scheduler: number;
  readonly postgres: number;
  readonly workerMb: number;
}

interface Spread {
  readonly p50: number;
  readonly longest: number;
}

const IDLE_SECONDS = 20;
/** Time to compile new code, and to clean up after the inserts. */
const SETTLING_SECONDS = 15;
const MATCHES = 30;
const SINGLE_WRITES = 40;
const SNAPSHOT_SECONDS = 30;

export async function measureWaiting(options: {
  readonly cellUrl: string;
  readonly postgresPid: number;
  readonly projects: number;
  readonly waitingRuns: number;
  readonly jobs: number;
}): Promise<Waiting> {
  const { cellUrl, postgresPid, projects, waitingRuns, jobs } = options;
  const cell = await startBareCell(cellUrl);
  const pool = new pg.Pool({ connectionString: cellUrl, max: 1 });
  pool.on("error", () => {});
  const processes: ChildProcess[] = [cell.process];
  const start = async (mode: "worker" | "scheduler"): Promise<number> => {
    const child = cell.start(mode, { PLINTH_HEALTH_PORT: String(await freePort()) });
    processes.push(child);
    return child.pid as number;
  };
  try {
    const waits = await published(cell, "waits", waitForANote);
    const busy = await published(cell, "busy", noteEachTicket);
    const quiet = await published(cell, "quiet", noteEachTicket);
    const [worker, scheduler] = [await start("worker"), await start("scheduler")];
    const idle = async (): Promise<Idle> => {
      await pause(SETTLING_SECONDS * 1_000);
      return idleOf({ worker, scheduler, postgres: postgresPid });
    };
    const alone = await idle();
    await addIdleProjects(cell, pool, projects);
    const besideProjects = await idle();
    await addWaitingRuns(pool, waits, waitingRuns);
    const besideRuns = await idle();
    const matchMs = await measureMatches(pool, waits, waitingRuns);
    const [woken] = (
      await pool.query(
        `SELECT count(*)::int AS n FROM "${waits.schema}".workers__runs WHERE fence > 0 AND event_id IS NULL AND ended_at IS NULL`,
      )
    ).rows;
    const startAlone = await startTimes(pool, quiet);
    await addJobs(pool, busy, jobs);
    await pause(1_000);
    const startBeside = await startTimes(pool, quiet);
    const besideSnapshot = await withOldSnapshot(cellUrl, () => startTimes(pool, quiet));
    const [done] = (
      await pool.query(`SELECT count(*)::int AS n FROM "${busy.schema}".workers__runs WHERE ended_at IS NOT NULL`)
    ).rows;
    return {
      projects,
      waitingRuns,
      jobs,
      alone,
      besideProjects,
      besideRuns,
      matchMs,
      wokenInVain: woken.n,
      startMs: { alone: startAlone, besideJobs: startBeside, besideSnapshot },
      jobsDone: done.n,
    };
  } finally {
    await pool.end();
    for (const child of processes) child.kill("SIGKILL");
  }
}

interface Project extends PublishedProject {
  readonly id: string;
  readonly write: (entity: "tickets" | "notes", body: object) => Promise<void>;
}

/** Each run waits for its own note. */
const waitForANote = `workflows:
  wait:
    on: ticket.created
    steps:
      - { id: keep, action: record.find, with: { entity: ticket, where: { id: "\${{ record.id }}" } } }
      - { id: until, wait_for: { event: note.created, if: record.text == steps.keep.title } }
`;

async function published(cell: BareCell, slug: string, work: string): Promise<Project> {
  const project = await cell.addProject(slug);
  await project.publish(ticketsBlueprint("waiting", work));
  const key = await project.makeKey("secret");
  return {
    ...project,
    id: `prj_${project.schema.slice(2)}`,
    async write(entity, body) {
      const reply = await fetch(`${cell.origin}/v1/resources/${entity}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      await reply.arrayBuffer();
      if (reply.status !== 201) throw new Error(`a write was answered with ${reply.status}`);
    },
  };
}

async function idleOf(pids: Readonly<Record<"worker" | "scheduler" | "postgres", number>>): Promise<Idle> {
  const cpu = () => [cpuOfProcessUs(pids.worker), cpuOfProcessUs(pids.scheduler), cpuOfFamilyUs(pids.postgres)];
  const [before, startedMs] = [cpu(), performance.now()];
  await pause(IDLE_SECONDS * 1_000);
  const percent = 100 / ((performance.now() - startedMs) * 1_000);
  const [worker = 0, scheduler = 0, postgres = 0] = cpu().map((us, at) => (us - (before[at] ?? 0)) * percent);
  return { worker, scheduler, postgres, workerMb: residentMb(pids.worker) };
}

/** Each has a schedule for tomorrow and a run that is due tomorrow, which the processes have to look through. */
async function addIdleProjects(cell: BareCell, pool: pg.Pool, count: number): Promise<void> {
  const schemas: string[] = [];
  let made = 0;
  const make = async (): Promise<void> => {
    while (made < count) schemas.push((await cell.addProject(`idle-${made++}`)).schema);
  };
  await Promise.all(Array.from({ length: 4 }, make));
  const ids = schemas.map((schema) => `prj_${schema.slice(2)}`);
  await pool.query(
    `INSERT INTO plinth.schedules (project_id, name, cron, timezone, next_at)
     SELECT unnest($1::text[]), 'nightly', '0 2 * * *', 'UTC', now() + interval '1 day'`,
    [ids],
  );
  await pool.query(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
     SELECT unnest($1::text[]), gen_random_uuid(), now() + interval '1 day'`,
    [ids],
  );
}

/**
 * One third waits for an event, one third for a time, one third for an approval. These are the rows that the engine
 * creates for them.
 */
async function addWaitingRuns(pool: pg.Pool, project: Project, count: number): Promise<void> {
  const s = `"${project.schema}"`;
  await project.write("tickets", { title: "a first one" });
  await until(async () => (await pool.query(`SELECT 1 FROM ${s}.workers__waits`)).rowCount === 1, 20);
  await pool.query(
    `CREATE TEMP TABLE more AS SELECT gen_random_uuid() AS id, n, n % 3 AS kind FROM generate_series(1, $1::int) n`,
    [count],
  );
  await pool.query(`INSERT INTO ${s}.workers__runs (id, workflow, kind, definition, event_id, seq, status, created_at)
    SELECT m.id, r.workflow, r.kind, r.definition, NULL, r.seq, 'waiting', now() FROM more m,
      (SELECT * FROM ${s}.workers__runs LIMIT 1) r`);
  await pool.query(`INSERT INTO ${s}.workers__steps (run_id, path, status, key, output)
    SELECT id, 'keep', 'completed', id || '/keep', json_build_object('title', 'n' || n)::jsonb FROM more`);
  await pool.query(
    `INSERT INTO ${s}.workers__steps (run_id, path, status, key) SELECT id, 'until', 'waiting', id || '/until' FROM more`,
  );
  await pool.query(`INSERT INTO ${s}.workers__waits (run_id, path, kind, event, member, wanted)
    SELECT id, 'until', 'event', 'note.created', 'record/text', 'n' || n FROM more WHERE kind = 0`);
  await pool.query(
    `INSERT INTO ${s}.workers__waits (run_id, path, kind, roles) SELECT id, 'until', 'approval', '{admin}' FROM more WHERE kind = 1`,
  );
  await pool.query(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
     SELECT $1, id, CASE WHEN kind = 2 THEN now() + interval '1 day' + n * interval '1 millisecond' ELSE 'infinity' END FROM more`,
    [project.id],
  );
  await pool.query(`ANALYZE ${s}.workers__runs, ${s}.workers__waits, ${s}.workers__steps, plinth.due_runs`);
}

async function measureMatches(pool: pg.Pool, project: Project, count: number): Promise<Waiting["matchMs"]> {
  const took: number[] = [];
  for (let i = 1; i <= MATCHES; i++) {
    const n = 3 * Math.floor((i * count) / 3 / (MATCHES + 1));
    const startedMs = performance.now();
    await project.write("notes", { text: `n${n}` });
    const ended = `SELECT 1 FROM "${project.schema}".workers__waits w JOIN "${project.schema}".workers__runs r ON r.id = w.run_id
      WHERE w.event = 'note.created' AND w.wanted = $1 AND r.ended_at IS NOT NULL`;
    while ((await pool.query(ended, [`n${n}`])).rowCount === 0) {
      if (performance.now() - startedMs > 20_000) throw new Error("an event did not find who waits for it");
      await pause(5);
    }
    took.push(performance.now() - startedMs);
  }
  took.sort((a, b) => a - b);
  return { p50: took[Math.floor(took.length / 2)] ?? 0, p99: took.at(-1) ?? 0 };
}

/** Runs of one step that are all due at the same time. */
async function addJobs(pool: pg.Pool, project: Project, count: number): Promise<void> {
  const s = `"${project.schema}"`;
  await project.write("tickets", { title: "a first one" });
  await until(
    async () => (await pool.query(`SELECT 1 FROM ${s}.workers__runs WHERE ended_at IS NOT NULL`)).rowCount === 1,
    20,
  );
  await pool.query(
    `WITH more AS (
       INSERT INTO ${s}.workers__runs (id, workflow, kind, definition, event_id, seq, status)
       SELECT gen_random_uuid(), r.workflow, r.kind, r.definition, NULL, n, 'queued'
       FROM generate_series(1, $2::int) n, (SELECT * FROM ${s}.workers__runs LIMIT 1) r RETURNING id
     ) INSERT INTO plinth.due_runs (project_id, run_id, due_at) SELECT $1, id, now() FROM more`,
    [project.id, count],
  );
}

/** While the snapshot is held, Postgres can't clean up deleted rows. */
async function withOldSnapshot<Result>(cellUrl: string, measure: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: cellUrl });
  await client.connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await client.query("SELECT count(*) FROM plinth.projects");
    await pause(SNAPSHOT_SECONDS * 1_000);
    return await measure();
  } finally {
    await client.end();
  }
}

async function startTimes(pool: pg.Pool, project: Project): Promise<Spread> {
  const s = `"${project.schema}"`;
  await pool.query(`WITH gone AS (DELETE FROM ${s}.workers__runs) DELETE FROM ${s}.workers__events`);
  for (let i = 0; i < SINGLE_WRITES; i++) {
    await project.write("tickets", { title: "one" });
    await pause(100);
  }
  const started = `SELECT count(*)::int AS n FROM ${s}.workers__runs WHERE started_at IS NOT NULL`;
  await until(async () => (await pool.query(started)).rows[0].n === SINGLE_WRITES, 60);
  const { rows } = await pool.query(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, max(ms) AS longest
     FROM (SELECT extract(epoch FROM r.started_at - e.at)::float8 * 1000 AS ms FROM ${s}.workers__runs r JOIN ${s}.workers__events e ON e.id = r.event_id) l`,
  );
  return { p50: Number(rows[0].p50), longest: Number(rows[0].longest) };
}

export function waitingTable(waiting: Waiting): string {
  const { alone, besideProjects, besideRuns, matchMs, startMs } = waiting;
  const count = (value: number): string => value.toLocaleString("en");
  const n = (value: number): string => value.toFixed(value >= 100 ? 0 : 1);
  const line = (name: string, { worker, scheduler, postgres, workerMb }: Idle): string =>
    `| ${name} | ${worker.toFixed(2)} | ${scheduler.toFixed(2)} | ${postgres.toFixed(2)} | ${n(workerMb)} |`;
  return [
    `A worker and a scheduler without due work, during ${IDLE_SECONDS} s. The figures are CPU time in percent of one core. Each idle project has a schedule and a run for tomorrow. One third of the waiting runs waits for an event, one third for a time, and one third for an approval:`,
    [
      "| | worker | scheduler | Postgres | worker MB |",
      "| --- | --- | --- | --- | --- |",
      line("three projects", alone),
      line(`and ${count(waiting.projects)} idle projects`, besideProjects),
      line(`and ${count(waiting.waitingRuns)} waiting runs`, besideRuns),
    ].join("\n"),
    `From a write to the end of the one run that waited for its event: ${n(matchMs.p50)} ms (median), ${n(matchMs.p99)} ms (longest of ${MATCHES}); ${count(waiting.wokenInVain)} other runs were woken. ` +
      `From a write to the start of its run: ${n(startMs.alone.p50)} ms (median), ${n(startMs.alone.longest)} ms (longest of ${SINGLE_WRITES}) with no other work; while another project has ${count(waiting.jobs)} due runs, ${n(startMs.besideJobs.p50)} ms and ${n(startMs.besideJobs.longest)} ms; and if a transaction has also held its snapshot for ${SNAPSHOT_SECONDS} s, ${n(startMs.besideSnapshot.p50)} ms and ${n(startMs.besideSnapshot.longest)} ms (${count(waiting.jobsDone)} of the other project's runs ended during this time).`,
  ].join("\n\n");
}
