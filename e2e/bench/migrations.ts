// What a change of the schema costs those who work meanwhile. In: nothing (`node e2e/bench/migrations.ts`, or `--rows N`).
// Out: a unique rule added to a table of a million rows under 200 writes a second: errors, the longest write, the time it took.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import pg from "pg";
import { type PublishedCell, startPublishedCell } from "../published-cell.ts";

const before = `project: bench
modules: [auth, users, roles, audit_logs]
entities:
  reading:
    fields:
      serial: string
      value: int = 0
    permissions:
      admin: { all: true }
`;
const after = before.replace("serial: string", "serial: string unique");

const writesPerSecond = 200;

export interface WritesMeanwhile {
  readonly rows: number;
  readonly changeMs: number;
  readonly writes: number;
  readonly errors: number;
  readonly longestWriteMs: number;
  readonly medianWriteMs: number;
}

export async function measureUniqueUnderWrites(rows: number): Promise<WritesMeanwhile> {
  const home = mkdtempSync(join(tmpdir(), "plinth-migrations-"));
  chmodSync(home, 0o755);
  const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "bench", level: "warn" }) });
  let cell: PublishedCell | undefined;
  try {
    cell = await startPublishedCell(postgres.urls.cell, "bench");
    await cell.publish(before);
    await seed(postgres.urls.cell, cell.schema, rows);
    const writer = startWriter(cell.origin, await cell.makeKey("secret"));
    await pause(2_000);
    const started = performance.now();
    await cell.publish(after);
    const changeMs = performance.now() - started;
    await pause(1_000);
    return { rows, changeMs, ...(await writer.stop()) };
  } finally {
    cell?.process.kill("SIGTERM");
    await pause(300);
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function seed(cellUrl: string, schema: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: cellUrl });
  await client.connect();
  await client.query(
    `insert into "${schema}"."readings" (id, serial, value)
     select gen_random_uuid(), 'seed-' || n, n % 100 from generate_series(1, ${rows}) n`,
  );
  await client.query(`analyze "${schema}"."readings"`);
  await client.end();
}

/** Writes at a steady rate, whether or not the ones before have been answered. */
function startWriter(origin: string, key: string) {
  const times: number[] = [];
  const open = new Set<Promise<void>>();
  let errors = 0;
  let writes = 0;
  const write = async (): Promise<void> => {
    const started = performance.now();
    const body = JSON.stringify({ serial: `live-${writes++}`, value: 1 });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const reply = await fetch(`${origin}/api/readings`, { method: "POST", headers, body }).catch(() => null);
    await reply?.arrayBuffer();
    if (reply?.status !== 201) errors++;
    times.push(performance.now() - started);
  };
  const timer = setInterval(() => {
    const one = write();
    open.add(one);
    void one.finally(() => open.delete(one));
  }, 1000 / writesPerSecond);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      const sorted = times.toSorted((a, b) => a - b);
      return {
        writes,
        errors,
        longestWriteMs: sorted.at(-1) ?? 0,
        medianWriteMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
      };
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rows: { type: "string", default: "1000000" } } });
  console.log(JSON.stringify(await measureUniqueUnderWrites(Number(values.rows)), null, 2));
}
