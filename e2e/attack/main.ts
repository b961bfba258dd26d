// Measures what a neighbour, a stranger and an author can do to others, on one real cell. In: --json FILE, --only
// NAME[,NAME], --rounds N, --seconds N. Out: a table with verdicts, and the figures in FILE. Everything listens on
// loopback, is limited in number and time, and ends by itself.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { removeEmbeddedServer, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import type { Attack } from "./attack.ts";
import { allAtOnce, attackNamed, attacks } from "./attacks.ts";
import { startAttackedCell } from "./cell.ts";
import { type Figures, figuresOf, type Round, toMarkdown } from "./report.ts";
import { wholeSize } from "./target.ts";
import { neighbourOf, openWindow, startDriver } from "./window.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "string" },
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "8" },
  },
});
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const warmUpSeconds = 5;

interface Planned {
  readonly name: string;
  readonly about: string;
  readonly parts: readonly Attack[];
}

const planned = (options.only?.split(",") ?? [...attacks.map(({ name }) => name), allAtOnce]).map(plan);
const home = mkdtempSync(join(tmpdir(), "plinth-attack-"));
const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "attack", level: "warn" }) });
const measured = new Map<Planned, Round[]>(planned.map((each) => [each, []]));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // The runtime, control and the load generators end with this process.
  process.once(signal, () => void end().finally(() => process.exit(1)));
}
try {
  await measure();
} finally {
  await end();
}

/** Partial results are better than none, and an attack that ends the service is a finding. */
async function end(): Promise<void> {
  report(
    [...measured]
      .filter(([, results]) => results.length > 0)
      .map(([{ name, about, parts }, results]) => figuresOf(name, about, parts, results)),
  );
  await removeEmbeddedServer(home);
  rmSync(home, { recursive: true, force: true });
}

function plan(name: string): Planned {
  if (name !== allAtOnce) return { name, about: attackNamed(name).about, parts: [attackNamed(name)] };
  return { name, about: "all of them by customers at once", parts: attacks.filter(({ kind }) => kind === "neighbour") };
}

/**
 * Each attack runs once per round, after its own quiet window. So temporary load of the machine affects all of them.
 */
async function measure(): Promise<void> {
  const admin = new URL(postgres.urls.admin);
  admin.pathname = new URL(postgres.urls.cell).pathname;
  const cell = await startAttackedCell({ ...postgres.urls, admin: admin.href }, wholeSize);
  const driver = startDriver();
  try {
    await openWindow(cell, driver, [], warmUpSeconds);
    for (let round = 0; round < rounds; round++) {
      for (const [{ name, parts }, results] of measured) {
        console.error(`round ${round + 1} of ${rounds}: ${name}`);
        const neighbour = neighbourOf(parts[0] as Attack);
        const quiet = await openWindow(cell, driver, [], seconds, neighbour);
        const attacked = await openWindow(cell, driver, parts, seconds, neighbour);
        results.push({ quiet, attacked });
        console.error(`  p99 ${quiet.victim.p99Ms.toFixed(1)} ms, under attack ${attacked.victim.p99Ms.toFixed(1)} ms`);
      }
    }
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    driver.stop();
    await cell.stop();
  }
}

function report(figures: readonly Figures[]): void {
  console.log(toMarkdown(figures));
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ seconds, rounds, figures }, null, 2)}\n`);
}
