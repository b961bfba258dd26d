// The parts of the check, in order. Out: for each a name and how to run it; a part counts its own passes and failures.
// It never decides what a failure means for the other parts.
import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changedTests } from "./changed.ts";
import { checkLayers } from "./layers.ts";
import { type CommandResult, repository, runNode, runTool } from "./run-command.ts";
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

/**
 * Parts that run the code: unit and integration tests, then everything together in a browser. The environment says
 * whether they are the usual or the long ones (`PLINTH_LONG_TESTS`).
 */
export function testParts(): Part[] {
  return [
    { name: "unit and integration", run: () => runTests([]) },
    {
      name: "end to end",
      run: () => runTests(["--root", "e2e", "--config", join(repository, "e2e/vitest.config.ts")]),
    },
  ];
}

/** The tests in the folders that have changed, for an answer in a minute. The note counts those that are left out. */
export function roomParts(since: string): Part[] {
  const { byImport, folders, rooms } = changedTests(since);
  const run = async (): Promise<Outcome> => {
    if (rooms.length === 0) return { passed: 0, failed: 0, output: "", note: "no folder with tests has changed" };
    const outcome = await runTests([...byImport, ...rooms.map((room) => `${room}/`)]);
    return { ...outcome, note: [outcome.note, await leftOut(byImport, rooms)].filter(Boolean).join("\n") };
  };
  return [{ name: "tests of changed folders", run }, ...dataParts(folders)];
}

async function leftOut(byImport: readonly string[], rooms: readonly string[]): Promise<string> {
  const { output } = await runNode("node_modules/vitest/vitest.mjs", ["list", "--filesOnly", ...byImport]);
  const affected = output.split("\n").filter((line) => /\.test\.[a-z]+$/.test(line));
  const others = affected.filter((file) => !rooms.some((room) => file.includes(`${room}/`)));
  return `${others.length} affected test files in other folders did not run: \`npm run check -- --changed\` runs them`;
}

/** The unit and integration tests that changes since a revision affect. */
export function changedParts(since: string): Part[] {
  const { byImport, folders } = changedTests(since);
  return [{ name: "tests of what changed", run: () => runTests(byImport) }, ...dataParts(folders)];
}

const dataParts = (folders: readonly string[]): Part[] =>
  folders.length === 0 ? [] : [{ name: "tests beside changed data", run: () => runTests(folders) }];

/** Parts with the same options are one program, because each program checks all files that it reaches again. */
const TYPED_TOGETHER = "tsconfig.parts.json";

async function checkTypes(): Promise<Outcome> {
  const outcome = { passed: 0, failed: 0, output: "" };
  for (const project of await typedProjects()) {
    const { code, output } = await runTool("tsc", ["-p", project, "--pretty", "false"]);
    if (code === 0) outcome.passed++;
    else {
      outcome.failed++;
      outcome.output += `${project}\n${output}`;
    }
  }
  return outcome;
}

/** @throws Error if the files of a part would be in no program. */
async function typedProjects(): Promise<string[]> {
  const shared = readConfig(TYPED_TOGETHER).include ?? [];
  const alone = [".", TYPED_TOGETHER];
  const covered = new Set<string>();
  for await (const file of glob("{packages/*,apps/*,e2e}/tsconfig.json", { cwd: repository })) {
    const folder = dirname(file);
    const { compilerOptions } = readConfig(file);
    const isTogether = shared.includes(`${folder}/src`);
    if (isTogether && compilerOptions !== undefined) throw new Error(`${file} has options of its own`);
    if (isTogether) covered.add(folder);
    else alone.push(folder);
  }
  if (covered.size + alone.length < 13) throw new Error(`too few parts: ${[...covered, ...alone].join(" ")}`);
  return alone.sort();
}

interface TypeConfig {
  readonly compilerOptions?: object;
  readonly include?: readonly string[];
}

function readConfig(file: string): TypeConfig {
  return JSON.parse(readFileSync(join(repository, file), "utf8")) as TypeConfig;
}

async function once(command: Promise<CommandResult>): Promise<Outcome> {
  const { code, output } = await command;
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, output };
}

async function problems(check: Promise<readonly string[]>): Promise<Outcome> {
  const found = await check;
  return { passed: found.length === 0 ? 1 : 0, failed: found.length, output: found.join("\n") };
}
