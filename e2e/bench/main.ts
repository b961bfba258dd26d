// The benchmark with all its parts. In: --json FILE, --seconds N, --rounds N, --projects N, --only PART[,PART],
// --write. Out: tables, and the figures in FILE and docs/benchmarks.md (with --only, only its sections). It ends by
// itself.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import { replaceSections, toText, writePage } from "./document.ts";
import { connections } from "./drivers/drive.ts";
import { installedDriver } from "./drivers/installed.ts";
import { importTable, measureImport } from "./imports.ts";
import { languageTable, measureLanguage } from "./language.ts";
import { memoryTable } from "./memory.ts";
import { measureUnderWrites, migrationsTable, scenarios } from "./migrations.ts";
import { compare, summarize, toMarkdown } from "./report.ts";
import { measureRequestPath, type RequestPath } from "./request-path.ts";
import { measureRuns, runsTable } from "./runs.ts";
import { measureScale, type Scale, scaleTable } from "./scale.ts";
import { measureSlowServices, slowServicesText } from "./slow-services.ts";
import { measureStreams, streamsTable } from "./streams.ts";
import { measureWaiting, waitingTable } from "./waiting.ts";
import { measureWebhooks, webhooksTable } from "./webhooks.ts";
import { rowCount, workloads } from "./workloads.ts";

const parts = [
  ...workloads,
  "memory",
  "language",
  "changes",
  "runs",
  "calls",
  "streams",
  "webhooks",
  "waiting",
  "scale",
  "import",
] as const;
type Part = (typeof parts)[number];

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
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const projects = Number(options.projects);
const asked = partsOf(options.only);
const askedWorkloads = workloads.filter((workload) => asked.has(workload));
if (options.write && askedWorkloads.length > 0 && askedWorkloads.length < workloads.length) {
  throw new Error(`--write needs whole sections: give all of ${workloads.join(",")} or none of them`);
}
const migratedRows = 1_000_000;
const importedRows = 1_000_000;
const logger = createLogger({ name: "bench", level: "warn" });

const sections = new Map<string, string>();
const figures: Record<string, unknown> = {};
if (askedWorkloads.length > 0 || asked.has("memory")) {
  const memory = asked.has("memory");
  addRequestPath(await measureRequestPath({ workloads: askedWorkloads, memory, rounds, seconds, logger }));
}
if (asked.has("language")) {
  figures["language"] = measureLanguage();
  sections.set("The language", languageTable(figures["language"] as ReturnType<typeof measureLanguage>));
}
if (asked.has("changes")) {
  const changes = await measureUnderWrites(migratedRows, scenarios);
  figures["changes"] = changes;
  sections.set("Migrations of a long table", migrationsTable(migratedRows, changes));
}
if (asked.has("runs")) {
  const runs = await onServerOfItsOwn("runs", {}, ({ urls, pid }) =>
    measureRuns({ cellUrl: urls.cell, postgresPid: pid, drive: installedDriver().drive, seconds }),
  );
  figures["runs"] = runs;
  sections.set("Runs of workflows", runsTable(runs));
}
if (asked.has("calls")) {
  const calls = await onServerOfItsOwn("calls", {}, ({ urls }) =>
    measureSlowServices({ cellUrl: urls.cell, projects: 50, seconds: 5 * seconds }),
  );
  figures["calls"] = calls;
  sections.set("Calls of slow services", slowServicesText(calls));
}
if (asked.has("streams")) {
  const streams = await onServerOfItsOwn("streams", {}, ({ urls }) =>
    measureStreams({ cellUrl: urls.cell, streams: 5_000 }),
  );
  figures["streams"] = streams;
  sections.set("Streams of changes", streamsTable(streams));
}
if (asked.has("webhooks")) {
  const webhooks = await onServerOfItsOwn("webhooks", {}, ({ urls }) =>
    measureWebhooks({ cellUrl: urls.cell, rounds, seconds }),
  );
  figures["webhooks"] = webhooks;
  sections.set("Webhooks", webhooksTable(webhooks));
}
if (asked.has("waiting")) {
  const waiting = await onServerOfItsOwn("waiting", {}, ({ urls, pid }) =>
    measureWaiting({ cellUrl: urls.cell, postgresPid: pid, projects, waitingRuns: 100_000, jobs: 100_000 }),
  );
  figures["waiting"] = waiting;
  sections.set("Idle and waiting work", waitingTable(waiting));
}
if (asked.has("scale")) {
  const scale = await measureScaleAlone();
  figures["scale"] = scale;
  sections.set("Many projects", scaleTable(scale));
}
if (asked.has("import")) {
  const imported = await onServerOfItsOwn("import", {}, (server) => measureImport(server, importedRows));
  figures["import"] = imported;
  sections.set("Imports of records", importTable(imported));
}
console.log(toText(sections));
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
if (options.write) (asked.size === parts.length ? writePage : replaceSections)(sections);

/** @throws Error for an unknown part. */
function partsOf(only: string | undefined): ReadonlySet<Part> {
  if (only === undefined) return new Set(parts);
  return new Set(
    only.split(",").map((name) => {
      const part = parts.find((each) => each === name);
      if (part === undefined) throw new Error(`--only accepts ${parts.join(", ")}, but not ${name}`);
      return part;
    }),
  );
}

function addRequestPath({ measured, memory, driver }: RequestPath): void {
  const measurements = [...measured].flatMap(([workload, results]) =>
    [...results].map(([name, each]) => summarize(workload, name, each)),
  );
  const ratios = [...measured].flatMap(([workload, results]) =>
    [...results].flatMap(([name, each]) =>
      name === "ours" ? [] : [compare(workload, name, results.get("ours") ?? [], each)],
    ),
  );
  if (measurements.length > 0) {
    const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.versions.node}`;
    const how = `${machine}; ${driver}, ${connections} connections; ${rowCount.toLocaleString("en")} rows`;
    sections.set(
      "The request path",
      `${how}; ${rounds} rounds of ${seconds} s. The tables show the medians, and in brackets the range of the rounds.\n\n${toMarkdown(measurements, ratios)}`,
    );
    figures["measurements"] = measurements;
    figures["ratios"] = ratios;
  }
  if (memory === null) return;
  sections.set("Memory", memoryTable(memory));
  figures["memory"] = memory;
}

/** Uses a separate server that doesn't have to be durable. Otherwise, thousands of schemas would wait for the disk. */
function measureScaleAlone(): Promise<Scale> {
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
  return onServerOfItsOwn("scale", settings, ({ urls, pid }) =>
    measureScale({ cellUrl: urls.cell, postgresPid: pid, projects, seconds }),
  );
}

async function onServerOfItsOwn<Result>(
  name: string,
  settings: Readonly<Record<string, string>>,
  measure: (server: EmbeddedPostgres) => Promise<Result>,
): Promise<Result> {
  const own = mkdtempSync(join(tmpdir(), `plinth-bench-${name}-`));
  const server = await startEmbeddedPostgres({ home: own, logger, settings });
  try {
    return await measure(server);
  } finally {
    await server.stop();
    rmSync(own, { recursive: true, force: true });
  }
}
