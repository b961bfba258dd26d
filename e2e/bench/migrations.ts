// Measures how a schema change affects clients (`node e2e/bench/migrations.ts`, with `--rows N` and `--only
// unique,index`). In: nothing. Out: a Markdown table of online changes of a long table under 200 writes a second:
// failed writes, the longest write, and the duration.
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
      weight: int = 0
      note: text?
      source: string?
      flag: int = 0
      day: string?
      amount: string?
    permissions:
      admin: { all: true }
`;

interface Scenario {
  readonly name: string;
  /** The name of the change in the table. */
  readonly change: string;
  readonly from: string;
  readonly to: string;
}

export const scenarios: readonly Scenario[] = [
  { name: "unique", change: "a unique rule", from: "serial: string", to: "serial: string unique" },
  { name: "index", change: "an index", from: "value: int = 0", to: "value: int index = 0" },
  { name: "required", change: "a field becomes required", from: "note: text?", to: "note: text" },
  { name: "type", change: "`int` becomes `decimal(12, 2)`", from: "weight: int = 0", to: "weight: decimal(12, 2) = 0" },
  { name: "bool", change: "`int` becomes `bool`", from: "flag: int = 0", to: "flag: bool = false" },
  { name: "date", change: "`string` becomes `date`", from: "day: string?", to: "day: date?" },
  { name: "int", change: "`string` becomes `int`", from: "amount: string?", to: "amount: int?" },
  { name: "drop", change: "a field is dropped", from: "      source: string?\n", to: "" },
];

const WRITES_PER_SECOND = 200;

export interface WritesMeanwhile {
  readonly change: string;
  readonly changeMs: number;
  readonly writes: number;
  readonly errors: number;
  readonly longestWriteMs: number;
  readonly medianWriteMs: number;
}

/** Runs one after the other on one table, each on top of the previous ones. */
export async function measureUnderWrites(rows: number, wanted: readonly Scenario[]): Promise<WritesMeanwhile[]> {
  const home = mkdtempSync(join(tmpdir(), "plinth-migrations-"));
  chmodSync(home, 0o755);
  const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "bench", level: "warn" }) });
  let cell: PublishedCell | undefined;
  try {
    cell = await startPublishedCell(postgres.urls.cell, "bench");
    await cell.publish(before);
    await seed(postgres.urls.cell, cell.schema, rows);
    const key = await cell.makeKey("secret");
    const measured: WritesMeanwhile[] = [];
    let text = before;
    for (const { change, from, to } of wanted) {
      text = text.replace(from, to);
      const writer = startWriter(cell.origin, key);
      await pause(2_000);
      const started = performance.now();
      // If a change fails, it is reported, and its writer still stops.
      const outcome = await cell.publish(text).then(
        () => null,
        (error: unknown) => error,
      );
      const changeMs = performance.now() - started;
      await pause(1_000);
      measured.push({ change, changeMs, ...(await writer.stop()) });
      if (outcome !== null) throw outcome;
    }
    return measured;
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
    `insert into "${schema}"."readings" (id, serial, value, weight, note, source, flag, day, amount)
     select gen_random_uuid(), 'seed-' || n, n % 100, n % 1000, 'note ' || n, 'import', n % 2, to_char(date '2024-01-01' + n % 300, 'YYYY-MM-DD'), n::text from generate_series(1, ${rows}) n`,
  );
  await client.query(`analyze "${schema}"."readings"`);
  await client.end();
}

/** Numbers continue from one writer to the next. */
let written = 0;

/** Writes at a fixed rate, whether or not earlier writes have been answered. */
function startWriter(origin: string, key: string) {
  const times: number[] = [];
  const open = new Set<Promise<void>>();
  let errors = 0;
  const write = async (): Promise<void> => {
    const started = performance.now();
    const body = JSON.stringify({ serial: `live-${++written}`, value: 1, note: "live" });
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
  }, 1000 / WRITES_PER_SECOND);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      const sorted = times.toSorted((a, b) => a - b);
      return {
        writes: times.length,
        errors,
        longestWriteMs: sorted.at(-1) ?? 0,
        medianWriteMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
      };
    },
  };
}

export function migrationsTable(rows: number, measured: readonly WritesMeanwhile[]): string {
  const lines = measured.map(({ change, changeMs, writes, errors, longestWriteMs, medianWriteMs }) => {
    const times = [longestWriteMs, medianWriteMs].map((ms) => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`);
    return `| ${change} | ${(changeMs / 1000).toFixed(1)} s | ${writes} | ${errors} | ${times.join(" | ")} |`;
  });
  return [
    `${rows.toLocaleString("en")} rows. During each change, clients send ${WRITES_PER_SECOND} writes a second:`,
    "",
    "| change | duration | writes | failed writes | longest write | median write |",
    "|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "1000000" },
      only: { type: "string", default: scenarios.map(({ name }) => name).join() },
    },
  });
  const wanted = scenarios.filter(({ name }) => values.only.split(",").includes(name));
  const measured = await measureUnderWrites(Number(values.rows), wanted);
  console.log(migrationsTable(Number(values.rows), measured));
}
