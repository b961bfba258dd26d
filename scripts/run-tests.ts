// Runs vitest and counts results. In: vitest's arguments. Out: the counts, and for each failure its file, name and
// message. A failure is never dropped: the note names tests that only pass when they run again alone.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Outcome } from "./parts.ts";
import { repository, runNode } from "./run-command.ts";

/** With more failed files than this, the change is the cause, not a machine that was busy for a moment. */
const RUN_AGAIN_MAX = 3;
const OUTPUT_LINES_MAX = 300;

interface TestRun extends Outcome {
  /** Whole paths. */
  readonly failedFiles: readonly string[];
}

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages?: readonly string[];
}

/** @param args For vitest, in addition to `run`: where the tests are. */
export async function runTests(args: readonly string[]): Promise<Outcome> {
  const first = await runOnce(args);
  const { failedFiles } = first;
  if (failedFiles.length === 0 || failedFiles.length > RUN_AGAIN_MAX) return first;
  const again = await runOnce([...args, ...failedFiles]);
  if (again.failed > 0) return { ...first, output: `${first.output}\n\nrun again by themselves:\n${again.output}` };
  return {
    passed: first.passed + first.failed,
    failed: 0,
    output: "",
    note: `unsteady: failed, and passed when run again by themselves\n${first.output}`,
  };
}

async function runOnce(args: readonly string[]): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), "plinth-check-"));
  const report = join(folder, "report.json");
  try {
    const { code, output } = await runNode("node_modules/vitest/vitest.mjs", [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...args,
    ]);
    return existsSync(report)
      ? outcomeOf(JSON.parse(readFileSync(report, "utf8")), code, output)
      : { passed: 0, failed: 1, output, failedFiles: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outcomeOf(report: TestReport, code: number, output: string): TestRun {
  const failed = report.testResults.filter(({ status }) => status === "failed");
  // A file that fails to load has no failed test, but must count as one.
  const count = report.numFailedTests + failed.filter((file) => file.assertionResults.length === 0).length;
  // For example an error outside every test.
  const isUnexplained = count === 0 && code !== 0;
  return {
    passed: report.numPassedTests,
    failed: isUnexplained ? 1 : count,
    output: isUnexplained ? lastLines(output) : failed.map(describe).join("\n"),
    failedFiles: failed.map(({ name }) => name),
    ...(report.numPendingTests > 0 ? { note: `${report.numPendingTests} skipped` } : {}),
  };
}

function describe({ name, message, assertionResults }: TestFile): string {
  const failures = assertionResults.filter(({ status }) => status === "failed");
  const file = relative(repository, name);
  if (failures.length === 0) return `${file}\n${message ?? ""}`;
  return failures
    .map(
      ({ fullName, failureMessages = [] }) =>
        `${file}: ${fullName}\n${withoutForeignFrames(failureMessages.join("\n"))}`,
    )
    .join("\n");
}

function withoutForeignFrames(text: string): string {
  return text.replace(/\n {4}at .*\/node_modules\/.*/g, "");
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-OUTPUT_LINES_MAX).join("\n");
}
