// Measures many projects in one cell. In: their number. Out: throughput compared with one project, the first answer of
// a cold project, memory. Every project has a different name. Their entities come from a few blueprints, like those of
// templates.
import { readdirSync, readFileSync } from "node:fs";
import { type Bundle, fillTemplate, hashApiKey, type MigrationPlan, newApiKey, newId } from "@plinth/bundle";
import { createTenantSchema } from "@plinth/postgres";
import autocannon from "autocannon";
import pg from "pg";
import { startBareCell } from "../published-cell.ts";
import { cpuOfFamilyUs, cpuOfProcessUs, residentMb } from "./cpu.ts";
import { connections } from "./drivers/drive.ts";
import { threeEntities } from "./three-entities.ts";

export interface Scale {
  readonly projects: number;
  readonly blueprints: number;
  readonly coldMs: { readonly median: number; readonly p99: number; readonly longest: number };
  readonly one: ScaleRound;
  readonly random: ScaleRound;
  /** Resident memory of the runtime in MB. */
  readonly memoryMb: { readonly idle: number; readonly one: number; readonly random: number };
  /** Private memory of the Postgres sessions in MB. */
  readonly backendsMb: number;
}

export interface ScaleRound {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly cpuUsPerRequest: number;
}

interface Reader {
  readonly key: string;
  readonly path: string;
}

const blueprints = 10;
const coldRequests = 200;
const makersMax = 4;

export async function measureScale(options: {
  readonly cellUrl: string;
  readonly postgresPid: number;
  readonly projects: number;
  readonly seconds: number;
}): Promise<Scale> {
  const { cellUrl, postgresPid } = options;
  const cell = await startBareCell(cellUrl);
  const serverPid = cell.process.pid as number;
  try {
    const readers = await makeProjects(cellUrl, cell, options.projects);
    const idle = residentMb(serverPid);
    const coldMs = await firstAnswers(cell.origin, readers.slice(0, coldRequests));
    const first = readers[0] as Reader;
    const run = (next: () => Reader, seconds: number): Promise<ScaleRound> =>
      round({ origin: cell.origin, serverPid, postgresPid, next, seconds });
    await run(() => first, options.seconds);
    const one = await run(() => first, options.seconds);
    const afterOne = residentMb(serverPid);
    let at = 0;
    await requestEach(cell.origin, () => readers[at++]);
    const anyone = (): Reader => readers[Math.floor(Math.random() * readers.length)] as Reader;
    await run(anyone, options.seconds);
    const random = await run(anyone, options.seconds);
    return {
      projects: readers.length,
      blueprints,
      coldMs,
      one,
      random,
      memoryMb: { idle, one: afterOne, random: residentMb(serverPid) },
      backendsMb: privateMbOfChildren(postgresPid),
    };
  } finally {
    cell.process.kill("SIGTERM");
    await new Promise((done) => cell.process.once("exit", done));
  }
}

export function scaleTable(scale: Scale): string {
  const { projects, one, random, coldMs, memoryMb } = scale;
  const count = projects.toLocaleString("en");
  const ms = (value: number): string => value.toFixed(1);
  const line = (name: string, round: ScaleRound, memory: number): string =>
    `| ${name} | ${round.requestsPerSecond.toFixed(0)} | ${ms(round.p99Ms)} | ${round.cpuUsPerRequest.toFixed(0)} | ${memory.toFixed(0)} |`;
  return [
    `${count} projects with different names, made from ${scale.blueprints} blueprints of three entities. Each request reads one record by its id:`,
    [
      "| reads from | requests/s | p99 ms | CPU µs/request | server MB |",
      "| --- | --- | --- | --- | --- |",
      line("one project", one, memoryMb.one),
      line(`random ones of ${count}`, random, memoryMb.random),
    ].join("\n"),
    `Random projects reach ${(random.requestsPerSecond / one.requestsPerSecond).toFixed(2)} times the requests/s of one project. ` +
      `The first request to a project takes ${ms(coldMs.median)} ms (median), ${ms(coldMs.p99)} ms (p99), ${ms(coldMs.longest)} ms (longest). ` +
      `The server uses ${memoryMb.idle.toFixed(0)} MB before the first request. At the end, the Postgres sessions use ${scale.backendsMb.toFixed(0)} MB of private memory.`,
  ].join("\n\n");
}

/** The first project of each blueprint is published as control does it. The others are copies in the database. */
async function makeProjects(
  cellUrl: string,
  cell: Awaited<ReturnType<typeof startBareCell>>,
  count: number,
): Promise<readonly Reader[]> {
  const originals: Original[] = [];
  for (let i = 0; i < Math.min(blueprints, count); i++) {
    const project = await cell.addProject(`original-${i}`);
    const plan = await project.publish(threeEntities(i));
    originals.push({ projectId: `prj_${project.schema.slice(2)}`, plan, path: `/v1/resources/kind${i}_things` });
  }
  const readers: Reader[] = [];
  let made = 0;
  const maker = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: cellUrl });
    await client.connect();
    while (made < count) {
      const number = made++;
      readers.push(await copyProject(client, originals[number % originals.length] as Original, number));
      if (number % 500 === 499) console.error(`${number + 1} of ${count} projects`);
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: makersMax }, maker));
  return readers;
}

interface Original {
  readonly projectId: string;
  readonly plan: MigrationPlan;
  readonly path: string;
}

async function copyProject(client: pg.Client, original: Original, number: number): Promise<Reader> {
  const projectId = newId("prj");
  const names = await createTenantSchema(client, projectId);
  const holes: Readonly<Record<string, string>> = {
    schema: `"${names.schema}"`,
    owner: `"${names.owner}"`,
    worker: `"${names.worker}"`,
  };
  const steps = original.plan.steps.flatMap((step) =>
    "sql" in step ? [fillTemplate(step.sql, (hole) => holes[hole])] : [],
  );
  const id = crypto.randomUUID();
  const table = original.path.slice(original.path.lastIndexOf("/") + 1);
  await client.query(`BEGIN; SET LOCAL ROLE ${holes["owner"]}; ${steps.join(";\n")}; RESET ROLE; COMMIT`);
  await client.query(
    `INSERT INTO ${holes["schema"]}."${table}" (id, title, body) VALUES ('${id}', 'A title', 'A body of some length')`,
  );
  const key = newApiKey("publishable");
  await storeCopy(client, {
    original: original.projectId,
    projectId,
    name: `copy-${number}`,
    keyHash: hashApiKey(key),
  });
  return { key, path: `${original.path}/${id}` };
}

async function storeCopy(
  client: pg.Client,
  copy: { readonly original: string; readonly projectId: string; readonly name: string; readonly keyHash: string },
): Promise<void> {
  const releaseId = newId("rel");
  const { rows } = await client.query<{ bundle: string }>(
    "SELECT bundle FROM plinth.releases WHERE project_id = $1 AND status = 'active'",
    [copy.original],
  );
  const bundle: Bundle = { ...(JSON.parse(rows[0]?.bundle ?? "{}") as Bundle), project: copy.name };
  await client.query("INSERT INTO plinth.projects (id, slug) VALUES ($1, $2)", [copy.projectId, copy.name]);
  await client.query(
    `INSERT INTO plinth.releases (id, project_id, bundle, bundle_hash, plan, plan_hash, approval, status, activated_at, finished_at)
     SELECT $1, $2, $3, encode(sha256(convert_to($3, 'UTF8')), 'hex'), plan, plan_hash, approval, 'active', now(), now()
     FROM plinth.releases WHERE project_id = $4 AND status = 'active'`,
    [releaseId, copy.projectId, JSON.stringify(bundle), copy.original],
  );
  await client.query("UPDATE plinth.projects SET active_release_id = $2 WHERE id = $1", [copy.projectId, releaseId]);
  await client.query(
    "INSERT INTO plinth.api_keys (id, project_id, hash, kind, role, name) VALUES ($1, $2, $3, 'publishable', null, 'bench')",
    [newId("key"), copy.projectId, copy.keyHash],
  );
}

async function firstAnswers(origin: string, readers: readonly Reader[]): Promise<Scale["coldMs"]> {
  // The very first request opens connections and compiles code, which is part of the start.
  await readOnce(origin, readers[readers.length - 1] as Reader);
  const times: number[] = [];
  for (const reader of readers.slice(0, -1)) {
    const started = performance.now();
    await readOnce(origin, reader);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const share = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { median: share(0.5), p99: share(0.99), longest: share(1) };
}

async function requestEach(origin: string, next: () => Reader | undefined): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let reader = next(); reader !== undefined; reader = next()) await readOnce(origin, reader);
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

async function readOnce(origin: string, { key, path }: Reader): Promise<void> {
  const response = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
}

async function round(options: {
  readonly origin: string;
  readonly serverPid: number;
  readonly postgresPid: number;
  readonly next: () => Reader;
  readonly seconds: number;
}): Promise<ScaleRound> {
  const cpu = (): number => cpuOfProcessUs(options.serverPid) + cpuOfFamilyUs(options.postgresPid);
  const before = cpu();
  const result = await autocannon({
    url: options.origin,
    connections,
    duration: options.seconds,
    requests: [
      {
        setupRequest: (request) => {
          const { key, path } = options.next();
          return { ...request, path, headers: { authorization: `Bearer ${key}` } };
        },
      },
    ],
  });
  if (result.non2xx + result.errors + result.timeouts > 0) {
    throw new Error(`${result.non2xx} refusals, ${result.errors} errors, ${result.timeouts} timeouts`);
  }
  const requests = result.requests.total;
  return {
    requestsPerSecond: requests / result.duration,
    p99Ms: result.latency.p99,
    cpuUsPerRequest: (cpu() - before) / requests,
  };
}

function privateMbOfChildren(pid: number): number {
  let total = 0;
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      if (Number(/PPid:\s+(\d+)/.exec(status)?.[1]) === pid)
        total += Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      // The process has already ended.
    }
  }
  return total;
}
