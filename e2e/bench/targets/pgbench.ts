// The target F0: the same SQL with pgbench, prepared, 8 clients, without HTTP and JavaScript. In: a database and a
// workload. Out: transactions per second and latencies; null if pgbench isn't installed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuOfFamilyUs, cpuOfProcessUs } from "../cpu.ts";
import type { Round } from "../load.ts";
import { rowCount, topicCount, type Workload } from "../workloads.ts";

const scripts: Readonly<Record<Workload, string>> = {
  W1: `\\set n random(1, :rows)
select row_to_json(x)::text from (
  select id, title, body, status, score, created_by, created_at, updated_at, version
  from hand.articles
  where id = lpad(to_hex(:n::bigint), 32, '0')::uuid and (status = 'active' or created_by = :user::uuid)) x;
`,
  W2: `select row_to_json(x)::text from (
  select id, title, body, status, score, created_by, created_at, updated_at, version
  from hand.articles
  where status = :status and (status = 'active' or created_by = :user::uuid)
  order by created_at desc, id desc
  limit 21) x;
`,
  W3: `with created as (
  insert into hand.articles (id, title, body, status, score, created_by)
  values (gen_random_uuid(), 'A title', 'A body of some length', 'draft', 1, :user::uuid)
  returning id, title, body, status, score, created_by, created_at, updated_at, version
), audited as (
  insert into hand.audit_log (request_id, actor_id, operation, entity, record_id, changes)
  select 'pgbench', :user::text, 'create', 'article', id, to_jsonb(created) from created
)
select row_to_json(created)::text from created;
`,
  W4: `\\set n random(1, :rows)
with before as (
  select * from hand.articles
  where id = lpad(to_hex(:n::bigint), 32, '0')::uuid and created_by = :user::uuid
  for update
), changed as (
  update hand.articles a
  set title = 'Another title', score = :n, updated_at = now(), version = a.version + 1
  from before where a.id = before.id
  returning a.id, a.title, a.body, a.status, a.score, a.created_by, a.created_at, a.updated_at, a.version
), audited as (
  insert into hand.audit_log (request_id, actor_id, operation, entity, record_id, changes)
  select 'pgbench', :user::text, 'update', 'article', changed.id, jsonb_build_object(
    'title', jsonb_build_array(before.title, changed.title), 'score', jsonb_build_array(before.score, changed.score))
  from changed, before
)
select row_to_json(changed)::text from changed;
`,
  W5: `\\set n random(1, :rows)
\\set topic 1 + :n % ${topicCount}
select row_to_json(x)::text from (
  select p.id, p.topic_id, p.title, p.body, p.status, p.created_by, p.created_at, p.updated_at, p.version,
    (select row_to_json(t) from hand.topics t where t.id = p.topic_id) as topic,
    (select json_agg(r) from (
      select id, post_id, body, created_by, created_at, updated_at, version from hand.replies where post_id = p.id order by created_at desc, id desc limit 20
    ) r) as replies,
    (select count(*) from hand.posts c where c.topic_id = p.topic_id and (c.status = 'active' or c.created_by = :user::uuid))
  from hand.posts p
  where p.topic_id = lpad(to_hex(:topic::bigint), 32, '0')::uuid and (p.status = 'active' or p.created_by = :user::uuid)
  order by p.created_at desc, p.id desc
  limit 21) x;
`,
};

export interface PgbenchTarget {
  readonly databaseUrl: string;
  readonly postgresPid: number;
  readonly userId: string;
}

export function pgbenchIsInstalled(): boolean {
  return spawnSync("pgbench", ["--version"]).status === 0;
}

/** @throws Error with pgbench's message if it fails. */
export function runPgbench(target: PgbenchTarget, workload: Workload, seconds: number): Round {
  const folder = mkdtempSync(join(tmpdir(), "plinth-pgbench-"));
  try {
    writeFileSync(join(folder, "script.sql"), scripts[workload]);
    const startedMs = performance.now();
    const before = { postgres: cpuOfFamilyUs(target.postgresPid), driver: cpuOfProcessUs(process.pid) };
    const args = ["-n", "-M", "prepared", "-c", "8", "-j", "1", "-T", String(seconds), "-l"];
    const variables = ["-D", `rows=${rowCount}`, "-D", `user=${target.userId}`, "-D", "status=active"];
    const run = spawnSync("pgbench", [...args, ...variables, "-f", "script.sql", target.databaseUrl], {
      cwd: folder,
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(`pgbench: ${run.stderr}`);
    const cpuUs = cpuOfFamilyUs(target.postgresPid) - before.postgres;
    const driverUs = cpuOfProcessUs(process.pid) - before.driver;
    const tookMs = performance.now() - startedMs;
    const latenciesMs = readdirSync(folder)
      .filter((name) => name.startsWith("pgbench_log"))
      .flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"))
      .map((line) => Number(line.split(" ")[2]) / 1000)
      .sort((a, b) => a - b);
    const count = latenciesMs.length;
    return {
      requestsPerSecond: Number(/tps = ([\d.]+)/.exec(run.stdout)?.[1]),
      p50Ms: latenciesMs[Math.floor(count * 0.5)] ?? Number.NaN,
      p99Ms: latenciesMs[Math.floor(count * 0.99)] ?? Number.NaN,
      cpuUsPerRequest: cpuUs / count,
      serverCpuUsPerRequest: 0,
      serverMemoryMb: 0,
      driverCpu: driverUs / 1000 / tookMs,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
