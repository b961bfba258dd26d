// The parts of the check, in order. Out: for each a name and how to run it; a part counts its own passes and failures.
// It never decides what a failure means for the other parts.
import { glob } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changedTests } from "./changed.ts";
import { checkLayers } from "./layers.ts";
import { type CommandResult, repository, runTool } from "./run-command.ts";
import { runTests } from "./run-tests.ts";
import { checkSdkPackage } from "./sdk-package.ts";
import { checkTidiness } from "./tidy.ts";

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Shown after a failure. */
  readonly output: string;
  /** Always shown. */
  readonly note?: string;
}

export interface Part {
  readonly name: string;
  readonly run: () => Promise<Outcome>;
}

/** Parts that check the code without running it. */
export async function staticParts(): Promise<Part[]> {
  return [
    { name: "types", run: checkTypes },
    {
      name: "format and lint",
      run: () =>
        once(
          runTool("biome", [
            "ci",
            "--colors=off",
            "--diagnostic-level=warn",
            "--error-on-warnings",
            "--max-diagnostics=60",
            ".",
          ]),
        ),
    },
    { name: "layers", run: () => problems(checkLayers(repository)) },
    { name: "dead code", run: () => once(runTool("knip", ["--no-progress"])) },
    { name: "tidy", run: () => problems(checkTidiness(repository)) },
    { name: "SDK package", run: () => once(checkSdkPackage()) },
  ];
}

/** Parts that run the code: unit and integration tests, then everything together in a browser. */
export function testParts(): Part[] {
  return [
    { name: "unit and integration", run: () => runTests([]) },
    {
      name: "end to end",
      run: () => runTests(["--root", "e2e", "--config", join(repository, "e2e/vitest.config.ts")]),
    },
  ];
}

/** The unit and integration tests that changes since a revision affect. */
export function changedParts(since: string): Part[] {
  const { byImport, folders } = changedTests(since);
  return [
    { name: "tests of what changed", run: () => runTests(byImport) },
    ...(folders.length === 0 ? [] : [{ name: "tests beside changed data", run: () => runTests(folders) }]),
  ];
}

async function checkTypes(): Promise<Outcome> {
  const outcome = { passed: 0, failed: 0, output: "" };
  for (const folder of await typedFolders()) {
    const { code, output } = await runTool("tsc", ["-p", folder, "--pretty", "false"]);
    if (code === 0) outcome.passed++;
    else {
      outcome.failed++;
      outcome.output += `${folder}\n${output}`;
    }
  }
  return outcome;
}

async function typedFolders(): Promise<string[]> {
  const folders = ["."];
  for await (const file of glob("{packages/*,apps/*,e2e}/tsconfig.json", { cwd: repository })) {
    folders.push(dirname(file));
  }
  if (folders.length < 12) throw new Error(`only ${folders.length} folders with a tsconfig.json: ${folders.join(" ")}`);
  return folders.sort();
}

async function once(command: Promise<CommandResult>): Promise<Outcome> {
  const { code, output } = await command;
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, output };
}

async function problems(check: Promise<readonly string[]>): Promise<Outcome> {
  const found = await check;
  return { passed: found.length === 0 ? 1 : 0, failed: found.length, output: found.join("\n") };
}
