// Runs the check. In: `all`, `all --changed [revision]` (the code, and the tests of changed folders), `long` (the tests
// that take long), `static` (no tests), `static --changed [revision]` (all tests that import what changed) or `format`.
// Out: each part's result and time, a last line `N passed, N failed`, and exit code 1 after any failure. A failing part
// never prevents the others from running.

import { seedOfRun } from "../packages/testkit/src/sample.ts";
import { changedParts, type Outcome, type Part, roomParts, staticParts, testParts } from "./parts.ts";
import { endRunningCommands, runTool } from "./run-command.ts";

process.once("SIGTERM", stop);
process.once("SIGINT", stop);
process.exitCode = await main(process.argv.slice(2));

async function main([what = "all", option, since = "HEAD"]: readonly string[]): Promise<number> {
  if (what === "format") {
    const { code, output } = await runTool("biome", ["check", "--write", "--colors=off", "."]);
    process.stdout.write(output);
    return code;
  }
  const isChanged = option === "--changed" && what !== "long";
  if (!["all", "long", "static"].includes(what) || (option !== undefined && !isChanged)) {
    process.stderr.write(
      "usage: check.ts all [--changed [revision]] | long | static [--changed [revision]] | format\n",
    );
    return 2;
  }
  const started = performance.now();
  process.env["SEED"] ??= String(seedOfRun());
  const outcomes = isChanged ? await runChanged(what, since) : await runWhole(what);
  const passed = sum(outcomes, (outcome) => outcome.passed);
  const failed = sum(outcomes, (outcome) => outcome.failed);
  print(`\nall of it: ${seconds(performance.now() - started)}`);
  print(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Two parts at a time, because our machines have two cores. Tests run alone, because they wait for time to pass. */
async function runWhole(what: string): Promise<Outcome[]> {
  if (what === "long") process.env["PLINTH_LONG_TESTS"] = "1";
  const outcomes = what === "long" ? [] : await runParts(await staticParts(), 2);
  if (what === "static") return outcomes;
  print(`generated cases: SEED=${process.env["SEED"]} repeats them`);
  return [...outcomes, ...(await runParts(testParts(), 1))];
}

async function runChanged(what: string, since: string): Promise<Outcome[]> {
  return what === "static"
    ? await runParts(changedParts(since), 1)
    : await runParts([...(await staticParts()), ...roomParts(since)], 2);
}

async function runParts(parts: readonly Part[], workers: number): Promise<Outcome[]> {
  const waiting = [...parts];
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) outcomes.push(await runPart(part));
  };
  await Promise.all(Array.from({ length: workers }, work));
  return outcomes;
}

async function runPart(part: Part): Promise<Outcome> {
  const started = performance.now();
  let outcome: Outcome;
  try {
    outcome = await part.run();
  } catch (error) {
    outcome = { passed: 0, failed: 1, output: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const counts = outcome.failed === 0 ? `${outcome.passed} ok` : `${outcome.passed} ok, ${outcome.failed} FAILED`;
  const time = seconds(performance.now() - started);
  print(`${outcome.failed === 0 ? "ok  " : "FAIL"} ${part.name.padEnd(28)} ${time.padStart(8)}  ${counts}`);
  if (outcome.note !== undefined) print(indent(outcome.note));
  if (outcome.failed > 0) print(indent(outcome.output));
  return outcome;
}

function stop(): void {
  endRunningCommands();
  // Child processes get a moment to end their own children.
  setTimeout(() => process.exit(130), 3000).unref();
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, "     | ");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function sum<T>(items: readonly T[], number: (item: T) => number): number {
  return items.reduce((total, item) => total + number(item), 0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
