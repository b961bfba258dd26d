// Builds the console once before the tests. Each test starts a whole Plinth, and two simultaneous builds would
// conflict.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../apps/cli/src/local/console-build.ts";

export default async function setup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plinth-console-build-"));
  try {
    const { PATH = "", HOME = "" } = process.env;
    await buildConsole({ PATH, HOME }, join(folder, "build.log")).finished;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
