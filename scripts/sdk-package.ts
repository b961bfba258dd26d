// Packs the SDK for publication. In: a file to write. Out: the packed SDK (built by tsdown, packed by pnpm, which
// replaces the workspace's `exports` by those of `publishConfig`), and the problems that publint and attw find. `npm
// run sdk` writes packages/sdk/plinth-sdk.tgz, which `npm install` accepts in any app.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResult, repository, runNode, runTool } from "./run-command.ts";

const sdk = join(repository, "packages/sdk");

/** @throws Error with the output of the failed step. */
export async function packSdk(file: string): Promise<void> {
  const steps: readonly (() => Promise<CommandResult>)[] = [
    () => runTool("tsdown", ["--log-level", "warn"], sdk),
    () => runNode("tools/pnpm/node_modules/pnpm/bin/pnpm.mjs", ["pack", "--out", file], sdk),
  ];
  for (const step of steps) {
    const { code, output } = await step();
    if (code !== 0) throw new Error(`the SDK can't be packed:\n${output}`);
  }
}

/**
 * Reports what would not work in an app. CommonJS apps load the ES modules with `require`, which Node 20.19 and
 * TypeScript 5.8 support: hence attw's profile `esm-only`.
 */
export async function checkSdkPackage(): Promise<CommandResult> {
  const folder = mkdtempSync(join(tmpdir(), "plinth-sdk-"));
  try {
    const file = join(folder, "plinth-sdk.tgz");
    await packSdk(file);
    const checks = [
      await runTool("publint", ["--strict", file], sdk),
      await runTool("attw", ["--profile", "esm-only", "--no-emoji", file], sdk),
    ];
    return {
      code: Math.max(...checks.map(({ code }) => code)),
      output: checks.map(({ output }) => output).join("\n"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const file = join(sdk, "plinth-sdk.tgz");
  await packSdk(file);
  process.stdout.write(`${file}\n`);
}
