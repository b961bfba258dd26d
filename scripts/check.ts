// Runs the check. In: `all`, `static` (no tests), `static --changed [revision]` (only the tests of what changed) or
// `format`. Out: each part's result and time, a last line `N passed, N failed`, and exit code 1 after any failure. A
// failing part never prevents the others from running.

import { changedParts, type Outcome, type Part, staticParts, testParts } from "./parts.ts";
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
  const isChanged = what === "static" && option === "--changed";
  if ((what !== "all" && what !== "static") || (option !== undefined && !isChanged)) {
    process.stderr.write("usage: check.ts all | static [--changed [revision]] | format\n");
    return 2;
  }
  const started = performance.now();
  // Two at a time, because our machines have two cores. Tests run alone afterwards, because they measure time.
  const outcomes = isChanged ? await runParts(changedParts(since), 1) : await runParts(await staticParts(), 2);
  if (what === "all") outcomes.push(...(await runParts(testParts(), 1)));
  const passed = sum(outcomes, (outcome) => outcome.passed);
  const failed = sum(outcomes, (outcome) => outcome.failed);
  print(`\nall of it: ${seconds(performance.now() - started)}`);
  print(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
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
