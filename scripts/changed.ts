// Finds the tests that a change affects. In: a revision. Out: arguments for the test runner. It never looks into files:
// the runner knows which test imports what.
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { repository } from "./run-command.ts";

export interface ChangedTests {
  /** For tests that import what has changed. */
  readonly byImport: readonly string[];
  /** Folders with changed data, such as goldens and blueprints, which no test imports. */
  readonly folders: readonly string[];
  /** Folders with changed code. */
  readonly rooms: readonly string[];
}

/** @param since The revision to compare the working tree with; `HEAD` for uncommitted changes. */
export function changedTests(since: string): ChangedTests {
  const files = [
    ...lines("git", ["diff", "--name-only", since]),
    ...lines("git", ["ls-files", "--others", "--exclude-standard"]),
  ];
  const data = files.filter((file) => !/\.tsx?$/.test(file) && /^(?:packages|apps)\/[^/]+\/src\//.test(file));
  const folders = new Set(data.map((file) => file.split("/").slice(0, 2).join("/")));
  const code = files.filter((file) => /^(?:packages|apps|tools|scripts)\/.*\.(?:tsx?|mjs)$/.test(file));
  const rooms = new Set(code.map((file) => dirname(file).replace(/\/testing$/, "")));
  return {
    byImport: ["--changed", since, "--passWithNoTests"],
    folders: [...folders].sort(),
    rooms: [...rooms].sort(),
  };
}

function lines(command: string, args: readonly string[]): string[] {
  return execFileSync(command, args, { cwd: repository, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");
}
