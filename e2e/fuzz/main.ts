// The fuzzer as a command. In: --cases N (for each project), --seed N, --project EXAMPLE[,EXAMPLE], --json FILE. Out:
// figures, each failure with a command that repeats it, and a nonzero exit code if there are failures.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import { startBareCell } from "../published-cell.ts";
import { type Figures, fuzz } from "./fuzz.ts";
import { openTarget } from "./target.ts";

const { values: options } = parseArgs({
  options: {
    cases: { type: "string", default: "50000" },
    seed: { type: "string" },
    project: { type: "string", default: "market-square,conduit,invoicing" },
    json: { type: "string" },
  },
});
const seed = Number(options.seed ?? Date.now() % 2 ** 31);
const cases = Number(options.cases);
const home = mkdtempSync(join(tmpdir(), "plinth-fuzz-"));
const server = await startEmbeddedPostgres({
  home,
  logger: createLogger({ name: "fuzz", level: "warn" }),
  settings: {},
});
const cell = await startBareCell(server.urls.cell);
const all: Record<string, Figures> = {};
try {
  for (const project of options.project.split(",")) {
    console.log(`${project}: ${cases} cases, seed ${seed}`);
    const target = await openTarget(cell, project);
    const onProgress = (done: number): void => {
      if (done % 5_000 === 0) console.log(`  ${done} sent`);
    };
    const figures = await fuzz({ ...target, cases, seed, onProgress });
    all[project] = figures;
    const { failures, ...rest } = figures;
    for (const { check, operation, says, curl } of failures.slice(0, 20))
      console.log(`  ${check} ${operation}: ${says}\n    ${curl}`);
    console.log(`  ${JSON.stringify(rest)}`);
  }
} finally {
  cell.process.kill("SIGTERM");
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ seed, projects: all }, null, 2)}\n`);
const failed = Object.values(all).filter(({ failures }) => failures.length > 0).length;
console.log(`${Object.keys(all).length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
