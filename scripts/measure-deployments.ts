// Measures how much time a deployment spends on the blueprint's own tests, and on setting a column aside. In: nothing
// (`node scripts/measure-deployments.ts`). Out: milliseconds, for docs/decisions/0008 and 0009. It only uses a database
// that it started itself.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type PublishedCell, startPublishedCell } from "../e2e/published-cell.ts";
import { startEmbeddedPostgres } from "../packages/postgres/src/embedded.ts";
import { createPool } from "../packages/postgres/src/index.ts";
import { createLogger } from "../packages/service/src/index.ts";

const rounds = 5;
const rows = 200_000;

const blueprint = `project: bench
modules: [auth, users, roles, audit_logs]
entities:
  reading:
    fields:
      serial: string
      note: string?
      status: enum[draft, shown] = draft
      created_by: user_ref? = current_user.id
    permissions:
      public: { read: status == shown }
      owner: { update: created_by == current_user.id }
      admin: { all: true }
`;

function withTests(expectations: number, round: number): string {
  const lines = [
    "    - { as: public, list: reading, sees: [a] }",
    "    - { as: ana, update: reading.b, allow: true }",
    "    - { as: public, update: reading.a, allow: false }",
  ];
  const expect = Array.from({ length: expectations }, (_, n) => lines[n % lines.length]);
  return `# ${round}
${blueprint.replace("serial: string", `serial: string(1, ${200 + round})`)}
tests:
  users: { ana: { roles: [user] } }
  rows:
    reading:
      a: { serial: A, status: shown, created_by: ana }
      b: { serial: B, created_by: ana }
  expect:
${expect.join("\n")}
`;
}

async function publishMs(cell: PublishedCell, text: string): Promise<number> {
  const started = performance.now();
  await cell.publish(text);
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

/** Publishes a change of the same size each time; only the number of expectations differs. */
async function rehearsalCosts(cell: PublishedCell): Promise<Record<string, number>> {
  const costs: Record<string, number> = {};
  let round = 0;
  for (const expectations of [0, 3, 30, 300]) {
    const times: number[] = [];
    for (let n = 0; n < rounds; n++) {
      const text = withTests(Math.max(1, expectations), ++round);
      times.push(await publishMs(cell, expectations === 0 ? text.slice(0, text.indexOf("\ntests:")) : text));
    }
    costs[`${expectations} expectations`] = median(times);
  }
  return costs;
}

/** The time for setting a column aside, compared with copying it. */
async function setAsideCosts(cell: PublishedCell, cellUrl: string): Promise<Record<string, number>> {
  const pool = createPool({ connectionString: cellUrl, max: 1, applicationName: "measure" });
  const table = `"${cell.schema}"."readings"`;
  const timed = async (sql: string): Promise<number> => {
    const started = performance.now();
    await pool.query(sql);
    return Math.round((performance.now() - started) * 10) / 10;
  };
  try {
    const empty = await timed(`alter table ${table} rename column note to aside__a__note`);
    await timed(`alter table ${table} rename column aside__a__note to note`);
    await pool.query(
      `insert into ${table} (id, serial, note)
       select gen_random_uuid(), 'seed-' || n, repeat('x', 100) from generate_series(1, ${rows}) n`,
    );
    const full = await timed(`alter table ${table} rename column note to aside__a__note`);
    const copy = await timed(`create table "${cell.schema}".kept as select id, aside__a__note from ${table}`);
    return { emptyTable: empty, fullTable: full, copyInstead: copy };
  } finally {
    await pool.end();
  }
}

const home = mkdtempSync(join(tmpdir(), "plinth-deployments-"));
chmodSync(home, 0o755);
const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "bench", level: "warn" }) });
let cell: PublishedCell | undefined;
try {
  cell = await startPublishedCell(postgres.urls.cell, "bench");
  await cell.publish(blueprint);
  const deployment = await rehearsalCosts(cell);
  await cell.publish(blueprint);
  console.log(JSON.stringify({ rows, deployment, column: await setAsideCosts(cell, postgres.urls.cell) }, null, 2));
} finally {
  cell?.process.kill("SIGTERM");
  await pause(300);
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
}
